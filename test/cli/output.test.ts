import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportSchema } from "../../src/engine/report/schema.ts";
import { until } from "../worker/until.ts";
import { entry, run, start } from "./process.ts";
import { type Fresh, type Servers, startServers } from "./servers.ts";

/** Results that cannot be written, and words that speak of the command line. */
let servers: Servers;
let source: Fresh;
const folder = mkdtempSync(join(tmpdir(), "cli-output-"));

beforeAll(async () => {
  servers = await startServers();
  source = await servers.database("mysql");
  await source.session.query("CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL)");
  await source.session.query("INSERT INTO customer VALUES (1, 'Ada'), (2, 'Grace'), (3, 'Linus')");
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await servers?.stop();
});

const passwords = (to: Fresh) => ({
  ROWFERRY_SOURCE_PASSWORD: source.password,
  ROWFERRY_TARGET_PASSWORD: to.password,
});
const one = async (where: Fresh, sql: string) => (await where.session.query(sql))[0]?.[0];
const fences = (where: Fresh) => one(where, "SELECT count(*) FROM pg_tables WHERE tablename = '_rowferry'");
/** By a shell, which opens what the words after it say. */
const shell = (line: string) => ["bash", "-c", `exec "${process.execPath}" "${entry}" "$@" ${line}`, "rowferry"];

/** Words of a run whose target is complete and has its `_rowferry` still: the report comes without copying. */
async function comesAgain(words: readonly string[], target: Fresh): Promise<void> {
  expect(await fences(target)).toBe("1");
  const again = await run(words, { env: passwords(target) });
  expect(again.code, again.stderr).toBe(0);
  expect(again.stderr).toContain("the copy was finished and verified by an earlier attempt");
  expect(reportSchema.parse(JSON.parse(again.stdout).report).tables).toHaveLength(1);
  expect(await fences(target)).toBe("0");
}

describe("a copy is complete, and what was found", () => {
  it("cannot be printed: it says so, and the same command prints it again", async () => {
    const target = await servers.database("postgres");
    const words = ["copy", source.bare, target.bare, "--json"];
    const { code, stderr } = await run(words, { env: passwords(target), by: shell(">/dev/full") });
    expect(code).toBe(1);
    expect(stderr).toContain(
      "the copy is complete and verified, but its result could not be printed on stdout: no space is left there (ENOSPC)",
    );
    expect(stderr).toContain("(result_not_written)");
    expect(stderr).not.toMatch(/node:|at .*\.[jt]s:\d|To drop what was made/);
    await comesAgain(words, target);
  });

  it("is too much for the file that stdout is: it is not called done after a part of it", async () => {
    const target = await servers.database("postgres");
    const words = ["copy", source.bare, target.bare, "--json"];
    const file = join(folder, "short.json");
    // A file of at most 1 KiB: the write takes some of the report, and an error only then.
    const by = [
      "bash",
      "-c",
      `ulimit -f 1; trap '' XFSZ; "${process.execPath}" "${entry}" "$@" >"${file}"`,
      "rowferry",
    ];
    const { code, stderr } = await run(words, { env: passwords(target), by });
    expect(code, stderr).toBe(1);
    expect(stderr).toContain("could not be printed on stdout: EFBIG");
    await comesAgain(words, target);
  });

  it("cannot be stored in a file: it says so, prints the report, which reset takes, and leaves no part of it", async () => {
    const target = await servers.database("postgres");
    const gone = join(folder, "gone");
    mkdirSync(gone);
    const words = ["copy", source.bare, target.bare, "--report", join(gone, "r.json")];
    await source.session.query("LOCK TABLES customer WRITE");
    const command = start(words, { env: passwords(target) });
    await until("the copy's beginning", () => command.stderr().includes("Copying mysql"));
    rmSync(gone, { recursive: true });
    await source.session.query("UNLOCK TABLES");
    const { code } = await command.ended;
    expect(code, command.stderr()).toBe(1);
    expect(command.stderr()).toContain(
      `the copy is complete and verified, but the report could not be written to ${join(gone, "r.json")}: the folder does not exist (ENOENT); it is printed on stdout instead`,
    );
    const answer = JSON.parse(command.stdout());
    expect(answer).toMatchObject({ command: "copy", outcome: "failed", error: { code: "result_not_written" } });
    reportSchema.parse(answer.report);
    await comesAgain([...words.slice(0, 3), "--json"], target);
    const kept = join(folder, "printed.json");
    writeFileSync(kept, command.stdout());
    const reset = await run(["reset", target.bare, "--report", kept, "--yes"], { env: passwords(target) });
    expect(reset.code, reset.stderr).toBe(0);
    expect(await one(target, "SELECT count(*) FROM pg_tables WHERE tablename = 'customer'")).toBe("0");
  });

  it("cannot be stored in a pipe whose reader has gone", async () => {
    const target = await servers.database("postgres");
    const pipe = join(folder, "pipe.json");
    execFileSync("mkfifo", [pipe]);
    const reader = await open(pipe, "r+");
    const words = ["copy", source.bare, target.bare, "--json", "--report", pipe];
    await source.session.query("LOCK TABLES customer WRITE");
    const command = start(words, { env: passwords(target) });
    await until("the copy's beginning", () => command.stderr().includes("Copying mysql"));
    await reader.close();
    await source.session.query("UNLOCK TABLES");
    expect((await command.ended).code, command.stderr()).toBe(1);
    expect(command.stderr()).toContain(`${pipe}: its reader has gone (EPIPE)`);
    expect(reportSchema.parse(JSON.parse(command.stdout()).report).tables).toHaveLength(1);
    await comesAgain([...words.slice(0, 3), "--json"], target);
  });
});

