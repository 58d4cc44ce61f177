import { printable } from "../engine/contract/text/printable.ts";
import type { ObjectThere } from "./contract.ts";
import type { Manifest } from "./manifest-schema.ts";
import type { Unpacking } from "./work.ts";

/** Of the schema (PostgreSQL) or table that marks such a target. */
export const markName = "_rowferry_restore";
const markText = (attempt: string): string => `Unfinished restore ${attempt}`;
/** Whether a comment is one of those. */
export const isMark = (comment: string | null | undefined): boolean => comment?.startsWith(markText("")) === true;

/** Whether all that is there has a name of the backup: nothing of others was put there since. Large objects have none, and are never dropped. */
function isLeftover({ inventory }: Pick<Manifest, "inventory">, there: readonly ObjectThere[]): boolean {
  const known = new Set(inventory.map(({ kind, name }) => `${kind} ${name}`));
  const hasLarge = inventory.some(({ kind }) => kind === "large objects");
  return !hasLarge && there.every(({ kind, name }) => known.has(`${kind} ${name}`));
}

/** A target with the mark of a restore that began in an empty database, by one kind of server. */
export interface MarkedTarget<Found> {
  /** The mark's text; undefined without one. */
  mark(): Promise<string | null | undefined>;
  setMark(text: string): Promise<void>;
  dropMark(): Promise<void>;
  /** What the target has, without the mark. */
  read(mark: string | null | undefined): Promise<Found>;
  objects(found: Found): readonly ObjectThere[];
  drop(found: Found): Promise<void>;
}

/** What the target has, without what an earlier attempt of this restore left there, which is dropped. An empty target is marked. */
export async function beginAttempt<Found>(marked: MarkedTarget<Found>, work: Unpacking): Promise<Found> {
  const { target, attempt, manifest, log } = work;
  const mark = await marked.mark();
  const found = await marked.read(mark);
  const objects = marked.objects(found);
  if (objects.length === 0) {
    if (isMark(mark)) await marked.dropMark();
    if (attempt !== undefined) await marked.setMark(markText(attempt));
    return found;
  }
  if (attempt === undefined || mark !== markText(attempt) || !isLeftover(manifest, objects)) return found;
  log("info", `Dropping what an earlier attempt left in ${printable(target.database)}`);
  await marked.drop(found);
  return marked.read(mark);
}

/** The restore is complete: nothing is left to be dropped. */
export async function endAttempt<Found>(marked: MarkedTarget<Found>, { attempt }: Unpacking): Promise<void> {
  if (attempt !== undefined && (await marked.mark()) === markText(attempt)) await marked.dropMark();
}
