import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { borrowDatabase } from "../servers/index.ts";
import { openPool, type Wish } from "../servers/pool.ts";
import { until } from "../support/engine/postgres-support.ts";
import { useOwnPool } from "./own-pool.ts";

/** Borrowers that die, wishes that nobody can read, and servers that end while nobody has them. */

const pool = useOwnPool();

/** A borrower that has sent this and not waited for an answer. */
async function borrower(at: string, line: string): Promise<Socket> {
  const socket = createConnection(at);
  await once(socket, "connect");
  await new Promise<void>((done) => socket.write(line, () => done()));
  return socket;
}
const wish = (connections: number): Wish => ({ kind: "postgres", args: ["-c", `max_connections=${connections}`] });

/** Supervisors of database servers that this process started. */
const supervisors = (): number =>
  readdirSync("/proc/self/task")
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "latin1").split(" "))
    .filter((pid) => pid !== "" && command(pid).includes("supervise.sh")).length;
const command = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
};

test("a server that starts for a borrower that dies meanwhile is lent to the next", async () => {
  const asked = wish(21);
  const dead = await borrower(pool.path, `${JSON.stringify(asked)}\n`);
  await until(async () => pool.counts().starting === 1, "a server that starts");
  dead.destroy();
  await until(async () => pool.counts().idle === 1, "the server to be idle");
  const { started } = pool.counts();
  const next = await borrowDatabase(asked.kind, asked);
  expect(pool.counts().started).toBe(started);
  await next.stop();
});

test("a line that is no wish is answered with an error, and the pool goes on", async () => {
  for (const line of ["no wish\n", "null\n", '{"kind":"oracle","args":[]}\n']) {
    const socket = await borrower(pool.path, line);
    const [answer] = (await once(createInterface(socket), "line")) as [string];
    expect(JSON.parse(answer)).toEqual({ error: expect.any(String) });
  }
  const next = await borrowDatabase("postgres", wish(21));
  await next.stop();
});

test("a server that ended while nobody had it is not lent", async () => {
  const first = await borrowDatabase("postgres", wish(21));
  const { port, pid } = first;
  await first.stop();
  await until(async () => pool.counts().idle === 1, "the server to be idle");
  process.kill(pid, "SIGKILL");
  await until(async () => command(String(pid)) === "", "its end");
  const next = await borrowDatabase("postgres", wish(21));
  expect(next.port).not.toBe(port);
  await next.stop();
});

test("a pool that closes while a server starts leaves no server", async () => {
  const own = join(tmpdir(), "closing");
  const closing = await openPool(own);
  const others = supervisors();
  const socket = await borrower(own, `${JSON.stringify(wish(22))}\n`);
  await until(async () => closing.counts().starting === 1 && supervisors() > others, "a server that starts");
  await closing.close();
  expect(supervisors()).toBe(others);
  socket.destroy();
  await expect(borrower(own, "")).rejects.toMatchObject({ code: "ENOENT" });
});