it("a report goes into a process of the shell", async () => {
  const target = await servers.database("postgres");
  const file = join(folder, "r.gz");
  const words = ["copy", source.bare, target.bare];
  const by = shell(`--report >(gzip >"${file}.new" && mv "${file}.new" "${file}")`);
  const { code, stderr } = await run(words, { env: passwords(target), by });
  expect(code, stderr).toBe(0);
  await until("gzip's end", () => readdirSync(folder).includes("r.gz"));
  reportSchema.parse(JSON.parse(execFileSync("gzip", ["-dc", file], { encoding: "utf8" })));
});

it("a comparison whose answer cannot be printed ends with 1 and without a stack", async () => {
  const target = await servers.database("postgres");
  expect((await run(["copy", source.bare, target.bare], { env: passwords(target) })).code).toBe(0);
  const by = shell(">/dev/full");
  const { code, stderr } = await run(["verify", source.bare, target.bare], { env: passwords(target), by });
  expect(code).toBe(1);
  expect(stderr).toContain("rowferry verify is done, but its result could not be printed on stdout");
  const help = await run(["--help"], { by });
  expect(help).toMatchObject({
    code: 1,
    stderr: "rowferry: stdout cannot be written: no space is left there (ENOSPC)\n",
  });
});

describe("words", () => {
  it("call options by their flags", async () => {
    const target = await servers.database("postgres");
    await target.session.query("CREATE SCHEMA app");
    await target.session.query(`CREATE TABLE IF NOT EXISTS app.customer (id int)`);
    const words = ["copy", source.bare, target.bare, "--schemas", `${source.name}=app`, "--json"];
    const { code, stdout, stderr } = await run(words, { env: passwords(target) });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: "target_not_empty",
      message: expect.stringContaining("in --drop"),
    });
    expect(stdout + stderr).not.toContain("options.");
  });

  it.each([
    ["a pattern that matches nothing", "option_unmatched", ["--include", "nothing"]],
    ["a type that is none", "option_invalid", ["--types", "customer.name=no_such_type"]],
  ])("do not speak of what was made where nothing was: %s", async (_name, error, flags) => {
    const target = await servers.database("postgres");
    const { code, stderr } = await run(["copy", source.bare, target.bare, ...flags], { env: passwords(target) });
    expect(code).toBe(2);
    expect(stderr).toContain(`(${error})`);
    expect(stderr).not.toContain("To drop what was made");
    expect(stderr).not.toContain("options.");
    expect(await one(target, "SELECT count(*) FROM pg_tables WHERE schemaname !~ '^(pg_|info)'")).toBe("0");
  });

  it("of a copy without rows do not say that rows were counted", async () => {
    const target = await servers.database("postgres");
    const page = join(folder, "schema.html");
    const words = ["copy", source.bare, target.bare, "--content", "schema", "--report", page];
    const { code, stdout, stderr } = await run(words, { env: passwords(target) });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("Made 1 table without rows, as requested.");
    for (const said of [stdout, stderr, readFileSync(page, "utf8")])
      expect(said).not.toMatch(/row counts|rows were counted|Rows read|Rows {2,}\d/);
  });
});
