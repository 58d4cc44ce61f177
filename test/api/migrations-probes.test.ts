import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../dev/databases/free-port.ts";
import type { Database } from "../../dev/databases/index.ts";
import { openFence } from "../../src/engine/postgres/fence/fence.ts";
import { parseDatabaseUrl } from "../../src/guard/url.ts";
import { signature } from "../../src/requests/keys.ts";
import { connectionSchema, estimateSchema, preflightSchema } from "../../src/requests/migrations/probe/probe-shapes.ts";
import { marks } from "../../src/requests/migrations/view/marks.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { connect } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";
import { create, stored } from "./migrations-play.ts";
import { api, type Person, provided, signUp } from "./world.ts";

/** Preflight, estimates and connection tests of real servers, by the prober. */

let ann: Person;
let bob: Person;
let mysql: Database;
let postgres: Database;
let closed: number;
beforeAll(async () => {
  [ann, bob, mysql, postgres, closed] = await Promise.all([
    signUp(),
    signUp(),
    borrowDatabase("mysql"),
    borrowDatabase("postgres"),
    freePort(),
  ]);
});
afterAll(async () => {
  await Promise.all([mysql, postgres].map((database) => database?.stop()));
});

const pair = () => ({ source_url: mysql.url, target_url: postgres.url });
const ask = (path: string, body: object, person = ann) => api(path, { token: person.token, body });

/** The estimate as the installation would have signed it for another end. Milliseconds since 1970. */
function expiring(estimate: string, expires: number): string {
  const secret = readFileSync(join(provided.folder, installed.apiKeys, "secret"));
  const [payload = ""] = estimate.replace(/^est_/, "").split(".");
  const content = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as object;
  const text = JSON.stringify({ ...content, expires });
  const proof = signature(secret, "estimate", text).toString("base64url");
  return `est_${Buffer.from(text).toString("base64url")}.${proof}`;
}

test("a preflight of two databases tells reachability, size, type and price, and creates nothing", async () => {
  const { status, body } = await ask("/api/migrations/preflight", pair());
  expect(status).toBe(200);
  expect(preflightSchema.strict().parse(body)).toEqual(body);
  expect(body).toMatchObject({
    ready: true,
    free_eligible: false,
    covered_by_plan: true,
    amount: 0,
    currency: "USD",
    type: "conversion",
    size: expect.any(Number),
    source: { reachable: true, engine: "MySQL" },
    target: { reachable: true, engine: "PostgreSQL" },
    reasons: [],
  });
  expect(body.estimate).toMatchObject({ estimate_id: body.estimate_id, seconds: { least: expect.any(Number) } });
  expect((await api("/api/migrations", { token: ann.token })).body.data).toEqual([]);
});

test("a preflight names what would not be copied, with its reason, and counts it by kind", async () => {
  const session = await connect("mysql", mysql.url);
  await session.query("CREATE TABLE kept (id INT PRIMARY KEY)");
  for (const name of ["first", "second"]) await session.query(`CREATE PROCEDURE ${name}() SELECT 1`);
  await session.end();
  const { body } = await ask("/api/migrations/preflight", pair());
  expect(preflightSchema.strict().parse(body)).toEqual(body);
  expect(body).toMatchObject({ ready: true, counts: { reported_kinds: { procedure: 2 } } });
  const { reported, reported_kinds } = body.counts;
  expect(Object.values<number>(reported_kinds).reduce((sum, count) => sum + count)).toBe(reported);
  const lost = body.findings.filter(({ code }: { code: string }) => code === "not_copied");
  const named = lost.map(({ object }: { object: string }) => object);
  for (const name of ["first", "second"])
    expect(named).toContainEqual(expect.stringMatching(new RegExp(`^procedure .*${name}`)));
  for (const { reason } of lost) expect(reason).not.toBe("");
  const warnings = body.findings.filter(({ severity }: { severity: string }) => severity === "warning");
  expect(warnings).toHaveLength(body.counts.warnings);
});

