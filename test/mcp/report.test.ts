import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import type { CopyReport } from "../../src/engine/contract/index.ts";
import { untilStatus, work } from "../api/migrations-play.ts";
import { api, type Person, signUp } from "../api/world.ts";
import { connect } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";
import { connectMcp } from "./client.ts";
import type { McpClient } from "./connect.ts";

/** All that the report has by REST, an agent reads by get-migration-tool; only the kubelet is played. */

const tables = 23;
const long = `-- ${"a remark of some length ".repeat(30)}`;
const steps = Array.from({ length: 40 }, (_, at) => `  SET @step_${at} = ${at};`);

let ann: Person;
let mcp: McpClient;
let databases: Database[];
let id: string;
let report: CopyReport;
let logged: { time: string; level: string; message: string }[];
beforeAll(async () => {
  ann = await signUp();
  mcp = await connectMcp(ann.token, "/mcp-migrations");
});
afterAll(async () => {
  await mcp?.client.close();
  await Promise.all((databases ?? []).map((database) => database.stop()));
});

/** The lines of a list, from its first page to its last. */
async function linesOf(list: string, limit = 20): Promise<string[]> {
  const lines: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await mcp.call("get-migration-tool", { id, list, limit, ...(cursor ? { cursor } : {}) });
    expect(page.isError, page.text).toBe(false);
    const fence = /^<untrusted-(\w+)>.*\n([\s\S]*)\n<\/untrusted-\1>$/.exec(page.data.untrusted ?? "");
    const shown = fence?.[2]?.split("\n") ?? [];
    expect(shown.length, page.text).toBeLessThanOrEqual(limit);
    expect(shown.join("\n")).not.toMatch(/more lines|…/);
    lines.push(...shown);
    cursor = page.data.next_cursor;
  }
  return lines;
}
/** As one text, without regard to where a long line is cut. */
const textOf = async (list: string) => (await linesOf(list)).join(" ");
const inOne = (text: string) => text.replace(/\s+/g, " ").trim();
const reported = () => report.inventory.filter(({ outcome }) => outcome === "reported");

async function copyAll(): Promise<void> {
  databases = [await borrowDatabase("mysql"), await borrowDatabase("postgres")];
  const [mysql, postgres] = databases as [Database, Database];
  const source = await connect("mysql", mysql.url);
  await source.query("SET SESSION sql_mode = ''");
  for (let at = 0; at < tables; at += 1) {
    await source.query(`CREATE TABLE dated_${at} (id INT PRIMARY KEY, day DATE NULL)`);
    await source.query(`INSERT INTO dated_${at} VALUES (1, '0000-00-00'), (2, '2026-01-01')`);
  }
  await source.query(`CREATE PROCEDURE spend()\nBEGIN\n${[long, ...steps].join("\n")}\nEND`);
  await source.query("CREATE PROCEDURE earn() SELECT 'mysql://anna:w0rd@host/db'");
  await source.end();
  const created = await api("/api/migrations", {
    token: ann.token,
    body: { source_url: mysql.url, target_url: postgres.url, options: { verify: "checksum" } },
  });
  id = created.body.migration.id;
  const { code, output } = await work(ann, id);
  expect(code, output).toBe(0);
  await untilStatus(ann, id, "completed");
  const ofRest = async (what: string) => (await api(`/api/migrations/${id}/${what}`, { token: ann.token })).body;
  report = await ofRest("report");
  logged = (await ofRest("logs")).data;
}

/** The copy has something of each part, and the agent is led to the warnings. */
async function leads(): Promise<void> {
  expect(report.warnings.length).toBeGreaterThanOrEqual(tables);
  expect(report.changed_columns).toBe(tables);
  expect(reported().some(({ definition }) => definition?.includes("@step_39"))).toBe(true);
  const { data } = await mcp.call("get-migration-tool", { id });
  expect(data.next).toContain(`The report has ${report.warnings.length} warnings: call get-migration-tool`);
}

/** The single fields are those of REST's report, with the number of changed columns. */
async function fields(): Promise<void> {
  const lists = ["tables", "inventory", "warnings", "verification", "made"];
  const fields = Object.entries(report).filter(([name]) => !lists.includes(name));
  const value = (one: unknown) => (typeof one === "string" ? one : JSON.stringify(one));
  const text = await textOf("report");
  for (const [name, one] of fields) expect(text).toContain(inOne(`${name}: ${value(one)}`));
  expect(text).toContain(`changed_columns: ${tables}`);
}

/** Tables, inventory and what was made are complete and in order. */
async function objects(): Promise<void> {
  expect(await linesOf("tables")).toEqual(
    report.tables.map(
      ({ source, target, rows }) =>
        `table ${source} to ${target}: ${rows.source} rows in the source, ${rows.target} in the target`,
    ),
  );
  expect(await textOf("inventory")).toBe(
    report.inventory
      .map(({ outcome, kind, name, note }) =>
        inOne(`${outcome} ${kind} ${name}${note === undefined ? "" : `: ${note}`}`),
      )
      .join(" "),
  );
  expect(await textOf("made")).toBe(
    report.made
      .map(({ kind, name, id: key }) => `made ${kind} ${name.join(".")}${key === undefined ? "" : `, id ${key}`}`)
      .join(" "),
  );
}

/** What was not copied has its reasons, and the source's text of it without a URL. */
async function losses(): Promise<void> {
  expect(await textOf("not_copied")).toBe(
    reported()
      .map(({ kind, name, note = "" }) => inOne(`not copied, or changed: ${kind} ${name}: ${note}`))
      .join(" "),
  );
  const text = await textOf("definitions");
  const expected = reported().flatMap(({ kind, name, definition }) =>
    definition === undefined ? [] : [inOne(`definition of ${kind} ${name}: ${definition}`)],
  );
  expect(text).toBe(expected.join(" ").replace(/mysql:\/\/\S+/, "[URL]"));
  expect(text).toContain(long.trim());
  expect(text).not.toContain("w0rd");
}

/** Warnings and verification are complete. */
async function warnings(): Promise<void> {
  expect(await textOf("warnings")).toBe(report.warnings.map((one) => inOne(`warning: ${one}`)).join(" "));
  const { level, rows, tables: compared, differences, uncompared } = report.verification ?? ({} as never);
  expect(differences).toEqual([]);
  expect(await linesOf("verification")).toEqual([
    `level: ${level}`,
    `rows: ${rows}`,
    `tables: ${compared}`,
    ...uncompared.map((one: string) => `not compared: ${one}`),
  ]);
  expect(level).toBe("checksum");
}

/** The log is complete. */
async function log(): Promise<void> {
  expect(await textOf("log")).toBe(
    logged.map(({ time, level, message }) => inOne(`log ${time} ${level}: ${message}`)).join(" "),
  );
}

test("all that REST's report and log hold is read by lists, page by page", async () => {
  await copyAll();
  await leads();
  for (const list of ["log", "tables", "definitions"]) expect(await linesOf(list, 100)).toEqual(await linesOf(list));
  await fields();
  await objects();
  await losses();
  await warnings();
  await log();
  const { data } = await mcp.call("get-migration-tool", { id, list: "tables" });
  for (const list of ["log", "report", "not_copied", "verification"])
    for (const cursor of ["x", data.next_cursor])
      expect(await mcp.call("get-migration-tool", { id, list, cursor })).toMatchObject({ isError: true });
});
