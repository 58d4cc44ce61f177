import { clean } from "../../guard/words.ts";
import { packCursor, readCursor } from "../cursor.ts";
import type { Caller, World } from "../world.ts";
import { findMigration } from "./find.ts";
import { badCursor } from "./list.ts";
import { readReported } from "./view/archive.ts";

/** An object of the source that a completed run did not copy, or changed. */
interface NotCopied {
  kind: string;
  name: string;
  reason: string;
}

/**
 * What a completed run did not copy or changed, page by page. Empty without a report, or where it was deleted. Throws Problem `not_found`,
 * `other_team`, and `invalid` for a cursor of something else.
 */
export async function listNotCopied(
  world: World,
  caller: Caller,
  id: string,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<{ data: NotCopied[]; next_cursor: string | null }> {
  const migration = await findMigration(world, caller, id);
  const report = migration.status?.report;
  const of = ["not-copied", migration.metadata.uid, report?.configMap ?? ""];
  const [after] = cursor === undefined ? ["0"] : (readCursor(world.secret, of, cursor) ?? []);
  if (after === undefined) throw badCursor();
  const skip = Number(after);
  const found = report?.reported
    ? await readReported(world, caller, migration, report.configMap, { skip, most: limit + 1 })
    : [];
  const data = (found ?? []).slice(0, limit).map(({ kind, name, note }) => ({
    kind: clean(kind, 64),
    name: clean(name, 512),
    reason: clean(note ?? "", 1024),
  }));
  const hasMore = (found ?? []).length > limit;
  return { data, next_cursor: hasMore ? packCursor(world.secret, of, [String(skip + limit)]) : null };
}
