import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { workOff } from "../../run/pool.ts";
import { qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { errorNumber } from "../driver/write-session.ts";

/** Gathers the statistics of tables that were filled, which the target's planner would else first have by and by. */

/** Tables of one statement. */
const together = 25;

/**
 * `warn` hears of what the server did not do, as where the user may not: a copy without statistics is whole. `did` hears of tables
 * that were looked at.
 */
export async function analyzeTables(
  sessions: readonly Session[],
  tables: readonly (readonly [database: string, name: string])[],
  { warn, did }: { warn(words: string): void; did(tables: number): void },
): Promise<void> {
  let refused = false;
  const analyze = async (session: Session, list: readonly string[]) => {
    if (refused) return;
    try {
      const rows = await session.query(`ANALYZE NO_WRITE_TO_BINLOG TABLE ${list.join(", ")}`);
      for (const [table, , type, words] of rows)
        if (type?.toLowerCase() === "error")
          warn(`the statistics of table ${printable(table ?? "")} were not gathered: ${words}`);
      did(list.length);
    } catch (error) {
      if (!(error instanceof EngineError) || errorNumber(error) === undefined) throw error;
      if (!refused)
        warn(`statistics of the target's tables were not gathered: ${error.message}; ANALYZE TABLE does it`);
      refused = true;
    }
  };
  const names = tables.map((name) => qualified(...name));
  const lists = Array.from({ length: Math.ceil(names.length / together) }, (_, at) =>
    names.slice(at * together, (at + 1) * together),
  );
  await workOff(
    sessions,
    lists.map((list) => ({ run: (session) => analyze(session, list) })),
  );
}
