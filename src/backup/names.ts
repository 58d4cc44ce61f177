import { segment, segments } from "../resources/backup/object-names.ts";
import { BackupError } from "./contract.ts";

/** Names of objects in a storage (resources/backup/object-names.ts), each segment one that a folder takes. */

const longest = 200;
const name = new RegExp(`^${segments}$`);
const oneSegment = new RegExp(`^${segment}$`);

export const isPartName = (text: string): boolean => text.length <= longest && oneSegment.test(text);

/** Errors: `name_invalid`. */
export function checkName(text: string): string {
  if (name.test(text) && text.split("/").every((part) => part.length <= longest)) return text;
  throw new BackupError(
    "name_invalid",
    `${JSON.stringify(text.slice(0, 200))} is not a name of a backup: use letters, digits, ., - and _, and / between segments`,
  );
}

/** Of the object that completes a run, below the run's folder. */
export const manifestName = "manifest.json.zst.age";
/** After the name of what a part holds. */
export const partEnding = ".zst.age";
