import type { Database } from "../../dev/databases/index.ts";
import { kinds } from "../../dev/databases/kinds.ts";
import { mysqlCleaner } from "./pristine-mysql.ts";
import { postgresCleaner } from "./pristine-postgres.ts";

/**
 * Makes a server that a test file used like a fresh one: ends its sessions, drops its databases and accounts, and compares what
 * SQL can change besides with what it was: settings, saved ones too, accounts and rights, system tables, prepared transactions,
 * replication, plugins. Not compared: counters and positions (ids, log files, GTIDs), statistics, and files that SQL wrote.
 */
export interface Pristine {
  /** Whether the server is like a fresh one now. Otherwise it must not be used again. */
  restore(): Promise<boolean>;
}

/** Longer than any of it takes; a server that hangs is not lent again. Milliseconds. */
const restoreMs = 30_000;

/** Of a server that nobody has used yet. */
export async function pristine(database: Database): Promise<Pristine> {
  const { ask: asking, clear, state } = kinds[database.kind].engine === "postgres" ? postgresCleaner : mysqlCleaner;
  const before = await asking(database, (ask) => state(ask, database));
  return {
    async restore() {
      const restored = asking(database, async (ask) => {
        await clear(ask);
        return (await state(ask, database)) === before;
      });
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((done) => {
        timer = setTimeout(() => done(false), restoreMs);
      });
      return Promise.race([restored, late])
        .catch(() => false)
        .finally(() => clearTimeout(timer));
    },
  };
}
