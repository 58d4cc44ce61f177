import { packCursor, readCursor } from "../cursor.ts";
import type { Caller, World } from "../world.ts";
import { findMigration } from "./find.ts";
import { badCursor } from "./list.ts";
import { reportPlace } from "./report.ts";
import { readFields, visitElements } from "./view/archive.ts";
import { shownState } from "./view/shown.ts";

/** A part of the report as lines: of each element of the list at the path, or of the fields of the object there. */
export type ReportPart = { path: readonly string[] } & (
  | { ofElement: (element: unknown) => string[] }
  | { ofField: (name: string, value: unknown) => string[] }
);

/**
 * Lines of parts of the last completed run's report, page by page; an element of several lines may go on on the next page. Empty without a report, or
 * where it was deleted. `list` names the parts. Throws Problem `not_found`, `other_team`, and `invalid` for a cursor of something else.
 */
export async function pageOfReport(
  world: World,
  caller: Caller,
  id: string,
  { list, parts, limit, cursor }: { list: string; parts: readonly ReportPart[]; limit: number; cursor?: string },
): Promise<{ lines: string[]; next_cursor: string | null }> {
  const migration = await findMigration(world, caller, id);
  const configMap = reportPlace(shownState(migration), migration.status);
  const of = ["report", list, migration.metadata.uid, configMap ?? ""];
  const [after] = cursor === undefined ? ["0"] : (readCursor(world.secret, of, cursor) ?? []);
  if (after === undefined) throw badCursor();
  const skip = Number(after);
  const found: string[] = [];
  let met = 0;
  const isEnough = () => found.length > limit;
  const take = (lines: readonly string[]) => {
    found.push(...lines.slice(Math.max(0, skip - met)));
    met += lines.length;
    return !isEnough();
  };
  for (const part of parts) {
    if (isEnough()) break;
    const place = { configMap, path: part.path };
    if ("ofElement" in part)
      await visitElements(world, caller, migration, place, (element) => take(part.ofElement(element)));
    else
      for (const [name, value] of (await readFields(world, caller, migration, place)) ?? [])
        take(part.ofField(name, value));
  }
  const lines = found.slice(0, limit);
  return { lines, next_cursor: isEnough() ? packCursor(world.secret, of, [String(skip + limit)]) : null };
}

/** How many warnings the report of a completed run has; 0 without a report. Throws Problem `not_found`, `other_team`. */
export async function countWarnings(world: World, caller: Caller, id: string): Promise<number> {
  const migration = await findMigration(world, caller, id);
  const place = { configMap: migration.status?.report?.configMap, path: ["warnings"] };
  let count = 0;
  await visitElements(world, caller, migration, place, () => {
    count += 1;
    return true;
  });
  return count;
}
