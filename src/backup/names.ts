import { BackupError } from "./contract.ts";

/**
 * Names of objects in a storage: segments of letters, digits, dots, dashes and underscores, joined by slashes. No segment
 * begins with a dot, so that no name leaves the storage's folder or meets a temporary file.
 */

const segment = "[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}";
const name = new RegExp(`^${segment}(?:/${segment}){0,15}$`);
const oneSegment = new RegExp(`^${segment}$`);

export const isPartName = (text: string): boolean => oneSegment.test(text);

/** Errors: `name_invalid`. */
export function checkName(text: string): string {
  if (name.test(text)) return text;
  throw new BackupError(
    "name_invalid",
    `${JSON.stringify(text.slice(0, 200))} is not a name of a backup: use letters, digits, ., - and _, and / between segments`,
  );
}

/** Of the object that completes a run, below the run's folder. */
export const manifestName = "manifest.json.zst.age";
/** After the name of what a part holds. */
export const partEnding = ".zst.age";
