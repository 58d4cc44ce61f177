import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { reportExample } from "../../src/api/operations/migration-examples.ts";
import { mostUnfinished } from "../../src/requests/backups/kept.ts";
import { oneRestoreSchema, restoreResponseSchema, restoresSchema } from "../../src/requests/backups/shapes.ts";
import { archiveKey } from "../../src/resources/archive/archive.ts";
import { apiVersion } from "../../src/resources/group.ts";
import { kinds } from "../../src/resources/objects.ts";
import { connect } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";
import { completedRun, completedStatus, planted, restoreStatus, runNow, runStatus, schedule } from "./backups-play.ts";
import { admin, api, type Person, signUp, startReplica } from "./world.ts";

/** Restores by REST. The targets are real servers, at which the prober looks; the copy itself is played by writing status. */

let ann: Person;
let bob: Person;
let postgres: Database;
beforeAll(async () => {
  [ann, bob, postgres] = await Promise.all([signUp(), signUp(), borrowDatabase("postgres")]);
  const session = await connect("postgres", postgres.urlOf("app", "admin"));
  await session.query("CREATE DATABASE full_one OWNER app");
  await session.end();
  const full = await connect("postgres", postgres.urlOf("full_one"));
  await full.query("CREATE TABLE orders (id int PRIMARY KEY)");
  await full.query("CREATE VIEW recent AS SELECT * FROM orders");
  await full.end();
});
afterAll(() => postgres?.stop());

const empty = () => postgres.url;
const full = () => postgres.urlOf("full_one");
const unknown = "00000000-0000-4000-8000-000000000000";

interface More {
  person?: Person;
  headers?: Record<string, string>;
  replica?: number;
}
const restore = ({ id, run }: { id: string; run: string }, body: object, { person = ann, ...more }: More = {}) =>
  api(`/api/backups/${id}/runs/${run}/restore`, { token: person.token, body, ...more });
/** The operator's own verify completed runs. */
const restoresOf = async (person: Person) =>
  (await admin.list(kinds.restores, { namespace: person.namespace })).filter(({ spec }) => !spec.verification);

test("a completed run is restored into any database URL, free, and its state is followed to the end", async () => {
  const backup = await completedRun(ann);
  const made = await restore(backup, { target_url: empty() });
  expect(made.status, made.text).toBe(202);
  expect(restoreResponseSchema.strict().parse(made.body)).toEqual(made.body);
  expect(made.text).not.toMatch(/amount|checkout_url|covered_by_plan/);
  const { id } = made.body.restore;
  expect(made.headers.location).toBe(`/api/restores/${id}`);
  expect(made.body.restore).toMatchObject({ backup: backup.id, run: backup.run, status: "pending" });
  const object = await admin.get(kinds.restores, ann.namespace, id);
  expect(object?.spec).toMatchObject({ backupRun: backup.run, allowNotEmpty: false, verification: false });
  expect(object?.spec.target?.sealedUrl).toMatch(/^v2\./);
  expect(JSON.stringify(object)).not.toContain(postgres.password);

  await restoreStatus(ann, id, { state: "completed", tables: 16, rows: 47_271 });
  for (const replica of [0, 1]) {
    const one = await api(`/api/restores/${id}`, { token: ann.token, replica });
    expect(oneRestoreSchema.strict().parse(one.body)).toEqual(one.body);
    expect(one.body).toMatchObject({ status: "completed", rows: 47_271 });
    const all = await api("/api/restores", { token: ann.token, replica });
    expect(restoresSchema.strict().parse(all.body)).toEqual(all.body);
    expect(all.body.data).toMatchObject([{ id }]);
    expect(one.text + all.text).not.toContain(postgres.password);
  }
});

test.each(["pending", "in_progress", "failed"] as const)("a run that is %s is not restored: 409", async (state) => {
  const id = await schedule(ann);
  const run = await runNow(ann, id);
  await runStatus(ann, run, { state });
  const answer = await restore({ id, run }, { target_url: empty() });
  expect(answer).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  expect(answer.body.detail).toContain(state);
  expect(await restoresOf(ann)).toEqual([]);
});

test("into a database that is not empty it is refused with the field to set, and done where that is set", async () => {
  const backup = await completedRun(ann);
  const refused = await restore(backup, { target_url: full() });
  expect(refused).toMatchObject({
    status: 409,
    body: { code: "target_not_empty", errors: [{ field: "allow_not_empty" }] },
  });
  expect(refused.body.detail).toContain("2 tables, views and sequences");
  expect(await restoresOf(ann)).toEqual([]);
  const made = await restore(backup, { target_url: full(), allow_not_empty: true });
  expect(made).toMatchObject({ status: 202, body: { restore: { allow_not_empty: true } } });
  expect((await restoresOf(ann))[0]?.spec.allowNotEmpty).toBe(true);
});

