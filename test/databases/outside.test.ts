import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { type DatabaseKind, kinds } from "../../dev/databases/kinds.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { databasePlace, placeVariable } from "../../dev/databases/place.ts";
import { run } from "../../dev/terminal/run.ts";
import { connect } from "./connect.ts";

const commandLine = (pid: number) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");

async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come true in 10 s`);
    await pause(20);
  }
}

// npm's releases of PostgreSQL run from the same root file system; test/engine/run/servers.test.ts starts each of them.
const own = (Object.keys(kinds) as DatabaseKind[]).filter((kind) => !("release" in kinds[kind]));

/** The drivers' codes. */
const refusals = {
  mysql: {
    forbidden: "ER_DBACCESS_DENIED_ERROR",
    wrongPassword: "ER_ACCESS_DENIED_ERROR",
    strangerCa: "HANDSHAKE_SSL_ERROR",
  },
  postgres: { forbidden: "42501", wrongPassword: "28P01", strangerCa: "SELF_SIGNED_CERT_IN_CHAIN" },
};

describe.each(own)("%s", (kind) => {
  const codes = refusals[kinds[kind].engine === "postgres" ? "postgres" : "mysql"];
  let database: Database;
  beforeAll(async () => {
    database = await startDatabase(kind);
  });
  afterAll(() => database?.stop());

  test("lets app work in its database and nowhere else", async () => {
    const app = await connect(kind, database.url);
    await app.query("CREATE TABLE t (id int PRIMARY KEY, word varchar(50))");
    await app.query("INSERT INTO t VALUES (1, 'größer 漢字')");
    expect(await app.query("SELECT word FROM t")).toEqual([["größer 漢字"]]);
    await expect(app.query("CREATE DATABASE other")).rejects.toMatchObject({ code: codes.forbidden });
    await app.end();
  });

  test("lets the administrator do everything", async () => {
    const admin = await connect(kind, database.adminUrl);
    await admin.query("CREATE DATABASE other");
    await admin.end();
    const other = await connect(kind, database.urlOf("other", "admin"));
    expect(await other.query("SELECT 1")).toEqual([["1"]]);
    await other.end();
  });

  test("refuses a wrong password", async () => {
    await expect(connect(kind, database.url.replace(database.password, "wrong"))).rejects.toMatchObject({
      code: codes.wrongPassword,
    });
  });

  test("speaks TLS with a certificate that names its address", async () => {
    const session = await connect(kind, database.url.replace("127.0.0.1", "localhost"), database.ca);
    await session.end();
    const stranger = (await startDatabaseAuthority(kind)).ca;
    await expect(connect(kind, database.url.replace("127.0.0.1", "localhost"), stranger)).rejects.toMatchObject({
      code: codes.strangerCa,
    });
  });

  test("keeps what was committed through a SIGKILL and an orderly stop", async () => {
    const before = database.pid;
    expect(await commandLine(before)).toContain("/data/db");
    await database.restart("kill");
    expect(database.pid).not.toBe(before);
    await database.down();
    expect(database.pid).toBe(0);
    await database.up();
    const app = await connect(kind, database.url);
    expect(await app.query("SELECT count(*) FROM t")).toEqual([["1"]]);
    await app.end();
  });

  // PostgreSQL's backends outlive a killed server for a moment, and hold what the next one needs.
  test("starts again after each SIGKILL while its sessions are at work", async () => {
    const busy =
      kinds[kind].engine === "postgres"
        ? "SELECT count(*) FROM generate_series(1, 1000000000)"
        : "SELECT benchmark(1000000000, sha1('x'))";
    for (let round = 0; round < 3; round++) {
      const sessions = await Promise.all(Array.from({ length: 8 }, () => connect(kind, database.url)));
      const lost = Promise.allSettled(sessions.map((session) => session.query(busy)));
      await database.restart("kill");
      expect((await lost).map(({ status }) => status)).toEqual(sessions.map(() => "rejected"));
    }
  });
});

/** Another kind's authority: certificates of this one are not signed by it. */
async function startDatabaseAuthority(kind: DatabaseKind): Promise<{ ca: string }> {
  const other = await startDatabase(kind === "postgres" ? "postgres-old" : "postgres");
  await other.stop();
  return other;
}

test("MySQL stores passwords the way that new servers do", async () => {
  const database = await startDatabase("mysql");
  const admin = await connect("mysql", database.adminUrl);
  expect(await admin.query("SELECT DISTINCT plugin FROM user WHERE user IN ('app', 'root') AND host = '%'")).toEqual([
    ["caching_sha2_password"],
  ]);
  await admin.end();
  await database.stop();
});

test("a server takes arguments", async () => {
  const database = await startDatabase("postgres", { args: ["-c", "max_connections=7"] });
  const app = await connect("postgres", database.url);
  expect(await app.query("SHOW max_connections")).toEqual([["7"]]);
  await app.end();
  await database.stop();
});

test.each(["postgres", "mysql"] as const)("%s on a small disk fails the write that does not fit", async (kind) => {
  const database = await startDatabase(kind, { diskMegabytes: kind === "mysql" ? 220 : 120 });
  const app = await connect(kind, database.url);
  await app.query(kind === "mysql" ? "CREATE TABLE big (x longblob)" : "CREATE TABLE big (x text)");
  // What does not compress: PostgreSQL would store a repeated text in a few pages.
  const value =
    kind === "mysql"
      ? "repeat('x', 2000000)"
      : "(SELECT string_agg(md5(n::text || random()), '') FROM generate_series(1, 60000) n)";
  const fill = async () => {
    for (let n = 0; n < 200; n++) await app.query(`INSERT INTO big SELECT ${value}`);
  };
  await expect(fill()).rejects.toMatchObject(
    kind === "mysql"
      ? { errno: 1114, message: "The table 'big' is full" }
      : { code: "53100", message: expect.stringMatching(/": No space left on device$/) },
  );
  await app.end();
  await database.stop();
});

test("nothing is left when the process that started a server is killed", async () => {
  const place = await mkdtemp(join(databasePlace(process.env), "killed-"));
  const folders = () => readdir(place);
  const script = `
    import { startDatabase } from ${JSON.stringify(new URL("../../dev/databases/index.ts", import.meta.url).href)};
    console.log((await startDatabase("postgres")).pid);
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, [placeVariable]: place },
  });
  // A child that outlives a failed test would keep the runner from its end.
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await until(async () => (await folders()).length === 0, "the folder's deletion");
    await rm(place, { recursive: true });
  });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const pid = Number(line);
  expect(await commandLine(pid)).toContain("postgres");
  expect(await folders()).toEqual([expect.stringMatching(/^rowferry-database-/)]);
  child.kill("SIGKILL");
  await until(async () => !existsSync(`/proc/${pid}`), "the server's end");
  await until(async () => (await folders()).length === 0, "the folder's deletion");
});

test("pg_dump runs on this machine and reads both PostgreSQL versions", async () => {
  const folder = await pgTools();
  const { stdout } = await run(`${folder}/pg_dump`, ["--version"]);
  expect(Number(/(\d+\.\d+)/.exec(stdout)?.[1])).toBeGreaterThanOrEqual(18.6);
  for (const kind of ["postgres", "postgres-old"] as const) {
    const database = await startDatabase(kind);
    const dumped = await run(`${folder}/pg_dump`, ["--create", database.url]);
    expect(dumped.stdout).toContain("CREATE DATABASE app");
    await database.stop();
  }
});
