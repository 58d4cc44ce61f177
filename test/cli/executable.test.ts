import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildExecutable } from "../../dev/executable.ts";
import { run } from "./process.ts";
import { type Servers, startServers } from "./servers.ts";

/** The single executable, where there is no Node and nothing of the clone. */
const folder = mkdtempSync(join(tmpdir(), "executable-test-"));
const file = join(folder, "bin", "rowferry");
const empty = join(folder, "empty");
let servers: Servers;

beforeAll(async () => {
  mkdirSync(empty);
  await buildExecutable(file);
  servers = await startServers();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await servers?.stop();
});

/** In an empty folder, with a PATH that has nothing. */
const alone = ["env", "-C", empty, `PATH=${empty}`, file];

it("tells its version and its help, and ends with 2 where it is called wrongly", async () => {
  expect((await run(["--version"], { by: alone })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await run(["copy", "--help"], { by: alone })).stdout).toContain("rowferry copy mysql://");
  const wrong = await run(["copi"], { by: alone });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("did you mean copy?")]);
});

it("copies and verifies a database, and takes it back", async () => {
  const [source, target] = [await servers.database("mysql"), await servers.database("postgres")];
  await source.session.query("CREATE TABLE t (id int PRIMARY KEY, note varchar(40) NOT NULL DEFAULT 'x')");
  await source.session.query("INSERT INTO t (id) VALUES (1), (2), (3)");
  const env = { ROWFERRY_SOURCE_PASSWORD: source.password, ROWFERRY_TARGET_PASSWORD: target.password };
  const report = join(folder, "report.json");
  const copied = await run(["copy", source.bare, target.bare, "--verify", "checksum", "--report", report], {
    env,
    by: alone,
  });
  expect(copied.code, copied.stderr).toBe(0);
  expect(copied.stderr).not.toMatch(/ExperimentalWarning/);
  expect((await target.session.query("SELECT count(*), min(note) FROM t"))[0]).toEqual(["3", "x"]);
  const equal = await run(["verify", source.bare, target.bare], { env, by: alone });
  expect(equal.code, equal.stderr).toBe(0);
  const reset = await run(["reset", target.bare, "--report", report, "--yes"], { env, by: alone });
  expect(reset.code, reset.stderr).toBe(0);
  await expect(target.session.query("SELECT 1 FROM t")).rejects.toThrow(/exist/);
});
