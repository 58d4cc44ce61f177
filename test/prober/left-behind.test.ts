import { readdirSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { connect, type Session } from "../databases/connect.ts";
import { patience } from "../patience.ts";
import { borrowDatabase } from "../servers/index.ts";
import { until } from "../worker/until.ts";
import { childrenOf } from "./children.ts";
import { type RunningProber, startProber } from "./prober.ts";
import { silent, startRogue } from "./rogue.ts";

/** What is there after a probe, however it ended: no session, no process, no file. */

let prober: RunningProber;
let temporary: string;
let postgres: Database;
let mysql: Database;
let admins: Record<"postgres" | "mysql", Session>;
let lockers: Record<"postgres" | "mysql", Session>;
const options = optionsSchema.parse({});

beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), "rowferry-probers-files-"));
  [prober, postgres, mysql] = await Promise.all([
    startProber({
      ROWFERRY_GUARD_ALLOW: "127.0.0.1/32",
      ROWFERRY_PROBER_PREFLIGHT_SECONDS: "6",
      TMPDIR: temporary,
      ROWFERRY_PG_BIN: await pgTools(),
    }),
    borrowDatabase("postgres"),
    borrowDatabase("mysql"),
  ]);
  const open = async () => ({
    postgres: await connect("postgres", postgres.urlOf("app", "admin")),
    mysql: await connect("mysql", mysql.adminUrl),
  });
  admins = await open();
  lockers = await open();
  // What a preflight reads of these tables waits for their locks: a size there, a default with a ? in it here.
  await admins.postgres.query("CREATE TABLE public.held (id int PRIMARY KEY)");
  await admins.postgres.query("CREATE DATABASE other");
  await admins.mysql.query("CREATE TABLE app.held (id int PRIMARY KEY, word varchar(9) DEFAULT 'a?')");
});
afterAll(async () => {
  await prober?.stop();
  await Promise.all([...Object.values(admins ?? {}), ...Object.values(lockers ?? {})].map((session) => session.end()));
  await Promise.all([postgres, mysql].map((database) => database?.stop()));
});