test("into a database of another engine it converts, also where the URL alone does not tell the engine", async () => {
  const backup = await completedRun(ann);
  const made = await restore(backup, { target_url: "mysql://u:p1@127.0.0.1/shop", allow_not_empty: true });
  expect(made, made.text).toMatchObject({ status: 202, body: { restore: { convert: true } } });
  expect(made.body.message).toContain("converts the backup");
  const object = await admin.get(kinds.restores, ann.namespace, made.body.restore.id);
  expect(object?.spec).toMatchObject({ convert: true, allowNotEmpty: true });
  const same = await restore(backup, { target_url: empty() });
  expect(same).toMatchObject({ status: 202, body: { restore: { convert: false } } });

  await runStatus(ann, backup.run, { ...completedStatus, engine: "MariaDB" });
  const other = await restore(backup, { target_url: empty() });
  expect(other).toMatchObject({ status: 202, body: { restore: { convert: true } } });
  const mysql = await borrowDatabase("mysql");
  try {
    const product = await restore(backup, { target_url: mysql.url });
    expect(product, product.text).toMatchObject({ status: 202, body: { restore: { convert: true } } });
  } finally {
    await mysql.stop();
  }
});

test("one that converts has a report as a migration's, once it is completed; another one has none, and says why", async () => {
  const backup = await completedRun(ann);
  const into = { target_url: "mysql://u:p1@127.0.0.1/shop", allow_not_empty: true };
  const { id } = (await restore(backup, into)).body.restore;
  const report = (of: string, token = ann.token) => api(`/api/restores/${of}/report`, { token });
  expect(await report(id)).toMatchObject({ status: 409, body: { code: "state_conflict" } });

  const found = await admin.get(kinds.restores, ann.namespace, id);
  const { name, uid } = found?.metadata ?? { name: "", uid: "" };
  const configMap = `${name}-report`;
  await admin.create(kinds.configMaps, {
    metadata: {
      ...{ name: configMap, namespace: ann.namespace },
      ownerReferences: [{ apiVersion, kind: "Restore", name, uid }],
    },
    binaryData: { [archiveKey]: gzipSync(JSON.stringify({ report: reportExample, log: [] })).toString("base64") },
  });
  const { tables, rows, startedAt, finishedAt } = completedStatus;
  const stored = { configMap, tables: 1, rows: 1, reported: 0 };
  await restoreStatus(ann, name, { state: "completed", tables, rows, startedAt, finishedAt, report: stored });
  expect(await report(id)).toMatchObject({ status: 200, body: reportExample });
  expect(await report(id, bob.token)).toMatchObject({ status: 403, body: { code: "other_team" } });

  const plain = (await restore(backup, { target_url: empty() })).body.restore;
  const none = await report(plain.id);
  expect(none).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  expect(none.body.detail).toContain("did not convert");
});

test("into the schedule's own database, it says so before anything is written over", async () => {
  const backup = await completedRun(ann, { database_url: full() });
  const other = new URL(full());
  other.username = "somebody";
  other.searchParams.set("sslmode", "prefer");
  expect(await restore(backup, { target_url: other.href })).toMatchObject({ body: { code: "target_unreachable" } });
  const refused = await restore(backup, { target_url: full() });
  expect(refused).toMatchObject({ status: 409, body: { code: "target_not_empty" } });
  expect(refused.body.detail).toContain("is the one that this schedule backs up");
  expect((await restore(backup, { target_url: full(), allow_not_empty: true })).status).toBe(202);
});

test("into the schedule's own database it restores without more, once that is empty", async () => {
  const backup = await completedRun(ann, { database_url: empty() });
  expect((await restore(backup, { target_url: empty() })).status).toBe(202);
});

test("a target that cannot be reached is told with the cause, and nothing is made", async () => {
  const backup = await completedRun(ann);
  const wrong = new URL(empty());
  wrong.password = planted;
  for (const target_url of [wrong.href, "postgres://app:x1@127.0.0.1:9/app"]) {
    const answer = await restore(backup, { target_url });
    expect(answer, answer.text).toMatchObject({
      status: 422,
      body: { code: "target_unreachable", errors: [{ field: "target_url" }] },
    });
    expect(answer.text).not.toContain(planted);
  }
  expect(await restoresOf(ann)).toEqual([]);
});

describe("a target that is not accepted is refused before it is dialled", () => {
  test.each([
    ["a private address", "postgres://u:p1@192.168.0.9/shop", "url_refused"],
    ["a parameter that reads files", "postgres://u:p1@127.0.0.1/shop?sslkey=/etc/shadow", "url_refused"],
    ["a placeholder", "postgres://user:password@host:5432/db", "url_refused"],
    ["another scheme", "file:///etc/passwd", "url_refused"],
    ["nothing", "", "invalid"],
  ])("%s", async (_what, target_url, code) => {
    const backup = await completedRun(ann);
    expect(await restore(backup, { target_url, allow_not_empty: true })).toMatchObject({ status: 422, body: { code } });
    expect(await restoresOf(ann)).toEqual([]);
  });
});

