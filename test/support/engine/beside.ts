import type mysql from "mysql2/promise";
import { expect } from "vitest";
import type { CopyHooks, CopyReport, CopyRequest, EngineProgress } from "../../../src/engine/contract/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { run } from "./run.ts";

/** Several runs into one MySQL or MariaDB database: what the tests of all directions share. */

export type Sides = Pick<CopyRequest, "source" | "target">;
export type Options = Partial<CopyRequest["options"]>;

export const ofRun = (owner: string) => ({ owner, ownerName: `run ${owner}` });

export const doing: CopyHooks = {
  signal: new AbortController().signal,
  measured: () => undefined,
  log: () => undefined,
  progress: () => undefined,
};

/** Copies with checksums, to the very end. */
export async function complete(which: Sides, owner: string, options: Options = {}): Promise<CopyReport> {
  const ran = await run(which, { ...ofRun(owner), options: { jobs: 2, verify: "checksum", ...options } });
  await ran.copied.finish();
  return ran.report;
}

/** Rows as texts. */
export const list = async (client: mysql.Connection, sql: string): Promise<string[]> =>
  ((await client.query({ sql, rowsAsArray: true }))[0] as unknown as string[][]).map((row) => row.join(" "));

export const names = async (client: mysql.Connection): Promise<string[]> => (await list(client, "SHOW TABLES")).sort();

/**
 * Copies `one`, whose table `big` is its first, and does `then` meanwhile: `lock`, a client in the target's database, keeps the
 * run's row of the fence to itself after `big`, so that the run begins no other transaction until that is done.
 */
export async function during(
  { source, target }: Sides,
  lock: mysql.Connection,
  options: Options,
  then: () => Promise<unknown>,
): Promise<CopyReport> {
  const order: string[] = [];
  let second: Promise<unknown> | undefined;
  const locked = async () => {
    const [row] = await list(lock, "SELECT id FROM _rowferry WHERE kind = 'fence' AND owner = 'one'");
    await lock.query(`START TRANSACTION; SELECT id FROM _rowferry WHERE id = ${row} FOR UPDATE`);
  };
  const progress = ({ phase, table }: EngineProgress) => {
    if (phase !== "copying" || !table.some(({ name, rows }) => /\bbig$/.test(name) && rows > 0)) return;
    second ??= locked()
      .then(then)
      .then(() => order.push("second"))
      .finally(() => lock.query("COMMIT"));
    second.catch(() => undefined);
  };
  // So slow that the lock is asked for before the transaction ends.
  const slow = { jobs: 1, bandwidth: 1_000_000, ...options };
  // A lock of a row is waited for as long as this, and then the run fails.
  await lock.query("SET GLOBAL innodb_lock_wait_timeout = 300, SESSION innodb_lock_wait_timeout = 300");
  try {
    const asked = { ...ofRun("one"), source, target, reset: false, options: slow };
    const copied = await copy(asked, { ...doing, progress });
    order.push("first");
    await second;
    expect(order).toEqual(["second", "first"]);
    await copied.finish();
    return copied.report;
  } finally {
    await lock.query("SET GLOBAL innodb_lock_wait_timeout = 50");
  }
}

/** Ends the first run when its table `small` is complete. */
export async function cut({ source, target }: Sides): Promise<void> {
  const stop = new AbortController();
  const progress = ({ table }: EngineProgress) => {
    if (table.some(({ name, state }) => /\bsmall$/.test(name) && state === "done")) stop.abort(new Error("cut"));
  };
  const options = { jobs: 2, bandwidth: 400_000 };
  const asked = { ...ofRun("one"), source, target, reset: false, options };
  await expect(copy(asked, { ...doing, signal: stop.signal, progress })).rejects.toThrow("cut");
}
