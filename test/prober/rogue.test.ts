import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { createProberClient } from "../../src/prober/client.ts";
import { Problem } from "../../src/requests/errors.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import { borrowDatabase } from "../servers/index.ts";
import { until } from "../worker/until.ts";
import { childrenOf } from "./children.ts";
import { type RunningProber, startProber } from "./prober.ts";
import * as rogues from "./rogue.ts";

/** Servers that mean ill, each asked beside a good one: the probe ends by itself, and nothing else suffers. */

let prober: RunningProber;
let postgres: Database;
const options = optionsSchema.parse({});
const seconds = 6;

beforeAll(async () => {
  [prober, postgres] = await Promise.all([
    startProber({
      ROWFERRY_GUARD_ALLOW: "127.0.0.1/32",
      ROWFERRY_PROBER_PREFLIGHT_SECONDS: String(seconds),
      ROWFERRY_PROBER_MEASURE_SECONDS: String(seconds),
      ROWFERRY_PROBER_TEST_SECONDS: String(seconds),
      ROWFERRY_PROBER_PATIENCE_SECONDS: "1",
    }),
    borrowDatabase("postgres"),
  ]);
});
afterAll(async () => {
  await prober?.stop();
  await postgres?.stop();
});

const mysqlUrl = (port: number) => `mysql://app:planted-word@127.0.0.1:${port}/app`;
const postgresUrl = (port: number) => `postgres://app:planted-word@127.0.0.1:${port}/app`;

const cases: [name: string, serve: (socket: Socket) => void, url: (port: number) => string, code: RegExp][] = [
  ["a server that never answers, as MySQL", rogues.silent, mysqlUrl, /^connection_timeout$/],
  ["a server that never answers, as PostgreSQL", rogues.silent, postgresUrl, /^connection_timeout$/],
  ["rows without end", rogues.endlessRows, mysqlUrl, /^(source_refused|probe_too_large|probe_timeout)$/],
  ["columns without end", rogues.endlessColumns, mysqlUrl, /^(source_refused|probe_too_large|protocol_error)$/],
  ["a request for a local file", rogues.asksForAFile, mysqlUrl, /^(source_refused|protocol_error)$/],
  ["a refusal with a megabyte of backslashes", rogues.hugeRefusal, mysqlUrl, /^access_denied$/],
  ["an error of 16 MB", rogues.hugeError, postgresUrl, /^(protocol_error|source_refused)$/],
  ["an error of a gigabyte", rogues.endlessError, postgresUrl, /^(protocol_error|source_refused)$/],
  ["notices without end", rogues.endlessNotices, postgresUrl, /^(protocol_error|source_refused)$/],
  ["SCRAM with 2,000,000,000 rounds", rogues.costlyScram(2_000_000_000), postgresUrl, /^access_denied$/],
];

test.each(cases)(
  "%s: the probe ends with its cause, another one beside it is answered",
  async (_, serve, url, code) => {
    const rogue = await rogues.startRogue(serve);
    try {
      const bad = url(rogue.port);
      const [tested, measured, preflown, good] = await Promise.all([
        prober.client.test({ url: bad }),
        prober.client.measure({ url: bad }),
        prober.client.preflight({ source: { url: bad }, target: { url: postgres.url } }, options),
        prober.client.test({ url: postgres.url }),
      ]);
      const refused = {
        unreachable: [{ side: "source", code: expect.stringMatching(code), message: expect.any(String) }],
      };
      // Of the database that answers, a preflight says what it found.
      const target = expect.objectContaining({ engine: "PostgreSQL", empty: true });
      expect([tested, measured, preflown]).toEqual([refused, refused, { ...refused, target }]);
      for (const answer of [tested, measured, preflown]) {
        const text = JSON.stringify(answer);
        expect(text.length).toBeLessThan(2500);
        expect(text).not.toContain("planted-word");
      }
      expect(good).toMatchObject({ engine: "PostgreSQL" });
    } finally {
      rogue.close();
    }
  },
);

test("a probe that takes more memory than it may is killed and told, and the prober stays small", async () => {
  const rogue = await rogues.startRogue(rogues.silent);
  // Less than the process has when it begins.
  const own = await startProber({ ROWFERRY_GUARD_ALLOW: "127.0.0.1/32", ROWFERRY_PROBER_RESIDENT_MEGABYTES: "64" });
  try {
    expect(await own.client.test({ url: postgresUrl(rogue.port) })).toMatchObject({
      unreachable: [{ side: "source", code: "probe_too_large" }],
    });
    expect(
      await own.client.preflight(
        { source: { url: postgresUrl(rogue.port) }, target: { url: mysqlUrl(rogue.port) } },
        options,
      ),
    ).toMatchObject({
      unreachable: [{ code: "probe_too_large" }, { code: "probe_too_large" }],
    });
    const pages = Number(readFileSync(`/proc/${own.pid}/statm`, "latin1").split(" ")[1]);
    expect(pages * 4096).toBeLessThan(200 << 20);
  } finally {
    await own.stop();
    rogue.close();
  }
});

test("of fifty probes of a black hole all but those that have a place are told at once to come again, and the next good one is answered", async () => {
  const hole = await rogues.startRogue(rogues.silent);
  const client = createProberClient({ url: prober.url, tls: () => prober.api });
  try {
    const order: string[] = [];
    const asked = Array.from({ length: 50 }, (_, at) =>
      client.test({ url: at % 2 === 0 ? mysqlUrl(hole.port) : postgresUrl(hole.port) }).then(
        (answer) => order.push("unreachable" in answer ? (answer.unreachable[0]?.code ?? "") : "answered"),
        (error: unknown) => order.push(error instanceof Problem ? error.code : String(error)),
      ),
    );
    await Promise.all(asked);
    // 4 run and 8 wait for a second; on a slow machine a place may become free before the last has come.
    expect([...new Set(order)].sort()).toEqual(["busy", "connection_timeout"]);
    expect(order[0]).toBe("busy");
    expect(order.filter((one) => one === "busy").length).toBeGreaterThanOrEqual(34);
    expect(hole.connections()).toBeLessThanOrEqual(16);
    expect(await client.test({ url: postgres.url })).toMatchObject({ engine: "PostgreSQL" });
    await until("no child but the idle one is left", () => childrenOf(prober.pid).length === 1);
  } finally {
    client.close();
    hole.close();
  }
});
