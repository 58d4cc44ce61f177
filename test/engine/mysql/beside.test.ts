import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyRequest, EngineProgress } from "../../../src/engine/contract/index.ts";
import { copy } from "../../../src/engine/index.ts";
import {
  error,
  type Flavour,
  type Pair,
  pair,
  rows,
  type Servers,
  startServers,
} from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Several databases of MySQL into one PostgreSQL database, each into tables of its own. */

const numbers = (table: string, rows: number) =>
  `CREATE TABLE ${table} (id int AUTO_INCREMENT PRIMARY KEY, mood enum('sad','ok'), v varchar(200), KEY by_v (v(20))); INSERT INTO ${table} (mood, v) VALUES ('ok', REPEAT('x', 190));
   ${`INSERT INTO ${table} (mood, v) SELECT mood, v FROM ${table};`.repeat(Math.round(Math.log2(rows)))}`;

describe.each<Flavour>(["mariadb", "mysql"])("two runs from %s into one database", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  /** Of another source, into the target of `first`. */
  const beside = async (first: Pair, schema: string): Promise<Pair> => {
    const { source } = await pair(servers, schema);
    return { ...first, source };
  };
  const into = ({ source }: Pair, schema: string, more: Partial<CopyRequest["options"]> = {}) => ({
    options: { jobs: 2, schemas: { [source.database]: schema }, ...more },
  });
  const ofRun = (owner: string) => ({ owner, ownerName: `run ${owner}` });
  const checkpoints = ({ pg }: Pair) => rows(pg, "SELECT relname FROM pg_class WHERE relname = '_rowferry'");
  const counts = async ({ pg }: Pair, ...tables: string[]) =>
    (await rows(pg, tables.map((table) => `SELECT count(*) FROM ${table}`).join(" UNION ALL "))).flat();

  /** Copies `first` slowly; once it has rows, `then` is done, and ends before it. */
  const during = async (first: Pair, options: Parameters<typeof run>[1], then: () => Promise<unknown>) => {
    const order: string[] = [];
    let second: Promise<unknown> | undefined;
    const progress = ({ phase, rows }: EngineProgress) => {
      if (phase !== "copying" || rows.done === 0) return;
      second ??= then().then((done) => {
        order.push("second");
        return done;
      });
      second.catch(() => undefined);
    };
    const { source, target } = first;
    const request = { ...ofRun("one"), source, target, reset: false, options: { jobs: 2 }, ...options };
    const hooks = { signal: new AbortController().signal, progress, measured: () => undefined, log: () => undefined };
    const copied = await copy(request, hooks);
    order.push("first");
    await second;
    expect(order).toEqual(["second", "first"]);
    await copied.finish();
    return copied.report;
  };

  test("under other schemas, and under one with other tables: all complete and are verified", async () => {
    const one = await pair(servers, numbers("big", 16_384));
    const [two, three] = [await beside(one, numbers("big", 256)), await beside(one, numbers("other", 256))];
    const complete = async (which: Pair, owner: string, schema: string) => {
      const ran = await run(which, { ...ofRun(owner), ...into(which, schema, { verify: "checksum" }) });
      await ran.copied.finish();
      return ran.report;
    };
    const first = await during(one, into(one, "alpha", { bandwidth: 400_000, verify: "checksum" }), async () => {
      const [second, third] = await Promise.all([complete(two, "two", "beta"), complete(three, "three", "alpha")]);
      expect(second.verification?.differences).toEqual([]);
      expect(third.verification?.differences).toEqual([]);
    });
    expect(first.verification?.differences).toEqual([]);
    expect(await counts(one, "alpha.big", "beta.big", "alpha.other")).toEqual(["16384", "256", "256"]);
    expect(
      await rows(
        one.pg,
        "SELECT tablename, count(*) FROM pg_indexes WHERE schemaname IN ('alpha', 'beta') GROUP BY schemaname, tablename ORDER BY 1, 2",
      ),
    ).toEqual([
      ["big", "2"],
      ["big", "2"],
      ["other", "2"],
    ]);
    expect(await checkpoints(one)).toEqual([]);
  });

  test("that would make the same table: the second is refused before it writes, and hears which", async () => {
    const one = await pair(servers, numbers("big", 16_384));
    const two = await beside(one, `${numbers("big", 256)} ${numbers("small", 16)}`);
    await during(one, into(one, "alpha", { bandwidth: 400_000 }), async () => {
      const refused = await error(run(two, { ...ofRun("two"), ...into(two, "alpha") }));
      expect(refused).toMatchObject({ code: "target_in_use", retryable: false });
      expect(refused.message).toMatch(
        /in use by run one, which makes table alpha\.big too; .*WHERE owner = 'one' in the target .*rowferry reset URL --run one/,
      );
      expect(await rows(one.pg, "SELECT to_regclass('alpha.small')")).toEqual([[null]]);
      expect(await rows(one.pg, "SELECT DISTINCT owner FROM _rowferry")).toEqual([["one"]]);
      const { report, copied } = await run(two, { ...ofRun("two"), ...into(two, "alpha", { include: ["small"] }) });
      await copied.finish();
      expect(report.tables).toHaveLength(1);
    });
    expect(await counts(one, "alpha.big", "alpha.small")).toEqual(["16384", "16"]);
    expect(await checkpoints(one)).toEqual([]);
  });

  test("of which one is killed in the schema of both: the other completes, a retry keeps what was finished", async () => {
    const one = await pair(servers, `${numbers("small", 16)} ${numbers("big", 16_384)}`);
    const two = await beside(one, numbers("other", 256));
    const stop = new AbortController();
    const cut = copy(
      { ...ofRun("one"), ...one, reset: false, ...into(one, "alpha", { bandwidth: 400_000 }) },
      {
        signal: stop.signal,
        measured: () => undefined,
        log: () => undefined,
        progress: ({ table }) => {
          if (table.some(({ name, state }) => name === "small" && state === "done")) stop.abort(new Error("cut"));
        },
      },
    );
    await expect(cut).rejects.toThrow("cut");
    const done = await run(two, { ...ofRun("two"), ...into(two, "alpha") });
    const before = await rows(one.pg, "SELECT 'alpha.small'::regclass::oid");
    const again = await run(one, { ...ofRun("one"), ...into(one, "alpha") });
    expect(again.report.resumed).toEqual({ kept: ["small"], copied_again: [] });
    expect(await rows(one.pg, "SELECT 'alpha.small'::regclass::oid")).toEqual(before);
    await done.copied.finish();
    await again.copied.finish();
    expect(await counts(one, "alpha.small", "alpha.big", "alpha.other")).toEqual(["16", "16384", "256"]);
    expect(await checkpoints(one)).toEqual([]);
  });
});