test("a run that only its owner can decrypt is neither restored nor verified by the service", async () => {
  const backup = await completedRun(ann);
  await runStatus(ann, backup.run, { ...completedStatus, encryption: { recipients: [`age1${"q".repeat(58)}`] } });
  const verify = await api(`/api/backups/${backup.id}/runs/${backup.run}/verify`, { method: "POST", token: ann.token });
  for (const answer of [await restore(backup, { target_url: empty() }), verify]) {
    expect(answer).toMatchObject({ status: 409, body: { code: "state_conflict" } });
    expect(answer.body.detail).toContain("your own recipients");
  }
});

test("with one Idempotency-Key twenty restores at once are one, also when the target is full by then", async () => {
  const backup = await completedRun(ann);
  const headers = { "idempotency-key": randomUUID() };
  const first = await restore(backup, { target_url: empty() }, { headers });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => restore(backup, { target_url: empty() }, { headers, replica: at % 2 })),
  );
  expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [202, first.text]));
  expect(await restoresOf(ann)).toHaveLength(1);
  expect(await restore(backup, { target_url: full() }, { headers })).toMatchObject({
    body: { code: "idempotency_key_reused" },
  });
  const other = new URL(empty());
  other.password = "another";
  expect(await restore(backup, { target_url: other.href }, { headers })).toMatchObject({
    body: { code: "idempotency_key_reused" },
  });
});

test("another team's restore is 403, an unknown one 404, and a list shows one's own, newest first and by status", async () => {
  const backup = await completedRun(ann);
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const made = await restore(backup, { target_url: full(), allow_not_empty: true });
    ids.unshift(String(made.body.restore.id));
  }
  await restoreStatus(ann, ids[1] ?? "", { state: "failed" });
  const list = async (query: string, person = ann) =>
    (await api(`/api/restores?${query}`, { token: person.token })).body;
  const first = await list("limit=2");
  expect(first.data.map((one: { id: string }) => one.id)).toEqual(ids.slice(0, 2));
  expect(await list(`limit=2&cursor=${first.next_cursor}`)).toMatchObject({ data: [{ id: ids[2] }] });
  expect((await list("status=failed")).data).toMatchObject([{ id: ids[1] }]);
  expect((await list(`backup=${backup.id}`)).data).toHaveLength(3);
  expect((await list(`backup=${unknown}`)).data).toEqual([]);
  expect((await list("limit=100", bob)).data).toEqual([]);
  expect(await api(`/api/restores/${ids[0]}`, { token: bob.token })).toMatchObject({
    status: 403,
    body: { code: "other_team" },
  });
  for (const id of [unknown, "a%2fb", "nonsense"])
    expect(await api(`/api/restores/${id}`, { token: ann.token })).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
});

test("the runs of a deleted schedule can be restored", async () => {
  const backup = await completedRun(ann);
  expect((await api(`/api/backups/${backup.id}`, { method: "DELETE", token: ann.token })).status).toBe(200);
  expect((await restore(backup, { target_url: empty() })).status).toBe(202);
});

test("restores count in the read tier alone, and are never metered", async () => {
  const window = (points: number) => [{ points, seconds: 60 }];
  const limits = { read: window(3), write: window(3), probe: window(1), ai: window(1) };
  const { caller } = await startReplica({ ROWFERRY_LIMITS: JSON.stringify(limits) });
  const carla = await signUp();
  const { id, run } = await completedRun(carla);
  const ask = () =>
    caller.ask(`/api/backups/${id}/runs/${run}/restore`, { token: carla.token, body: { target_url: empty() } });
  for (let count = 0; count < 3; count += 1) {
    const made = await ask();
    expect(made.status, made.text).toBe(202);
    expect(made.headers["ratelimit-policy"]).toBe('"read";q=3;w=60');
  }
  const refused = await ask();
  expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  // Ordinary changes have their own limit, which no restore touched.
  for (let count = 0; count < 3; count += 1)
    expect((await caller.ask(`/api/backups/${id}/run`, { method: "POST", token: carla.token })).status).not.toBe(429);
  expect((await caller.ask(`/api/backups/${id}/run`, { method: "POST", token: carla.token })).status).toBe(429);
});

test("what one team has waiting at the same time is bounded, and says so", async () => {
  const carla = await signUp();
  const { id, run } = await completedRun(carla);
  const ask = () => restore({ id, run }, { target_url: full(), allow_not_empty: true }, { person: carla });
  for (let count = 0; count < mostUnfinished; count += 1) expect((await ask()).status).toBe(202);
  expect(await ask()).toMatchObject({ status: 409, body: { code: "limit_reached" } });
  const [one] = await restoresOf(carla);
  await restoreStatus(carla, one?.metadata.name ?? "", { state: "completed" });
  expect((await ask()).status).toBe(202);
});
