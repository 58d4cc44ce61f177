import { withIds, writerOf } from "../../resources/log.ts";
import type { LogEntry, Migration } from "../../resources/migration.ts";
import { packCursor, readCursor } from "../cursor.ts";
import type { Caller, World } from "../world.ts";
import { findMigration } from "./find.ts";
import { badCursor } from "./list.ts";
import { readLog } from "./view/archive.ts";
import { logsOf } from "./view/shown.ts";

interface LogsInput {
  /** 1 to 1000. */
  limit: number;
  cursor?: string;
}

/**
 * The log, oldest first: whole once the run has completed, until then the last milestones. Throws Problem `not_found`, `other_team`,
 * and `invalid` for a cursor of another log.
 */
export async function logs(
  world: World,
  caller: Caller,
  id: string,
  { limit, cursor }: LogsInput,
): Promise<{ data: LogEntry[]; next_cursor: string | null }> {
  const migration = await findMigration(world, caller, id);
  const of = ["logs", migration.metadata.uid];
  const [after] = cursor === undefined ? [""] : (readCursor(world.secret, of, cursor) ?? []);
  if (after === undefined) throw badCursor();
  const rest = (await wholeLog(world, caller, migration)).filter((entry) => entry.id > after);
  const data = rest.slice(0, limit);
  const last = rest.length > limit ? data.at(-1) : undefined;
  return { data, next_cursor: last === undefined ? null : packCursor(world.secret, of, [last.id]) };
}

async function wholeLog(world: World, caller: Caller, migration: Migration): Promise<LogEntry[]> {
  const { status } = migration;
  const run = status?.result?.run;
  const archived = run === undefined ? undefined : await readLog(world, caller, migration, status?.report?.configMap);
  if (archived === undefined || run === undefined) return logsOf(status?.log, migration.metadata.namespace);
  return logsOf(merged(status?.log ?? [], withIds(run, "w", archived)), migration.metadata.namespace);
}

/**
 * The archive has every entry of the worker's last pod; the status those of the controller and of earlier pods and runs. An entry of
 * both may have two ids, since entries of one millisecond are counted from where each list begins.
 */
export function merged(kept: readonly LogEntry[], archived: readonly LogEntry[]): LogEntry[] {
  const said = ({ time, message }: LogEntry) => `${time} ${message}`;
  const there = new Set(archived.map(said));
  const others = kept.filter((entry) => writerOf(entry) === "c" || !there.has(said(entry)));
  return [...new Map([...others, ...archived].map((entry) => [entry.id, entry])).values()];
}
