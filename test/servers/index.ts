import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { type Database, type DatabaseOptions, startDatabase } from "../../dev/databases/index.ts";
import { type DatabaseKind, databaseUrl, kinds } from "../../dev/databases/kinds.ts";
import { type Loan, poolVariable, type Wish } from "./pool.ts";

/**
 * A server for this file alone until `stop`, like a fresh one: lent by the run's pool, started if there is no pool. It cannot be
 * stopped, restarted or looked into. A test that does this, or that fills its disk, takes one by `startDatabase`.
 */
export async function borrowDatabase(
  kind: DatabaseKind,
  { args = [] }: Pick<DatabaseOptions, "args"> = {},
): Promise<Database> {
  const path = process.env[poolVariable];
  if (path === undefined) return startDatabase(kind, { args });
  const socket = createConnection(path);
  const answer = new Promise<Loan>((done, fail) => {
    socket.once("error", fail);
    createInterface(socket).once("line", (line) => done(JSON.parse(line) as Loan));
    socket.once("close", () => fail(new Error("the pool of servers is gone")));
  });
  socket.write(`${JSON.stringify({ kind, args } satisfies Wish)}\n`);
  const loan = await answer;
  if ("error" in loan) throw new Error(loan.error);
  // An open loan must not keep the file's process.
  socket.unref();
  const { admin, adminDatabase } = kinds[kind];
  const { port, ca, pid, password } = loan;
  const host = "127.0.0.1";
  const urlOf: Database["urlOf"] = (database, user = "app") =>
    databaseUrl(kind, { user: user === "app" ? "app" : admin, password, host, port, database });
  const own = () => Promise.reject(new Error("a borrowed server cannot do this: take one by startDatabase"));
  return {
    ...{ kind, host, port, password, pid, ca, urlOf, url: urlOf("app"), adminUrl: urlOf(adminDatabase, "admin") },
    ...{ log: own, down: own, up: own, restart: own },
    stop: () =>
      new Promise((done) => {
        if (socket.closed) done();
        else socket.once("close", () => done()).end();
      }),
  };
}
