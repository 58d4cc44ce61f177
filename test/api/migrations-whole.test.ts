import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../dev/databases/free-port.ts";
import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { reportSchema } from "../../src/engine/report/schema.ts";
import { connect, type Session } from "../databases/connect.ts";
import { mysqlStatements } from "../samples/index.ts";
import { create, planted, untilStatus, work } from "./migrations-play.ts";
import { api, type Person, signUp } from "./world.ts";

/** The whole way of the film rental, from POST to the report and back by a reset; only the kubelet is played. */

let ann: Person;
let mysql: Database;
let postgres: Database;
let target: Session;
beforeAll(async () => {
  [ann, mysql, postgres] = await Promise.all([signUp(), startDatabase("mysql"), startDatabase("postgres")]);
  const source = await connect("mysql", mysql.adminUrl);
  const { pathname } = new URL(mysql.url);
  await source.query(`USE ${pathname.slice(1)}`);
  for (const statement of mysqlStatements("rental")) await source.query(statement);
  await source.end();
  target = await connect("postgres", postgres.url);
});
afterAll(async () => {
  await target?.end();
  await Promise.all([mysql, postgres].map((database) => database?.stop()));
});

const films = async () => Number((await target.query("SELECT count(*) FROM film"))[0]?.[0]);
const get = (id: string, path = "") => api(`/api/migrations/${id}${path}`, { token: ann.token });

const pair = () => ({ source_url: mysql.url, target_url: postgres.url });

test("a migration with a wrong password fails with words to act on, and shows the password nowhere", async () => {
  const wrong = new URL(postgres.url);
  wrong.password = planted;
  const id = await create(ann, { ...pair(), target_url: wrong.href });
  const { code, output } = await work(ann, id);
  expect(code, output).toBe(2);
  await untilStatus(ann, id, "failed");
  const one = await get(id);
  expect(one.body.error).toMatchObject({ code: "access_denied", retryable: false });
  expect(one.body.error.message).toMatch(/password/i);
  expect(one.text + (await get(id, "/logs")).text + output).not.toContain(planted);
});

test("a server that does not answer is an error that may pass: a retry is worth a try", async () => {
  const closed = new URL(postgres.url);
  closed.port = String(await freePort());
  const id = await create(ann, { ...pair(), target_url: closed.href });
  const { code, output } = await work(ann, id);
  expect(code, output).toBe(2);
  await untilStatus(ann, id, "failed");
  expect((await get(id)).body.error).toMatchObject({ code: "connection_refused", retryable: true });
});

test("a film rental goes from POST to completed, with a report that is true, and after a reset once more", async () => {
  const checked = await api("/api/migrations/preflight", { token: ann.token, body: pair() });
  expect(checked.body, checked.text).toMatchObject({ ready: true, source: { tables: 18 } });
  const begun = performance.now();
  const id = await create(ann, { ...pair(), estimate_id: checked.body.estimate_id, options: { verify: "checksum" } });
  const { code, output } = await work(ann, id);
  expect(code, output).toBe(0);
  await untilStatus(ann, id, "completed");
  console.log(`film rental: completed ${Math.round(performance.now() - begun)} ms after POST, without a kubelet`);
  expect(await films()).toBe(600);

  const one = await get(id);
  expect(one.body).toMatchObject({
    status: "completed",
    type: "conversion",
    report: { tables: 18 },
    error: null,
    cost: 0,
  });
  const report = await get(id, "/report");
  expect(reportSchema.parse(report.body)).toEqual(report.body);
  expect(report.body.tables).toHaveLength(18);
  const logs = await get(id, "/logs");
  expect(logs.body.data.length).toBeGreaterThan(5);
  const preview = await api(`/api/migrations/${id}/reset`, { token: ann.token, body: {} });
  expect(preview.body.preview.total).toBe(report.body.made.length);

  expect((await api(`/api/migrations/${id}/reset`, { token: ann.token, body: { confirm: true } })).status).toBe(202);
  const again = await work(ann, id, 2);
  expect(again.code, again.output).toBe(0);
  await untilStatus(ann, id, "completed");
  expect(await films()).toBe(600);
  expect((await get(id)).body).toMatchObject({ reset: 1, attempt: 1 });
});