test("a preflight names each table of the target that options.drop destroys, with its rows", async () => {
  const session = await connect("mysql", mysql.url);
  await session.query("CREATE TABLE taken (id INT PRIMARY KEY)");
  await session.end();
  const target = await connect("postgres", postgres.url);
  await target.query("CREATE TABLE taken (id int)");
  await target.query("INSERT INTO taken VALUES (1), (2), (3)");
  await target.end();
  const { body } = await ask("/api/migrations/preflight", { ...pair(), options: { drop: ["taken"] } });
  expect(preflightSchema.strict().parse(body)).toEqual(body);
  expect(body).toMatchObject({ ready: true, target: { drops: { tables: 1, rows: 3 } } });
  expect(body.findings).toContainEqual({
    severity: "warning",
    code: "target_rows_dropped",
    object: "public.taken",
    reason: expect.stringContaining("would drop this table of the target with its 3 rows"),
    fix: expect.any(String),
  });
  expect((await ask("/api/migrations/preflight", pair())).body.target.drops).toBeNull();
  const again = await connect("postgres", postgres.url);
  await again.query("DROP TABLE taken");
  await again.end();
});

test("a preflight names the run that has not finished in the target, also where its tables are to be dropped", async () => {
  const session = await connect("mysql", mysql.url);
  await session.query("CREATE TABLE IF NOT EXISTS kept (id INT PRIMARY KEY)");
  await session.end();
  const { database, ...target } = parseDatabaseUrl(postgres.url);
  const owner = randomUUID();
  const fence = await openFence({ ...target, database }, { owner, ownerName: "Migration rowferry-t1/m1" });
  await fence.claim([{ kind: "table", name: "public.kept" }]);
  try {
    for (const options of [{}, { drop: ["kept"] }]) {
      const { body } = await ask("/api/migrations/preflight", { ...pair(), options });
      expect(body).toMatchObject({ ready: false, source: { reachable: true }, target: { reachable: true } });
      expect(body.reasons).toContainEqual({ side: null, code: "target_in_use", message: expect.any(String) });
      const { message } = body.reasons.find(({ code }: { code: string }) => code === "target_in_use");
      expect(message).toMatch(/^public\.kept: the target database is in use by a run of another team/);
      expect(message).toContain(`DELETE FROM _rowferry WHERE owner = '${owner}'`);
    }
  } finally {
    await fence.drop();
    await fence.close();
  }
});

test("a preflight of a database that cannot be reached is an answer: not ready, with the reason and its side", async () => {
  const password = "Pl4nted-Passw0rd";
  const target_url = `postgres://writer:${password}@127.0.0.1:${closed}/shop`;
  const { status, body, text } = await ask("/api/migrations/preflight", { ...pair(), target_url });
  expect(status).toBe(200);
  expect(preflightSchema.strict().parse(body)).toEqual(body);
  expect(body).toMatchObject({
    ready: false,
    estimate: { amount: 0, seconds: null, size: body.size },
    estimate_id: expect.stringMatching(/^est_/),
    amount: 0,
    covered_by_plan: true,
    type: "conversion",
    size: expect.any(Number),
    source: { reachable: true, engine: "MySQL", version: expect.any(String), rows: 0, latency_ms: expect.any(Number) },
    target: { reachable: false, engine: null, empty: null },
    reasons: [{ side: "target", code: expect.any(String), message: expect.any(String) }],
  });
  expect(text).not.toContain(password);
});

test("a preflight and a connection test say that a server which refuses the login was reached", async () => {
  const wrong = new URL(postgres.url);
  wrong.password = "Pl4nted-Passw0rd";
  const { body, text } = await ask("/api/migrations/preflight", { ...pair(), target_url: wrong.href });
  expect(preflightSchema.strict().parse(body)).toEqual(body);
  expect(body).toMatchObject({
    ready: false,
    target: { reachable: true, engine: null, version: null },
    reasons: [{ side: "target", code: "access_denied" }],
  });
  const tested = await ask("/api/connections/test", { url: wrong.href });
  expect(connectionSchema.strict().parse(tested.body)).toEqual(tested.body);
  expect(tested.body).toMatchObject({ reachable: true, engine: null, reasons: [{ code: "access_denied" }] });
  expect(text + tested.text).not.toContain("Pl4nted");
});

