import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportSchema } from "../../src/engine/report/schema.ts";
import { assessmentSchema } from "../../src/resources/assessment.ts";
import { until } from "../worker/until.ts";
import { entry, run, start } from "./process.ts";
import { type Fresh, type Servers, startServers } from "./servers.ts";

/** The command line as a process, between real servers. */
let servers: Servers;
let source: Fresh;
const rows = 30_000;
const folder = mkdtempSync(join(tmpdir(), "cli-"));
const hostile = "na\u001b]0;me\u202eb\u0007";

beforeAll(async () => {
  servers = await startServers();
  source = await servers.database("mysql");
  await source.session.query("CREATE TABLE customer (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40) NOT NULL)");
  await source.session.query("INSERT INTO customer (name) VALUES ('Ada'), ('Grace'), ('Linus')");
  await source.session.query(`CREATE TABLE \`${hostile}\` (id INT PRIMARY KEY, v INT)`);
  await source.session.query(`INSERT INTO \`${hostile}\` VALUES (1, 2)`);
  await source.session.query("SET SESSION cte_max_recursion_depth = 1000000");
  await source.session.query("CREATE TABLE orders (id INT PRIMARY KEY, note VARCHAR(200))");
  await source.session.query(`INSERT INTO orders WITH RECURSIVE n (i) AS
    (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT i, REPEAT(CHAR(97 + i % 26), 120) FROM n`);
});
afterAll(() => servers?.stop());

const tools = () => ({ ROWFERRY_PG_BIN: servers.tools });
const passwords = (to: Fresh) => ({
  ...tools(),
  ROWFERRY_SOURCE_PASSWORD: source.password,
  ROWFERRY_TARGET_PASSWORD: to.password,
});
const one = async (where: Fresh, sql: string) => (await where.session.query(sql))[0]?.[0];
const fences = (where: Fresh) => one(where, "SELECT count(*) FROM pg_tables WHERE tablename = '_rowferry'");

