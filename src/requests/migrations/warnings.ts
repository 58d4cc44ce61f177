import { clean } from "../../guard/words.ts";
import { packCursor, readCursor } from "../cursor.ts";
import type { Caller, World } from "../world.ts";
import { findMigration } from "./find.ts";
import { badCursor } from "./list.ts";
import { readWarnings } from "./view/archive.ts";

/**
 * The warnings of a completed run's report, page by page. Empty without a report, or where it was deleted. Throws Problem `not_found`,
 * `other_team`, and `invalid` for a cursor of something else.
 */
export async function listWarnings(
  world: World,
  caller: Caller,
  id: string,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<{ data: string[]; next_cursor: string | null }> {
  const migration = await findMigration(world, caller, id);
  const configMap = migration.status?.report?.configMap;
  const of = ["warnings", migration.metadata.uid, configMap ?? ""];
  const [after] = cursor === undefined ? ["0"] : (readCursor(world.secret, of, cursor) ?? []);
  if (after === undefined) throw badCursor();
  const skip = Number(after);
  const found = (await readWarnings(world, caller, migration, configMap, { skip, most: limit + 1 })) ?? [];
  const data = found.slice(0, limit).map((warning) => clean(warning, 1024));
  return { data, next_cursor: found.length > limit ? packCursor(world.secret, of, [String(skip + limit)]) : null };
}
