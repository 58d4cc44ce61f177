import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { parseDatabaseUrl } from "../../src/guard/url.ts";
import { kinds } from "../../src/resources/objects.ts";
import { connect } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";
import { run } from "../support/engine/run.ts";
import { create, fail, pair, planted, stored, untilStatus, work } from "./migrations-play.ts";
import { admin, api, type Person, signUp } from "./world.ts";

/** A failed migration is retried with other URLs. The servers and the workers are real; only the kubelet is played. */

let ann: Person;
let mysql: Database;
let postgres: Database;
beforeAll(async () => {
  [ann, mysql, postgres] = await Promise.all([signUp(), borrowDatabase("mysql"), borrowDatabase("postgres")]);
  const server = await connect("mysql", mysql.adminUrl);
  for (const name of ["first", "second"]) {
    await server.query(`CREATE DATABASE ${name}`);
    await server.query(`GRANT ALL ON ${name}.* TO 'app'@'%'`);
    await server.query(`CREATE TABLE ${name}.item (id INT PRIMARY KEY, name VARCHAR(20))`);
    await server.query(`INSERT INTO ${name}.item VALUES (1, 'same'), (2, 'of ${name}')`);
    await server.query(`CREATE TABLE ${name}.only_in_${name} (id INT PRIMARY KEY)`);
  }
  await server.end();
});
afterAll(async () => {
  await Promise.all([mysql, postgres].map((database) => database?.stop()));
});

/** A new, empty database of the target's server. */
async function newTarget(name: string): Promise<string> {
  const server = await connect("postgres", postgres.adminUrl);
  await server.query(`CREATE DATABASE ${name} OWNER app`);
  await server.end();
  return postgres.urlOf(name);
}

async function inTarget(url: string): Promise<{ tables: string[]; items: string[] }> {
  const session = await connect("postgres", url);
  try {
    const tables = await session.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1",
    );
    const names = tables.map(([name]) => String(name));
    const items = names.includes("item") ? await session.query("SELECT name FROM item ORDER BY id") : [];
    return { tables: names, items: items.map(([name]) => String(name)) };
  } finally {
    await session.end();
  }
}

const retry = (id: string, body: object, headers: Record<string, string> = {}) =>
  api(`/api/migrations/${id}/retry`, { token: ann.token, body, headers });
const show = async (id: string) => (await api(`/api/migrations/${id}`, { token: ann.token })).body;

/** Everything is copied and verified, and the result stays in the target alone: the worker's word never comes. */
async function copyUnheard(id: string, source: string, target: string): Promise<void> {
  const { metadata } = await stored(ann, id);
  await run(
    { source: parseDatabaseUrl(source), target: parseDatabaseUrl(target) },
    { owner: metadata.uid, ownerName: `Migration ${metadata.namespace}/${metadata.name}` },
  );
}

async function completes(id: string, run: number): Promise<void> {
  const { code, output } = await work(ann, id, run);
  expect(code, output).toBe(0);
  await untilStatus(ann, id, "completed");
}

test("a wrong password needs no new migration: the retry takes the right URL, and shows it nowhere", async () => {
  const target = await newTarget("password");
  const wrong = new URL(target);
  wrong.password = planted;
  const id = await create(ann, { source_url: mysql.urlOf("first"), target_url: wrong.href });
  expect((await work(ann, id)).code).toBe(2);
  await untilStatus(ann, id, "failed");
  const before = (await stored(ann, id)).spec;

  const answer = await retry(id, { source_url: mysql.urlOf("first"), target_url: target });
  expect(answer, answer.text).toMatchObject({ status: 202, body: { migration: { id, status: "pending" } } });
  const { spec } = await stored(ann, id);
  expect(spec).toMatchObject({ attempt: 2, reset: 0 });
  expect(spec.source).not.toEqual(before.source);
  expect(spec.target).not.toEqual(before.target);
  await completes(id, 2);
  expect(await inTarget(target)).toEqual({ tables: ["item", "only_in_first"], items: ["same", "of first"] });
  const object = JSON.stringify(await stored(ann, id));
  for (const text of [answer.text, object, JSON.stringify(await show(id))])
    expect(text).not.toContain(postgres.password);
});

test("another source starts the copy anew: no row, table or result of the former one is left", async () => {
  const target = await newTarget("other_source");
  const id = await create(ann, { source_url: mysql.urlOf("first"), target_url: target });
  await copyUnheard(id, mysql.urlOf("first"), target);
  await fail(ann, id);
  await untilStatus(ann, id, "failed");
  expect((await inTarget(target)).tables).toContain("only_in_first");

  const answer = await retry(id, { source_url: mysql.urlOf("second"), target_url: target });
  expect(answer, answer.text).toMatchObject({ status: 202, body: { migration: { status: "pending" } } });
  expect(answer.body.message).toContain(
    "The copy starts anew, since source_url names another database. The copy's tables and objects in the target are dropped first.",
  );
  await completes(id, 2);
  expect(await inTarget(target)).toEqual({ tables: ["item", "only_in_second"], items: ["same", "of second"] });
  expect(await show(id)).toMatchObject({ attempt: 1, reset: 1, report: { tables: 2 } });
});