describe("rowferry copy", () => {
  it("copies and verifies, prints one JSON object, tells events as JSON lines, and writes the reports", async () => {
    const target = await servers.database("postgres");
    const [json, page, text] = ["r.json", "r.html", "r.md"].map((name) => join(folder, name));
    const reports = ["--report", `${json}`, "--report", `${page}`, "--report", `${text}`];
    const { code, stdout, stderr } = await run(
      ["copy", source.bare, target.bare, "--json", "--progress", "json", ...reports],
      { env: passwords(target) },
    );
    expect(code, stderr).toBe(0);
    const answer = JSON.parse(stdout) as { report: unknown };
    expect(answer).toMatchObject({
      command: "copy",
      outcome: "done",
      run: expect.stringMatching(/^cli-[0-9a-f]{24}$/),
    });
    const report = reportSchema.parse(answer.report);
    expect(report.tables.map((table) => table.rows.target).sort()).toEqual([1, 3, rows].sort());
    expect(JSON.parse(readFileSync(`${json}`, "utf8"))).toEqual(report);
    expect(readFileSync(`${page}`, "utf8")).toContain("<!doctype html>");
    expect(readFileSync(`${text}`, "utf8")).toMatch(/^# mysql:/);
    const events = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string; phase?: string });
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["log", "measured", "progress"]));
    expect(events.filter(({ event }) => event === "progress").map(({ phase }) => phase)).toContain("copying");
    expect(await one(target, "SELECT count(*) || ' ' || sum(length(note)) FROM orders")).toBe(`${rows} ${rows * 120}`);
    expect(await fences(target)).toBe("0");
    for (const written of [stdout, stderr, readFileSync(`${json}`, "utf8")]) {
      expect(written).not.toContain(source.password);
      expect(written).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it("says in words what was done, and nothing that came from a database steers the terminal", async () => {
    const target = await servers.database("postgres");
    const { code, stdout, stderr } = await run(["copy", source.url, target.url], { env: tools() });
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("Copied and verified 3 tables with 30,004 rows");
    expect(stderr).toContain("The source's password is in the command line");
    for (const written of [stdout, stderr]) {
      expect(written).not.toContain(source.password);
      expect(written).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  it("honours the options", async () => {
    const target = await servers.database("postgres");
    const words = ["copy", source.bare, target.bare, "--include", "customer", "--schemas", `${source.name}=crm`];
    const { code, stderr } = await run(words, { env: passwords(target) });
    expect(code, stderr).toBe(0);
    const there =
      "SELECT string_agg(schemaname || '.' || tablename, ',') FROM pg_tables WHERE schemaname !~ '^(pg_|info)'";
    expect(await one(target, there)).toBe("crm.customer");
  });

  it.each([
    ["the engine's own variables", () => ({ MYSQL_PWD: source.password, PGPASSWORD: servers.postgres.password }), []],
    [
      "files",
      () => ({}),
      ["--source-password-file", join(folder, "secret"), "--target-password-file", join(folder, "secret")],
    ],
  ])("takes passwords from %s", async (_name, env, flags) => {
    const target = await servers.database("postgres");
    writeFileSync(join(folder, "secret"), `${source.password}\n`, { mode: 0o600 });
    const words = ["copy", source.bare, target.bare, "--include", "customer", ...flags];
    const { code, stderr } = await run(words, { env: { ...tools(), ...env() } });
    expect(code, stderr).toBe(0);
    expect(stderr).not.toMatch(/password is in the command line|may read the file/);
  });

  it("asks for a password at a terminal, shows nothing of it, and draws bars that leave the screen clean", async () => {
    const target = await servers.database("postgres");
    const line = `exec '${process.execPath}' '${entry}' copy '${source.bare}' '${target.url}' --include customer`;
    const env = { ...tools(), TERM: "xterm", SHELL: "/bin/sh" };
    const command = start([], { env, by: ["script", "-qec", line, "/dev/null"] });
    await until("the prompt", () => command.stdout().includes("Password of app at 127.0.0.1"));
    command.type(`x\u007f${source.password}\r`);
    expect((await command.ended).code, command.stdout()).toBe(0);
    expect(command.stdout()).not.toContain(source.password);
    expect(command.stdout()).toMatch(/█|░/);
    expect(command.stdout().replace(/[\s\S]*\u001b\[J/, "")).toContain("Copied and verified 1 table with 3 rows");
  });

  it("fails with 1, names the cause, and leaves a target alone that is not empty", async () => {
    const target = await servers.database("postgres");
    await target.session.query("CREATE TABLE customer (id int)");
    const { code, stdout, stderr } = await run(["copy", source.bare, target.bare, "--json"], {
      env: passwords(target),
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "failed",
      error: { code: "target_not_empty", retryable: false, message: expect.stringContaining("customer") },
    });
    expect(stderr).toMatch(
      /rowferry: nothing was written: 1 blocker \(target_not_empty\)\n {2}\S*customer: the target has objects of these names\n {4}→ [^\n]+\n {2}If an earlier copy made them: rowferry reset TARGET/,
    );
    expect(stderr).toContain("(target_not_empty)");
    expect(await fences(target)).toBe("0");
  });

  it("ends at once, with one message, where the source's database does not exist", async () => {
    const target = await servers.database("postgres");
    const nowhere = source.bare.replace(/[^/]*$/, "nosuch");
    const { code, stderr } = await run(["copy", nowhere, target.bare], { env: passwords(target) });
    expect(code).toBe(1);
    expect(stderr.match(/unknown source database/g)).toHaveLength(1);
    expect(stderr).not.toContain("The check for blockers failed");
  });

  it("names the ways to give a password, where none was given", async () => {
    const target = await servers.database("postgres");
    const env = { ROWFERRY_TARGET_PASSWORD: target.password };
    const { code, stderr } = await run(["copy", source.bare, target.bare], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("set ROWFERRY_SOURCE_PASSWORD, or pass --source-password-file FILE");
    expect(stderr).not.toContain("user:password@host");
  });

  it("fails with 1 and without a secret when a password is wrong", async () => {
    const target = await servers.database("postgres");
    const wrong = "wr0ng pass%'\"é";
    const env = { ...passwords(target), ROWFERRY_SOURCE_PASSWORD: wrong };
    const { code, stdout, stderr } = await run(["copy", source.bare, target.bare, "--json"], { env });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "access_denied" } });
    expect(stdout + stderr).not.toContain(wrong);
  });
});

describe("Ctrl-C", () => {
  /** Waits until the table is there in the target, then locks it, so that the copy cannot end. */
  async function hold(target: Fresh) {
    await until(
      "orders in the target",
      async () => (await one(target, "SELECT count(*) FROM pg_tables WHERE tablename = 'orders'")) === "1",
    );
    await target.session.query("BEGIN");
    await target.session.query("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE");
  }

  it("ends in order and says how to go on; the same command then does, and no row is lost or doubled", async () => {
    const target = await servers.database("postgres");
    const words = ["copy", source.bare, target.bare, "--json"];
    const command = start(words, { env: passwords(target) });
    await hold(target);
    command.signal("SIGINT");
    expect((await command.ended).code, command.stderr()).toBe(130);
    await target.session.query("COMMIT");
    expect(command.stderr()).toContain("Run the same command again to resume");
    expect(JSON.parse(command.stdout())).toMatchObject({
      outcome: "failed",
      error: { code: "interrupted", retryable: true },
    });
    expect(await fences(target)).toBe("1");
    const again = await run(words, { env: passwords(target) });
    expect(again.code, again.stderr).toBe(0);
    expect(await one(target, "SELECT count(*) || ' ' || count(DISTINCT id) FROM orders")).toBe(`${rows} ${rows}`);
    expect(await fences(target)).toBe("0");
  });

  it("with another selection it drops nothing of the run that was cut off, and names it", async () => {
    const target = await servers.database("postgres");
    const command = start(["copy", source.bare, target.bare], { env: passwords(target) });
    await hold(target);
    command.signal("SIGKILL");
    await command.ended;
    await target.session.query("COMMIT");
    const [, name] = /as run (cli-\w+)/.exec(command.stderr()) ?? [];
    const other = await run(["copy", source.bare, target.bare, "--include", "customer"], { env: passwords(target) });
    expect(other.code, other.stderr).toBe(1);
    expect(other.stderr).toContain("(target_in_use)");
    expect(other.stderr).toContain(`${name}`);
    expect(await one(target, "SELECT count(*) FROM pg_tables WHERE tablename IN ('orders', 'customer')")).toBe("2");
    const again = await run(["copy", source.bare, target.bare], { env: passwords(target) });
    expect(again.code, again.stderr).toBe(0);
  });

  it("and worse: after a kill, reset takes away exactly what was made", async () => {
    const target = await servers.database("postgres");
    await target.session.query("CREATE TABLE mine (id int)");
    await target.session.query("INSERT INTO mine VALUES (7)");
    const words = ["copy", source.bare, target.bare];
    const command = start(words, { env: passwords(target) });
    await hold(target);
    command.signal("SIGKILL");
    await command.ended;
    await target.session.query("COMMIT");

    const env = { ROWFERRY_TARGET_PASSWORD: target.password };
    const asked = await run(["reset", target.bare], { env });
    expect(asked.code).toBe(2);
    const [, name] = /add --run (\S+)/.exec(asked.stderr) ?? [];
    expect(name, asked.stderr).toMatch(/^cli-/);
    const other = await run(["reset", target.bare, "--run", "somebody-else", "--yes"], { env });
    expect(other.code, other.stderr).toBe(1);
    const shown = await run(["reset", target.bare, "--run", `${name}`], { env });
    expect(shown.code).toBe(2);
    expect(shown.stderr).toMatch(/the run cli-\w+ made \d+ objects:\n[\s\S]*orders[\s\S]*add --yes to drop these/);
    expect(await one(target, "SELECT count(*) FROM pg_tables WHERE tablename = 'orders'")).toBe("1");

    const done = await run(["reset", target.bare, "--run", `${name}`, "--yes", "--json"], { env });
    expect(done.code, done.stderr).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ command: "reset", outcome: "done", dropped: true, left: [] });
    const left = "SELECT string_agg(tablename, ',') FROM pg_tables WHERE schemaname !~ '^(pg_|info)'";
    expect(await one(target, left)).toBe("mine");
    expect(await one(target, "SELECT id FROM mine")).toBe("7");
  });
});