test("a preflight of more losses than it lists has the blockers first, and counts all", async () => {
  const procedures = Array.from({ length: 230 }, (_, at) => `lost_${at}`);
  const session = await connect("mysql", mysql.url);
  const target = await connect("postgres", postgres.url);
  await session.query("CREATE TABLE held (id INT PRIMARY KEY)");
  await target.query("CREATE TABLE held (id int)");
  for (const name of procedures) await session.query(`CREATE PROCEDURE ${name}() SELECT 1`);
  const { body } = await ask("/api/migrations/preflight", pair());
  for (const name of procedures) await session.query(`DROP PROCEDURE ${name}`);
  await session.query("DROP TABLE held");
  await target.query("DROP TABLE held");
  await Promise.all([session.end(), target.end()]);
  expect(preflightSchema.strict().parse(body)).toEqual(body);
  expect(body.findings).toHaveLength(200);
  const severities = body.findings.map(({ severity }: { severity: string }) => severity);
  const order = ["blocker", "warning", "note"];
  expect(severities[0]).toBe("blocker");
  expect(severities).toEqual(severities.toSorted((a: string, b: string) => order.indexOf(a) - order.indexOf(b)));
  expect(body.counts.reported_kinds.procedure).toBeGreaterThanOrEqual(procedures.length);
  expect(body.counts.warnings).toBeGreaterThanOrEqual(procedures.length);
  for (const { fix } of body.findings) expect(fix === null || fix !== "").toBe(true);
  expect(body.findings.some(({ fix }: { fix: string | null }) => fix === null)).toBe(true);
});

test("a preflight of a source that cannot be reached still tells of the target, and has no price", async () => {
  const source_url = `mysql://reader:Pl4nted-Passw0rd@127.0.0.1:${closed}/shop`;
  const { status, body } = await ask("/api/migrations/preflight", { ...pair(), source_url });
  expect(status).toBe(200);
  expect(preflightSchema.strict().parse(body)).toEqual(body);
  expect(body).toMatchObject({
    ready: false,
    estimate: null,
    amount: null,
    size: null,
    source: { reachable: false, engine: null },
    target: { reachable: true, engine: "PostgreSQL", version: expect.any(String), empty: true },
    reasons: [{ side: "source" }],
  });
});

test.each([
  [{ include: ["nosuch"] }, '"nosuch" of options.include'],
  [{ exclude: ["nosuch"] }, '"nosuch" of options.exclude'],
  [{ types: { "nosuch.id": "TEXT" } }, 'options.types names "nosuch.id"'],
])(
  "a preflight with %j, which matches nothing, has both sides, the price, and a reason of no side",
  async (options, words) => {
    const { status, body } = await ask("/api/migrations/preflight", { ...pair(), options });
    expect(status).toBe(200);
    expect(preflightSchema.strict().parse(body)).toEqual(body);
    expect(body).toMatchObject({
      ready: false,
      estimate: { amount: 0, seconds: null, size: body.size },
      estimate_id: expect.stringMatching(/^est_/),
      amount: 0,
      size: expect.any(Number),
      source: { reachable: true, engine: "MySQL", version: expect.any(String), rows: expect.any(Number) },
      target: { reachable: true, engine: "PostgreSQL", version: expect.any(String), empty: expect.any(Boolean) },
      reasons: [{ side: null, code: "option_unmatched", message: expect.stringContaining(words) }],
    });
  },
);

test("the price of a preflight whose target is down holds at the create", async () => {
  const target_url = `postgres://writer:x@127.0.0.1:${closed}/shop`;
  const { body } = await ask("/api/migrations/preflight", { ...pair(), target_url });
  const id = await create(ann, { ...pair(), target_url, estimate_id: body.estimate_id });
  expect((await api(`/api/migrations/${id}`, { token: ann.token })).body).toMatchObject({ size: body.size });
});