test("another target is copied into from the start; what is in the former one stays, and is replaced if the copy returns", async () => {
  const [target, other] = [await newTarget("former"), await newTarget("latter")];
  const id = await create(ann, { source_url: mysql.urlOf("first"), target_url: target });
  await copyUnheard(id, mysql.urlOf("first"), target);
  await fail(ann, id);
  await untilStatus(ann, id, "failed");

  const moved = await retry(id, { source_url: mysql.urlOf("second"), target_url: other });
  expect(moved.status, moved.text).toBe(202);
  expect(moved.body.message).toContain(
    "since source_url and target_url name other databases. Tables and objects in the former target stay there.",
  );
  await fail(ann, id, 2);
  await untilStatus(ann, id, "failed");
  expect((await inTarget(target)).items).toEqual(["same", "of first"]);
  expect((await retry(id, { source_url: mysql.urlOf("second"), target_url: target })).status).toBe(202);
  await completes(id, 3);
  expect(await inTarget(target)).toEqual({ tables: ["item", "only_in_second"], items: ["same", "of second"] });
  expect((await inTarget(other)).tables).toEqual([]);
});

test("a target with another's tables is refused before anything is written, as at the first run", async () => {
  const target = await newTarget("taken");
  const session = await connect("postgres", target);
  await session.query("CREATE TABLE item (id int PRIMARY KEY, name text)");
  await session.end();
  const id = await create(ann, { source_url: mysql.urlOf("first"), target_url: await newTarget("untouched") });
  await fail(ann, id);
  await untilStatus(ann, id, "failed");
  expect((await retry(id, { source_url: mysql.urlOf("first"), target_url: target })).status).toBe(202);
  expect((await work(ann, id, 2)).code).toBe(2);
  await untilStatus(ann, id, "failed");
  expect((await show(id)).error).toMatchObject({ code: "target_not_empty", retryable: false });
  expect(await inTarget(target)).toEqual({ tables: ["item"], items: [] });
});

test("URLs are judged as at a create, and change nothing where they are refused", async () => {
  const id = await create(ann);
  const early = await retry(id, pair);
  expect(early).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  await fail(ann, id);
  await untilStatus(ann, id, "failed");
  const before = await stored(ann, id);
  const refused = [
    [{ ...pair, target_url: "postgres://writer:x@10.0.0.1:5432/shop" }, "url_refused", "target_url"],
    [{ ...pair, source_url: "no URL" }, "url_refused", "source_url"],
    [{ ...pair, target_url: "mysql://writer:x@127.0.0.1:3306/other" }, "invalid", "create a new migration"],
    [{ source_url: pair.target_url, target_url: pair.target_url }, "invalid", "same database"],
    [{ target_url: pair.target_url }, "invalid", "both source_url and target_url"],
    [{ source_url: pair.source_url }, "invalid", "both source_url and target_url"],
    [{ url: pair.target_url }, "invalid", "source_url, target_url"],
  ] as const;
  for (const [body, code, words] of refused) {
    const answer = await retry(id, body);
    expect(answer, JSON.stringify(body)).toMatchObject({ status: 422, body: { code } });
    expect(answer.body.detail).toContain(words);
  }
  expect((await stored(ann, id)).spec).toEqual(before.spec);
});

test("a key retries once, and is refused with another URL", async () => {
  const id = await create(ann);
  await fail(ann, id);
  await untilStatus(ann, id, "failed");
  const key = { "idempotency-key": "once" };
  const other = { ...pair, target_url: pair.target_url.replace("writer", "another") };
  expect((await retry(id, other, key)).status).toBe(202);
  expect((await retry(id, other, key)).status).toBe(202);
  for (const body of [{}, pair])
    expect(await retry(id, body, key)).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
  expect((await stored(ann, id)).spec).toMatchObject({ attempt: 2, reset: 0 });
});

test("one whose URLs are no longer kept, or that an earlier version made, runs again with other ones, and anew", async () => {
  const id = await create(ann);
  await fail(ann, id);
  await untilStatus(ann, id, "failed");
  const expired = { sealedUrl: "expired" };
  await admin.mergePatch(kinds.migrations, ann.namespace, id, {
    metadata: { annotations: { "rowferry.dev/places": null } },
    spec: { source: expired, target: expired },
  });
  expect(await retry(id, {})).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  expect((await retry(id, pair)).status).toBe(202);
  const { spec } = await stored(ann, id);
  expect(spec).toMatchObject({ attempt: 1, reset: 1 });
  expect(JSON.stringify(spec)).not.toContain("expired");
});
