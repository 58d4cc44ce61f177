import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { type Database, startDatabase } from "../../dev/databases/index.ts";
import type { DatabaseKind } from "../../dev/databases/kinds.ts";
import { type Pristine, pristine } from "./pristine.ts";

/**
 * Database servers of a whole run, which one test file after the other borrows: starting one takes a second of both cores. A
 * file has a server for itself. When it gives it back, the server is made like a fresh one; one that cannot be is stopped.
 */

/** Names the pool's unix socket for the tests. Without it each file starts its own servers. */
export const poolVariable = "ROWFERRY_TEST_SERVERS";

/** One line of JSON from a borrower. The end of the connection gives the server back. */
export interface Wish {
  kind: DatabaseKind;
  args: readonly string[];
}
/** The answer's line. */
export type Loan = Pick<Database, "port" | "ca" | "pid" | "password"> | { error: string };

/** Servers that wait for a borrower: more are stopped, the one that waited longest first. */
const mostIdle = 8;

interface Kept {
  key: string;
  database: Database;
  pristine: Pristine;
  /** While it is made like a fresh one: resolves with whether it is. */
  restoring?: Promise<boolean>;
}

export interface Pool {
  /** How often a server was started and lent. */
  counts(): { started: number; lent: number; spoilt: number };
  close(): Promise<void>;
}

/** Listens on the unix socket `path`. */
export async function openPool(path: string): Promise<Pool> {
  const waiting: Kept[] = [];
  const all = new Set<Kept>();
  const counts = { started: 0, lent: 0, spoilt: 0 };
  const connections = new Set<Socket>();

  const drop = async (kept: Kept): Promise<void> => {
    await kept.database.stop();
    all.delete(kept);
  };

  async function borrow({ kind, args }: Wish): Promise<Kept> {
    counts.lent += 1;
    const key = JSON.stringify([kind, args]);
    for (;;) {
      const at = waiting.findLastIndex((kept) => kept.key === key);
      const [kept] = at < 0 ? [] : waiting.splice(at, 1);
      if (kept === undefined) break;
      if (await (kept.restoring ?? true)) return kept;
    }
    counts.started += 1;
    const database = await startDatabase(kind, { args });
    const kept: Kept = { key, database, pristine: await pristine(database) };
    all.add(kept);
    return kept;
  }

  async function giveBack(kept: Kept): Promise<void> {
    kept.restoring = kept.pristine.restore().catch(() => false);
    waiting.push(kept);
    const fresh = await kept.restoring;
    const at = waiting.indexOf(kept);
    if (fresh && waiting.length > mostIdle) await Promise.all(waiting.splice(0, waiting.length - mostIdle).map(drop));
    if (fresh) return;
    counts.spoilt += 1;
    if (at >= 0) waiting.splice(at, 1);
    await drop(kept);
  }

  const server = createServer((socket) => {
    connections.add(socket);
    socket.on("error", () => undefined);
    const lines = createInterface(socket);
    const lent = new Promise<Kept | undefined>((done) => {
      socket.once("close", () => done(undefined));
      lines.once("line", (line) => {
        borrow(JSON.parse(line) as Wish).then(
          (kept) => {
            const { port, ca, pid, password } = kept.database;
            socket.write(`${JSON.stringify({ port, ca, pid, password } satisfies Loan)}\n`);
            done(kept);
          },
          (error: unknown) => {
            socket.end(`${JSON.stringify({ error: String(error) } satisfies Loan)}\n`);
            done(undefined);
          },
        );
      });
    });
    socket.once("close", async () => {
      connections.delete(socket);
      const kept = await lent;
      if (kept !== undefined) await giveBack(kept);
    });
  });
  await new Promise<void>((done, fail) => server.once("error", fail).listen(path, done));
  return {
    counts: () => ({ ...counts }),
    async close() {
      await new Promise<void>((done) => {
        server.close(() => done());
        for (const socket of connections) socket.destroy();
      });
      await Promise.all([...all].map(drop));
    },
  };
}