describe("rowferry assess", () => {
  it("says what a copy would do and writes nothing; what stands in the way ends with 1", async () => {
    const target = await servers.database("postgres");
    const env = passwords(target);
    const ready = await run(["assess", source.bare, target.bare], { env });
    expect(ready.code, ready.stderr).toBe(0);
    expect(ready.stdout).toMatch(/^Ready: /);
    expect(ready.stdout).toMatch(/Estimate {3}(about )?\d+s/);
    expect(ready.stdout + ready.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    await target.session.query("CREATE TABLE customer (id int)");
    const blocked = await run(["assess", source.bare, target.bare, "--json"], { env });
    expect(blocked.code, blocked.stderr).toBe(1);
    const { outcome, assessment } = JSON.parse(blocked.stdout);
    expect(outcome).toBe("blocked");
    const { assessed_at: assessedAt, estimate, ...rest } = assessment;
    const { latency_ms: latencyMs, ...estimated } = estimate;
    const found = assessmentSchema.parse({ ...rest, assessedAt, estimate: { ...estimated, latencyMs } });
    expect(found.findings[0]).toMatchObject({
      severity: "blocker",
      code: "target_not_empty",
    });
    expect(await fences(target)).toBe("0");
  });
});

describe("rowferry verify", () => {
  it("finds two databases equal, then one changed value, and names its key with exit code 3", async () => {
    const target = await servers.database("postgres");
    const env = passwords(target);
    expect((await run(["copy", source.bare, target.bare], { env })).code).toBe(0);
    const equal = await run(["verify", source.bare, target.bare], { env });
    expect(equal.code, equal.stderr).toBe(0);
    expect(equal.stdout).toMatch(/values? of 30,004 rows in 3 tables/);
    await target.session.query("UPDATE orders SET note = 'x' || substr(note, 2) WHERE id = 4711");
    await target.session.query("DELETE FROM customer WHERE id = 3");
    const different = await run(["verify", source.bare, target.bare, "--json"], { env });
    expect(different.code, different.stderr).toBe(3);
    const { outcome, report } = JSON.parse(different.stdout);
    expect(outcome).toBe("different");
    expect(report.verification.differences).toHaveLength(2);
    const words = await run(["verify", source.bare, target.bare], { env });
    expect(words.stdout).toMatch(/different: \S*4711/);
    expect(words.stdout).toMatch(/missing: \S*3/);
    const counts = await run(["verify", source.bare, target.bare, "--level", "counts", "--include", "orders"], {
      env,
    });
    expect(counts.code, counts.stderr).toBe(0);
    expect(counts.stdout).not.toContain("only in the target");
  });
});

describe("rowferry reset", () => {
  it("drops what a completed run made, by its report, and only what is still the same", async () => {
    const target = await servers.database("postgres");
    const report = join(folder, "completed.json");
    const copied = await run(["copy", source.bare, target.bare, "--report", report], { env: passwords(target) });
    expect(copied.code, copied.stderr).toBe(0);
    await target.session.query("DROP TABLE orders");
    await target.session.query("CREATE TABLE orders (of_mine int)");
    const env = { ROWFERRY_TARGET_PASSWORD: target.password };
    const done = await run(["reset", target.bare, "--report", report, "--yes", "--json"], { env });
    expect(done.code, done.stderr).toBe(0);
    const { dropped, counts, left: kept } = JSON.parse(done.stdout);
    expect(kept.join()).toContain("orders");
    expect({ dropped, counts }).toEqual({ dropped: true, counts: { dropped: 2, absent: 0, left: 1 } });
    const left = "SELECT string_agg(tablename, ',') FROM pg_tables WHERE schemaname !~ '^(pg_|info)'";
    expect(await one(target, left)).toBe("orders");
  });

  it("leaves what others made on the run's tables, says what holds it, and leaves no table of its own", async () => {
    const target = await servers.database("postgres");
    const report = join(folder, "held.json");
    const copied = await run(["copy", source.bare, target.bare, "--report", report], { env: passwords(target) });
    expect(copied.code, copied.stderr).toBe(0);
    await target.session.query("CREATE VIEW of_mine AS SELECT id FROM customer");
    const env = { ROWFERRY_TARGET_PASSWORD: target.password };
    const { code, stderr } = await run(["reset", target.bare, "--report", report, "--yes"], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("(dependents_exist)");
    expect(await one(target, "SELECT count(*) FROM of_mine")).toBe("3");
    expect(await fences(target)).toBe("0");
  });

  it("says when there is nothing to reset", async () => {
    const target = await servers.database("postgres");
    const env = { ROWFERRY_TARGET_PASSWORD: target.password };
    const { code, stderr } = await run(["reset", target.bare, "--run", "x", "--yes"], { env });
    expect(code).toBe(1);
    expect(stderr).toContain("(nothing_to_reset)");
  });

  it.each(["mysql", "postgres"] as const)(
    "drops nothing in a %s database that the URL does not name, and says what it did not find",
    async (kind) => {
      const [target, other] = [await servers.database(kind), await servers.database(kind)];
      const report = join(folder, `${target.name}.json`);
      const flags = ["--include", "customer", "--report", report];
      const copied = await run(["copy", source.bare, target.bare, ...flags], { env: passwords(target) });
      expect(copied.code, copied.stderr).toBe(0);
      const reset = (where: Fresh) =>
        run(["reset", where.bare, "--report", report, "--yes"], {
          env: { ROWFERRY_TARGET_PASSWORD: where.password },
        });

      const wrong = await reset(other);
      expect(wrong.code, wrong.stdout).toBe(1);
      expect(wrong.stderr).toContain(`this report is of database ${target.name}, not ${other.name}`);
      expect(await one(target, "SELECT count(*) FROM customer")).toBe("3");

      const right = await reset(target);
      expect(right.code, right.stderr).toBe(0);
      expect(right.stdout).toMatch(/^Dropped [1-9]\d* objects? that the run made in [^.]+\.\d\.\d\.\d:\d+\/\w+\.$/m);
      const again = await reset(target);
      expect(again.code, again.stderr).toBe(0);
      expect(again.stdout).toMatch(
        /^Nothing was dropped in .*\. [1-9]\d* objects? of the list (was|were) gone already: /m,
      );
    },
  );

  it("takes --run or --report, not both", async () => {
    const words = ["reset", source.bare, "--run", "x", "--report", "package.json"];
    const { code, stderr } = await run(words, {});
    expect(code).toBe(2);
    expect(stderr).toContain("--run and --report name two different runs");
  });

  it("refuses a file that is no report", async () => {
    const target = await servers.database("postgres");
    const { code, stderr } = await run(["reset", target.bare, "--report", "package.json"], {});
    expect(code).toBe(2);
    expect(stderr).toContain("is not a report of Rowferry");
    expect(existsSync("package.json")).toBe(true);
  });
});