describe("an estimate", () => {
  test("is honoured by the create of its account and URLs", async () => {
    const { status, body } = await ask("/api/estimates", pair());
    expect(status).toBe(200);
    expect(estimateSchema.strict().parse(body)).toEqual(body);
    expect(Date.parse(body.expires_at) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const made = await create(ann, { ...pair(), estimate_id: body.estimate_id });
    const migration = await stored(ann, made);
    expect(JSON.parse(migration.metadata.annotations?.[marks.quote] ?? "")).toEqual({
      size: body.size,
      amount: body.amount,
      currency: body.currency,
      free: body.free_eligible,
    });
    expect(await api(`/api/migrations/${made}`, { token: ann.token })).toMatchObject({ body: { size: body.size } });
  });

  test("that is foreign, for other URLs or changed is refused by create", async () => {
    const { estimate_id } = (await ask("/api/migrations/preflight", pair())).body;
    const cases: [Person, object][] = [
      [bob, { ...pair(), estimate_id }],
      [ann, { source_url: postgres.url, target_url: mysql.url, estimate_id }],
      [ann, { ...pair(), target_url: postgres.urlOf("other"), estimate_id }],
      [ann, { ...pair(), estimate_id: `${estimate_id.slice(0, -1)}${estimate_id.endsWith("A") ? "B" : "A"}` }],
    ];
    for (const [person, body] of cases)
      expect(await ask("/api/migrations", body, person)).toMatchObject({
        status: 422,
        body: { code: "estimate_refused", errors: [{ field: "estimate_id" }] },
      });
  });

  test("that has expired is refused by create, and makes nothing", async () => {
    const quoted = await ask("/api/estimates", pair());
    expect(quoted.status, quoted.text).toBe(200);
    const { estimate_id } = quoted.body;
    const expired = expiring(estimate_id, Date.now() - 1000);
    const before = (await api("/api/migrations", { token: ann.token })).body.data;
    expect(await ask("/api/migrations", { ...pair(), estimate_id: expired })).toMatchObject({
      status: 422,
      body: {
        code: "estimate_refused",
        detail: expect.stringContaining("expired"),
        errors: [{ field: "estimate_id" }],
      },
    });
    expect((await api("/api/migrations", { token: ann.token })).body.data).toEqual(before);
    // Signed by the same hand, and not over yet.
    await create(ann, { ...pair(), estimate_id: expiring(estimate_id, Date.now() + 60_000) });
  });

  test("of a source that cannot be measured is refused", async () => {
    const answer = await ask("/api/estimates", { ...pair(), source_url: `mysql://u:p4ssw0rd@127.0.0.1:${closed}/x` });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: "source_unreachable", errors: [{ field: "source_url" }] },
    });
    expect(answer.text).not.toContain("p4ssw0rd");
  });
});

test("a connection test tells what a server is, or why it is not reached", async () => {
  const good = await ask("/api/connections/test", { url: postgres.url });
  expect(connectionSchema.strict().parse(good.body)).toEqual(good.body);
  expect(good).toMatchObject({ status: 200, body: { reachable: true, engine: "PostgreSQL", reasons: [] } });
  const bad = await ask("/api/connections/test", { url: `mysql://u:p4ssw0rd@127.0.0.1:${closed}/x` });
  expect(connectionSchema.strict().parse(bad.body)).toEqual(bad.body);
  expect(bad).toMatchObject({ status: 200, body: { reachable: false, engine: null, tls: null } });
  expect(bad.body.reasons).toHaveLength(1);
  expect(bad.body.reasons[0].message).toMatch(/^(?!.*source).*database/);
  expect(bad.text).not.toContain("p4ssw0rd");
});

test.each([
  ["/api/migrations/preflight", { source_url: "mysql://u:p4ssw0rd@169.254.169.254/x" }, "source_url"],
  ["/api/estimates", { source_url: "mysql://u:p4ssw0rd@10.0.0.1/x" }, "source_url"],
  ["/api/connections/test", { url: "mysql://u:p4ssw0rd@[::1]/x" }, "url"],
])("%s refuses an address that is not to be reached, before anything is dialled", async (path, part, field) => {
  const body = path.endsWith("/test") ? part : { ...pair(), ...part };
  const answer = await ask(path, body);
  expect(answer).toMatchObject({ status: 422, body: { code: "url_refused", errors: [{ field }] } });
  expect(answer.text).not.toContain("p4ssw0rd");
});