const sessions = {
  postgres: async () =>
    (await admins.postgres.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'rowferry prober'")).length,
  mysql: async () =>
    (await admins.mysql.query("SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'app'")).length,
};
const lock = {
  async postgres() {
    await lockers.postgres.query("BEGIN");
    await lockers.postgres.query("LOCK TABLE public.held IN ACCESS EXCLUSIVE MODE");
  },
  mysql: () => lockers.mysql.query("LOCK TABLES app.held WRITE"),
};
const unlock = {
  postgres: () => lockers.postgres.query("ROLLBACK"),
  mysql: () => lockers.mysql.query("UNLOCK TABLES"),
};
const waiting = {
  postgres: async () =>
    (
      await admins.postgres.query(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'rowferry prober' AND wait_event_type = 'Lock'",
      )
    ).length === 1,
  mysql: async () =>
    (
      await admins.mysql.query(
        "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'app' AND STATE LIKE 'Waiting for table%'",
      )
    ).length === 1,
};
const url = (kind: "postgres" | "mysql") => ({ postgres, mysql })[kind].url;
const other = (kind: "postgres" | "mysql") => url(kind === "postgres" ? "mysql" : "postgres");
const busy = () => childrenOf(prober.pid).length > 1 || childrenOf(prober.pid).some(({ state }) => state === "Z");
const kinds = ["postgres", "mysql"] as const;

/** A preflight by hand; `leave` hangs up. */
function ask(body: object): { leave(): void } {
  const agent = new Agent({ ...prober.api });
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  const sent = request(`${prober.url}/preflight`, { method: "POST", agent, headers });
  sent.on("error", () => undefined);
  sent.end(text);
  return { leave: () => sent.destroy() };
}

async function nothingLeft(kind: (typeof kinds)[number]): Promise<void> {
  const far = other(kind) === postgres.url ? "postgres" : "mysql";
  const left = async () => ({
    sessions: [await sessions[kind](), await sessions[far]()],
    // A child is gone once it is reaped.
    busy: busy(),
    folders: readdirSync(temporary),
  });
  await expect.poll(left, { timeout: patience(20_000) }).toEqual({ sessions: [0, 0], busy: false, folders: [] });
}

test.each(kinds)("%s: when the caller goes away the probe ends, with its sessions on both sides", async (kind) => {
  await lock[kind]();
  try {
    const call = ask({ source: { url: url(kind) }, target: { url: other(kind) }, options: {} });
    await until("the probe waits for the lock", waiting[kind]);
    call.leave();
    await nothingLeft(kind);
  } finally {
    await unlock[kind]();
  }
});

test.each(kinds)("%s: at the deadline the caller is told that it took too long, and nothing is left", async (kind) => {
  await lock[kind]();
  try {
    const answer = await prober.client.preflight({ source: { url: url(kind) }, target: { url: other(kind) } }, options);
    // Both sides where the machine was so slow that the probe did not say so itself.
    const source = expect.objectContaining({ side: "source", code: expect.stringMatching(/timeout/) });
    expect(answer).toMatchObject({ unreachable: expect.arrayContaining([source]) });
    await nothingLeft(kind);
  } finally {
    await unlock[kind]();
  }
});

test.each(kinds)(
  "%s: of a probe that was killed in mid-statement the server ends the session by itself",
  async (kind) => {
    await lock[kind]();
    try {
      const asked = prober.client.preflight({ source: { url: url(kind) }, target: { url: other(kind) } }, options);
      await until("the probe waits for the lock", waiting[kind]);
      for (const { pid, command } of childrenOf(prober.pid)) if (command.length > 0) process.kill(pid, "SIGKILL");
      expect(await asked).toMatchObject({ unreachable: [{ side: "source" }, { side: "target" }] });
      await nothingLeft(kind);
    } finally {
      await unlock[kind]();
    }
  },
);

test("a preflight that asks pg_dump leaves neither its process nor its folder", async () => {
  const source = { url: postgres.url };
  const target = { url: postgres.urlOf("other") };
  const asked = { ...options, exclude: ["held"] };
  expect(await prober.client.preflight({ source, target }, asked)).toMatchObject({ assessment: { type: "transfer" } });
  await nothingLeft("postgres");
  await lock.postgres();
  try {
    const call = ask({ source, target, options: { exclude: ["held"] } });
    await until("the probe waits for the lock", waiting.postgres);
    call.leave();
    await nothingLeft("postgres");
  } finally {
    await unlock.postgres();
  }
});

test("a prober that is stopped ends its children", async () => {
  const own = await startProber({ ROWFERRY_PROBER_IDLE: "3" });
  await until("the idle ones are there", () => childrenOf(own.pid).length === 3);
  const pids = childrenOf(own.pid).map(({ pid }) => pid);
  expect(await own.stop()).toBe(0);
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("a prober that is stopped gives the answers that are on their way first", async () => {
  const own = await startProber({ ROWFERRY_GUARD_ALLOW: "127.0.0.1/32", ROWFERRY_PROBER_TEST_SECONDS: "4" });
  const hole = await startRogue(silent);
  try {
    const asked = own.client.test({ url: `mysql://a:b@127.0.0.1:${hole.port}/c` });
    await until("the probe dials", () => hole.connections() === 1);
    process.kill(own.pid, "SIGTERM");
    expect(await asked).toMatchObject({ unreachable: [{ code: "connection_timeout" }] });
    expect(await own.stop()).toBe(0);
  } finally {
    hole.close();
  }
});

test("children end by themselves when the prober is killed", async () => {
  const own = await startProber({ ROWFERRY_PROBER_IDLE: "2" });
  await until("the idle ones are there", () => childrenOf(own.pid).length === 2);
  const pids = childrenOf(own.pid).map(({ pid }) => pid);
  process.kill(own.pid, "SIGKILL");
  await own.stop();
  const isThere = (pid: number) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };
  await expect.poll(() => pids.filter(isThere)).toEqual([]);
});
