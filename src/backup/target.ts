import { printable } from "../engine/contract/text/printable.ts";
import { shortList } from "../engine/contract/text/short-list.ts";
import { countedKind } from "../engine/report/not-copied.ts";
import { BackupError, type ObjectThere } from "./contract.ts";
import type { Unpacking } from "./work.ts";

/** Whether a target may be restored into, and words about it. Pure. */

/** Between an object's kind and name and the server's words, in a restore's warning. */
export const notMade = " is not made: ";

/** Engines by name. Errors: `engine_differs`. */
export function refuseOther(source: string, target: string): void {
  if (source === target) return;
  throw new BackupError(
    "engine_differs",
    `the backup is of ${source}, and the target is ${target}: set convert: true in the Restore, or restore it into ${source}, then copy that database with a migration`,
  );
}

/** Some of them, for a message. */
export const someNames = (list: readonly string[]): string => shortList(list, 5);

/** Errors: `target_not_empty`, `target_conflict`. */
export async function refuseNotEmpty(
  { target, manifest, allowNotEmpty }: Pick<Unpacking, "target" | "manifest" | "allowNotEmpty">,
  there: readonly ObjectThere[],
  taken = inTheWay,
): Promise<void> {
  if (there.length === 0) return;
  const database = printable(target.database);
  if (allowNotEmpty === false) {
    const own = there.filter(({ kind }) => !ofTables.has(kind));
    const kinds = [...Map.groupBy(own, ({ kind }) => kind)]
      .map(([kind, { length }]) => countedKind(length, kind))
      .slice(0, 8);
    const names = own.map(({ kind, name }) => `${kind} ${printable(name)}`);
    throw new BackupError(
      "target_not_empty",
      `the target database ${database} is not empty: it has ${kinds.join(", ")} (${someNames(names)}). Restore into a new or an empty database, or allow a target that is not empty`,
    );
  }
  const found = taken(manifest.inventory, there);
  if (found.length > 0)
    throw new BackupError(
      "target_conflict",
      `the target database ${database} already has ${someNames(found)}, which the backup has too. Drop them or restore into another database`,
    );
  if (allowNotEmpty !== true) await allowNotEmpty(there);
}

const relations = new Set(["table", "view", "sequence"]);
/** They come with their table. */
const ofTables = new Set(["column", "index", "foreign key", "check", "partitions"]);

/** Names that both have. Case is not told apart, as by many servers. */
function inTheWay(wanted: readonly ObjectThere[], there: readonly ObjectThere[]): string[] {
  const key = ({ kind, name }: ObjectThere) => `${relations.has(kind) ? "relation" : kind} ${name.toLowerCase()}`;
  const known = new Set(wanted.map(key));
  const own = there.filter(({ kind }) => !ofTables.has(kind));
  return own.filter((thing) => known.has(key(thing))).map(({ kind, name }) => `${kind} ${printable(name)}`);
}
