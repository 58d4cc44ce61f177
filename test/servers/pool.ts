import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { type DatabaseKind, kinds } from "../../dev/databases/kinds.ts";
import { logIn } from "../../dev/databases/login.ts";
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

/** Servers without a borrower: more are stopped, the one that was idle longest first. */
const mostIdle = 8;

interface Kept {
  key: string;
  database: Database;
  pristine: Pristine;
  /** While it is made like a fresh one: resolves with whether it is. */
  restoring: Promise<boolean>;
}

export interface Pool {
  /** Servers started, lent and spoilt so far; those that start and that are idle now. */
  counts(): { started: number; lent: number; spoilt: number; starting: number; idle: number };
  /** Ends the loans and stops every server, those that are starting too. */
  close(): Promise<void>;
}

/** Listens on the unix socket `path`. */
export async function openPool(path: string): Promise<Pool> {
  const idle: Kept[] = [];
  const all = new Set<Kept>();
  const counts = { started: 0, lent: 0, spoilt: 0, starting: 0 };
  /** Each connection, until its server is given back. */
  const loans = new Map<Socket, Promise<void>>();
  let closed = false;

  const drop = async (kept: Kept): Promise<void> => {
    await kept.database.stop();
    all.delete(kept);
  };

  async function start({ kind, args }: Wish, key: string): Promise<Kept> {
    counts.starting += 1;
    try {
      const database = await startDatabase(kind, { args });
      try {
        const kept: Kept = { key, database, pristine: await pristine(database), restoring: Promise.resolve(true) };
        all.add(kept);
        return kept;
      } catch (error) {
        await database.stop();
        throw error;
      }
    } finally {
      counts.starting -= 1;
    }
  }

  async function borrow(wish: Wish): Promise<Kept> {
    counts.lent += 1;
    const key = JSON.stringify([wish.kind, wish.args]);
    for (;;) {
      const at = idle.findLastIndex((kept) => kept.key === key);
      const [kept] = at < 0 ? [] : idle.splice(at, 1);
      if (kept === undefined) break;
      if (!(await kept.restoring)) continue;
      if (await answers(kept.database)) return kept;
      await drop(kept);
    }
    counts.started += 1;
    return start(wish, key);
  }

  async function giveBack(kept: Kept): Promise<void> {
    if (closed) return drop(kept);
    kept.restoring = kept.pristine.restore();
    idle.push(kept);
    if (await kept.restoring) {
      if (idle.length > mostIdle) await Promise.all(idle.splice(0, idle.length - mostIdle).map(drop));
      return;
    }
    if (!closed) counts.spoilt += 1;
    const at = idle.indexOf(kept);
    if (at >= 0) idle.splice(at, 1);
    await drop(kept);
  }

  /** One loan from the wish to the end of the connection, which may come at any time. */
  async function serve(socket: Socket): Promise<void> {
    const over = new Promise<undefined>((done) => socket.once("close", () => done(undefined)));
    const answer = (loan: Loan): boolean => socket.write(`${JSON.stringify(loan)}\n`);
    const lines = createInterface(socket);
    const line = await Promise.race([new Promise<string>((done) => lines.once("line", done)), over]);
    if (line === undefined) return;
    try {
      const kept = await borrow(readWish(line));
      const { port, ca, pid, password } = kept.database;
      answer({ port, ca, pid, password });
      await over;
      await giveBack(kept);
    } catch (error) {
      answer({ error: String(error) });
      socket.end();
    }
  }

  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    loans.set(
      socket,
      serve(socket).finally(() => loans.delete(socket)),
    );
  });
  await new Promise<void>((done, fail) => server.once("error", fail).listen(path, done));
  return {
    counts: () => ({ ...counts, idle: idle.length }),
    async close() {
      closed = true;
      await new Promise<void>((done) => {
        server.close(() => done());
        for (const socket of loans.keys()) socket.destroy();
      });
      await Promise.all([...all].map(drop));
      await Promise.all(loans.values());
    },
  };
}

/** Whether it takes a login: it may have ended since it was given back. */
const answers = ({ kind, adminUrl }: Database): Promise<boolean> =>
  logIn(kind, adminUrl).then(
    () => true,
    () => false,
  );

function readWish(line: string): Wish {
  const { kind, args } = JSON.parse(line) as Partial<Wish>;
  if (kind === undefined || !(kind in kinds) || !Array.isArray(args))
    throw new Error(`The pool lends servers of ${Object.keys(kinds).join(", ")} with \`args\`; it received ${line}`);
  return { kind, args };
}
