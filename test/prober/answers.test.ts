import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { type RunningProber, startProber } from "./prober.ts";

/** What the prober answers of real servers. */

let prober: RunningProber;
let mysql: Database;
let maria: Database;
let postgres: Database;
const options = optionsSchema.parse({});

beforeAll(async () => {
  [prober, mysql, maria, postgres] = await Promise.all([
    startProber({ ROWFERRY_GUARD_ALLOW: "127.0.0.1/32" }),
    startDatabase("mysql"),
    startDatabase("mariadb"),
    startDatabase("postgres"),
  ]);
});
afterAll(async () => {
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

test("a preflight is the engine's assessment", async () => {
  const answer = await prober.client.preflight({ source: { url: mysql.url }, target: { url: postgres.url } }, options);
  expect(answer).toMatchObject({
    assessment: { type: "conversion", ready: true, source: { engine: "MySQL" }, target: { engine: "PostgreSQL" } },
  });
});
