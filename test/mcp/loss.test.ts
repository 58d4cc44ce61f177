import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { untilStatus, work } from "../api/migrations-play.ts";
import { api, type Person, signUp } from "../api/world.ts";
import { connect, type Session } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";
import { connectMcp } from "./client.ts";
import type { McpClient } from "./connect.ts";

/** An agent hears of each loss in the target before it happens, and of what works after it; only the kubelet is played. */

let ann: Person;
let mcp: McpClient;
let mysql: Database;
let postgres: Database;
let target: Session;
beforeAll(async () => {
  [ann, mysql, postgres] = await Promise.all([signUp(), borrowDatabase("mysql"), borrowDatabase("postgres")]);
  const source = await connect("mysql", mysql.url);
  await source.query("SET SESSION sql_mode = ''");
  await source.query("CREATE TABLE orders (id INT PRIMARY KEY, day DATE NULL)");
  await source.query("INSERT INTO orders VALUES (1, '0000-00-00'), (2, '2026-01-01')");
  await source.end();
  target = await connect("postgres", postgres.url);
  await target.query("CREATE TABLE orders (id int)");
  await target.query("INSERT INTO orders VALUES (7), (8), (9)");
  mcp = await connectMcp(ann.token, "/mcp-migrations");
});
afterAll(async () => {
  await mcp?.client.close();
  await target?.end();
  await Promise.all([mysql, postgres].map((database) => database?.stop()));
});

const given = (options: object) => ({ source_url: mysql.url, target_url: postgres.url, options });

test("a preview says what options.drop destroys; a run that fails for an option says what works, and a delete what stays", async () => {
  const options = { drop: ["orders"], zero_dates: "fail" };
  const preview = await mcp.call("preview-migration-tool", given(options));
  expect(preview.data, preview.text).toMatchObject({ ready: true, target: { drops: { tables: 1, rows: 3 } } });
  expect(preview.text).toContain("DATA LOSS: options.drop would drop 1 table of the target with all rows in it");
  expect(preview.data.untrusted).toMatch(/target_rows_dropped public\.orders: .* with its 3 rows/);
  const prepared = await mcp.call("prepare-migration-tool", given(options));
  expect(prepared.text).toContain("At its start it drops the 1 table that options.drop names, with all rows.");
  expect(prepared.text).toContain("Options of this run: drop, zero_dates.");
  const { id } = prepared.data.migration;
  expect((await work(ann, id)).code).toBe(2);
  await untilStatus(ann, id, "failed");
  const failed = await mcp.call("get-migration-tool", { id });
  expect(failed.data, failed.text).toMatchObject({ error_code: "zero_date", retryable: false });
  expect(failed.data.next).toContain(`delete ${id}`);
  expect(failed.data.next).toContain("prepare one with that option into a new, empty database");

  const gone = await mcp.call("delete-migration-tool", { id });
  expect(gone.text).toContain("An incomplete copy would stay in the target");
  const deleted = await mcp.call("delete-migration-tool", { id, confirm: true, digest: gone.data.preview.digest });
  expect(deleted.data, deleted.text).toMatchObject({ done: true });
  expect(deleted.data.next).toContain("the target holds an incomplete copy");
  // As it is told to the user.
  await target.query("DROP TABLE orders");
  await target.query("DROP TABLE _rowferry");
  const again = await mcp.call("preview-migration-tool", given({}));
  expect(again.data, again.text).toMatchObject({ ready: true, target: { empty: true, drops: null } });
});

test("a reset's preview says that rows which others wrote into the copy are dropped too, as they are", async () => {
  const { id } = (await mcp.call("prepare-migration-tool", given({}))).data.migration;
  expect((await work(ann, id)).code).toBe(0);
  await untilStatus(ann, id, "completed");
  await target.query("INSERT INTO orders VALUES (100)");
  const effect = await mcp.call("reset-migration-tool", { id });
  expect(effect.text).toContain("also rows that users or an application wrote there since the copy");
  expect(effect.data.untrusted).toContain('would be dropped: table "public.orders"');
  const { digest } = effect.data.preview;
  expect(await mcp.call("reset-migration-tool", { id, confirm: true, digest })).toMatchObject({ isError: false });
  expect((await work(ann, id, 2)).code).toBe(0);
  await untilStatus(ann, id, "completed");
  expect(await target.query("SELECT id FROM orders ORDER BY id")).toEqual([["1"], ["2"]]);
  const gone = await mcp.call("delete-migration-tool", { id, confirm: true });
  expect(gone.data.next).toBe("Tell the user that the copy stays in the target.");
  await target.query("DROP TABLE orders");
});

test("a reset that can drop nothing keeps the report of the copy, by REST and by MCP", async () => {
  const { id } = (await mcp.call("prepare-migration-tool", given({}))).data.migration;
  expect((await work(ann, id)).code).toBe(0);
  await untilStatus(ann, id, "completed");
  const report = () => api(`/api/migrations/${id}/report`, { token: ann.token });
  const before = await report();
  expect(before.status, before.text).toBe(200);
  const tables = await mcp.call("get-migration-tool", { id, list: "tables" });
  await target.query("CREATE VIEW others AS SELECT id FROM orders");
  const { digest } = (await mcp.call("reset-migration-tool", { id })).data.preview;
  expect(await mcp.call("reset-migration-tool", { id, confirm: true, digest })).toMatchObject({ isError: false });
  expect((await work(ann, id, 2)).code).toBe(2);
  await untilStatus(ann, id, "failed");
  const failed = await mcp.call("get-migration-tool", { id });
  expect(failed.data, failed.text).toMatchObject({ error_code: "dependents_exist" });
  expect(failed.data.next).toContain("list=report");
  expect(await report()).toMatchObject({ status: 200, body: before.body });
  const kept = await mcp.call("get-migration-tool", { id, list: "tables" });
  expect(kept.text).toContain("This is the last page.");
  const shown = (untrusted: string) => untrusted.split("\n").filter((line) => line.includes("orders"));
  expect(shown(kept.data.untrusted)).toEqual(shown(tables.data.untrusted));
  expect(shown(kept.data.untrusted).length).toBeGreaterThan(0);
  await target.query("DROP VIEW others");
});
