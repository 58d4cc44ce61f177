import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { connect, type Session } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";
import { type RunningProber, startProber } from "./prober.ts";

/** What the prober answers of real servers. */

let prober: RunningProber;
let mysql: Database;
let maria: Database;
let postgres: Database;
let admin: Session;
const options = optionsSchema.parse({});

beforeAll(async () => {
  [prober, mysql, maria, postgres] = await Promise.all([
    startProber({ ROWFERRY_GUARD_ALLOW: "127.0.0.1/32", ROWFERRY_PG_BIN: await pgTools() }),
    borrowDatabase("mysql"),
    borrowDatabase("mariadb"),
    borrowDatabase("postgres"),
  ]);
  admin = await connect("postgres", postgres.urlOf("app", "admin"));
  await admin.query("CREATE DATABASE other OWNER app");
  await admin.query("SET ROLE app");
  await admin.query("CREATE TABLE public.t (id int PRIMARY KEY, v text)");
  await admin.query("RESET ROLE");
  for (const database of [mysql, maria]) {
    const root = await connect("mysql", database.adminUrl);
    await root.query("CREATE DATABASE other");
    await root.query("GRANT ALL ON other.* TO app");
    await root.query("CREATE TABLE app.t (id int PRIMARY KEY, v text)");
    await root.end();
  }
});
afterAll(async () => {
  await admin?.end();
  await prober?.stop();
  await Promise.all([mysql, maria, postgres].map((database) => database?.stop()));
});

test("a connection test tells engine, version, TLS and latency of each server", async () => {
  const asked = [mysql, maria, postgres].map(({ url }) => prober.client.test({ url }));
  expect(await Promise.all(asked)).toEqual([
    { engine: "MySQL", version: expect.stringMatching(/^8|^9/), tls: true, latencyMs: expect.any(Number) },
    {
      engine: "MariaDB",
      version: expect.stringMatching(/^1/),
      tls: expect.any(Boolean),
      latencyMs: expect.any(Number),
    },
    { engine: "PostgreSQL", version: expect.stringMatching(/^1/), tls: true, latencyMs: expect.any(Number) },
  ]);
});

test("a look at a restore's target counts the tables, views and sequences that it has", async () => {
  const full = [mysql, maria, postgres].map(({ url }) => prober.client.target({ url }));
  expect(await Promise.all(full)).toEqual([
    { engine: "MySQL", version: expect.any(String), objects: 1 },
    { engine: "MariaDB", version: expect.any(String), objects: 1 },
    { engine: "PostgreSQL", version: expect.any(String), objects: 1 },
  ]);
  for (const database of [mysql, maria, postgres])
    expect(await prober.client.target({ url: database.urlOf("other") })).toMatchObject({ objects: 0 });
  const wrong = new URL(postgres.url);
  wrong.password = "wrong";
  expect(await prober.client.target({ url: wrong.href })).toMatchObject({
    unreachable: [{ side: "target", code: "access_denied" }],
  });
});

test("a preflight is the engine's assessment, in each direction", async () => {
  const databases = { MySQL: mysql, MariaDB: maria, PostgreSQL: postgres };
  const target = { MySQL: mysql.urlOf("other"), MariaDB: maria.urlOf("other"), PostgreSQL: postgres.urlOf("other") };
  for (const [from, source] of Object.entries(databases))
    for (const [to, url] of Object.entries(target)) {
      const answer = await prober.client.preflight({ source: { url: source.url }, target: { url } }, options);
      const type = (from === "PostgreSQL") === (to === "PostgreSQL") ? "transfer" : "conversion";
      expect(answer).toMatchObject({
        assessment: { type, ready: true, source: { engine: from }, target: { engine: to } },
      });
      const said = "assessment" in answer ? answer.assessment.objects.map(({ kind, name }) => `${kind} ${name}`) : [];
      expect(said.filter((object) => object.startsWith("table ")).length).toBe(1);
    }
});

test("what stands in the way is found: the preflight is not ready, and says so", async () => {
  const answer = await prober.client.preflight({ source: { url: mysql.url }, target: { url: postgres.url } }, options);
  expect(answer).toMatchObject({
    assessment: {
      ready: false,
      findings: expect.arrayContaining([expect.objectContaining({ severity: "blocker", code: "target_not_empty" })]),
    },
  });
});

test("a measurement is the size that a preflight tells", async () => {
  for (const { url } of [mysql, maria, postgres]) {
    const measured = await prober.client.measure({ url });
    const target = { url: url === postgres.url ? postgres.urlOf("other") : mysql.urlOf("other") };
    const preflown = await prober.client.preflight({ source: { url }, target }, options);
    expect(measured).toEqual({ size: "assessment" in preflown ? preflown.assessment.source.size : undefined });
    expect(measured).toEqual({ size: expect.any(Number) });
  }
});

test("names that mean something in SQL, in a shell or on a terminal are data", async () => {
  const name = "a'b`c\"; DROP TABLE t; --\u0007$(id)";
  const quoted = name.replaceAll('"', '""');
  await admin.query(`CREATE TABLE public."${quoted}" (id int PRIMARY KEY)`);
  const answer = await prober.client.preflight(
    { source: { url: postgres.url }, target: { url: mysql.urlOf("other") } },
    options,
  );
  expect(answer).toHaveProperty("assessment");
  const text = JSON.stringify(answer);
  expect(text).toContain("DROP TABLE t; --");
  const names = "assessment" in answer ? answer.assessment.objects.map((object) => object.name) : [];
  expect(names.filter((one) => /\p{Cc}/u.test(one))).toEqual([]);
});

test("a schema of thousands of objects is answered within its bounds", async () => {
  const many = Array.from(
    { length: 1200 },
    (_, at) => `CREATE TABLE many.t${at} (id int PRIMARY KEY, v text, w int DEFAULT 7)`,
  );
  await admin.query("CREATE SCHEMA many");
  for (let at = 0; at < many.length; at += 500)
    await admin.query(
      `DO $do$ BEGIN ${many
        .slice(at, at + 500)
        .map((sql) => `${sql};`)
        .join(" ")} END $do$`,
    );
  await admin.query("GRANT ALL ON SCHEMA many TO app");
  await admin.query("GRANT ALL ON ALL TABLES IN SCHEMA many TO app");
  const answer = await prober.client.preflight(
    { source: { url: postgres.url }, target: { url: postgres.urlOf("other") } },
    options,
  );
  const objects = "assessment" in answer ? answer.assessment.objects : [];
  expect(answer).toHaveProperty("assessment");
  expect(objects.length).toBe(5000);
  expect(answer).toMatchObject({
    assessment: { findings: expect.arrayContaining([expect.objectContaining({ code: "objects_cut" })]) },
  });
});

test("a database with too many tables for a worker's heap is not ready, though the prober's own would hold it", async () => {
  const small = await startProber({
    ROWFERRY_GUARD_ALLOW: "127.0.0.1/32",
    ROWFERRY_PROBER_WORKER_HEAP_MEGABYTES: "32",
  });
  try {
    const found = await small.client.preflight(
      { source: { url: mysql.url }, target: { url: postgres.urlOf("other") } },
      options,
    );
    expect(found).toMatchObject({
      assessment: {
        ready: false,
        findings: expect.arrayContaining([
          expect.objectContaining({
            severity: "blocker",
            code: "memory_too_small",
            fix: expect.stringContaining("worker.resources.limits.memory"),
          }),
        ]),
      },
    });
  } finally {
    await small.stop();
  }
});
