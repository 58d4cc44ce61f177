import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import type { CopyRequest } from "../../../src/engine/contract/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { openFence } from "../../../src/engine/postgres/fence/fence.ts";
import { foundRuns, reset } from "../../../src/engine/run/reset.ts";
import {
  copied,
  cutAfter,
  database,
  endpoint,
  fingerprint,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
  type Where,
} from "../../support/engine/postgres-support.ts";

/** Several runs into one PostgreSQL database, each into tables of its own. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const ofRun = (owner: string, more: Partial<CopyRequest> = {}): Partial<CopyRequest> => ({
  owner,
  ownerName: `run ${owner}`,
  ...more,
});

/** A schema with two small tables, a large one, a type, a function and a view. */
const shop = (schema: string, large = 20_000) => `CREATE SCHEMA ${schema}; SET search_path = ${schema};
  CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1';
  CREATE TABLE item (id int PRIMARY KEY, m mood); INSERT INTO item SELECT i, 'ok' FROM generate_series(1, 1000) i;
  CREATE TABLE sale (id serial PRIMARY KEY, item int REFERENCES item); INSERT INTO sale (item) SELECT 1 + i % 1000 FROM generate_series(1, 5000) i;
  CREATE VIEW sold AS SELECT item FROM sale;
  CREATE TABLE long (id int PRIMARY KEY, t text); INSERT INTO long SELECT i, repeat(md5(i::text), 10) FROM generate_series(1, ${large}) i`;

const checkpoints = async (where: Where) =>
  (await sql(where, "SELECT FROM pg_class WHERE relname = '_rowferry'")).length;
const tablesOf = async (where: Where, schema: string) =>
  (
    await sql<{ name: string }>(
      where,
      "SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'v') AND relnamespace = to_regnamespace($1) ORDER BY 1",
      [schema],
    )
  ).map(({ name }) => name);
const all = ["item", "long", "sale", "sold"];

describe("two runs into one database", () => {
  test("go on at one moment, both are verified, and the last one drops the table", async () => {
    const [one, two, target] = [
      await database(servers.new, shop("alpha", 60_000)),
      await database(servers.new, shop("beta")),
      await database(servers.new),
    ];
    let ended = false;
    let endedBefore: boolean | undefined;
    let second: Promise<unknown> | undefined;
    const first = await copied(
      one,
      target,
      // So slow that the other one begins and ends meanwhile.
      ofRun("one", { options: { jobs: 2, bandwidth: 3_000_000, verify: "checksum" } }),
      hooks({
        progress: ({ phase, rows }) => {
          if (phase !== "copying" || rows.done === 0) return;
          second ??= copied(two, target, ofRun("two", { options: { jobs: 2, verify: "checksum" } })).then((done) => {
            endedBefore = !ended;
            return done;
          });
          second.catch(() => undefined);
        },
      }),
    );
    ended = true;
    expect(await second).toMatchObject({ report: { verification: { differences: [] }, warnings: [] } });
    expect(endedBefore).toBe(true);
    expect(first.report).toMatchObject({ verification: { differences: [] }, warnings: [] });
    expect(await fingerprint(target)).toEqual({ ...(await fingerprint(one)), ...(await fingerprint(two)) });
    expect(await checkpoints(target)).toBe(0);
  });

  test("that would make the same: the second one is refused before it writes, and hears which tables", async () => {
    const [one, two, target] = [
      await database(servers.new, shop("alpha")),
      await database(servers.new, `${shop("beta")}; ${shop("alpha")}`),
      await database(servers.new),
    ];
    await cutAfter(one, target, 2, ofRun("one"));
    const before = [await tablesOf(target, "alpha"), await sql(target, "SELECT * FROM _rowferry ORDER BY id")];
    await expect(copied(two, target, ofRun("two"))).rejects.toMatchObject({
      code: "target_in_use",
      retryable: false,
      message: expect.stringMatching(
        /in use by run one, which makes .*alpha\..*WHERE owner = 'one' in the target .*rowferry reset URL --run one/,
      ),
    });
    expect(await sql(target, "SELECT FROM pg_namespace WHERE nspname = 'beta'")).toEqual([]);
    expect([await tablesOf(target, "alpha"), await sql(target, "SELECT * FROM _rowferry ORDER BY id")]).toEqual(before);
    const { findings } = await assess(request(two, target, ofRun("two")), hooks());
    const blockers = findings.filter(({ severity }) => severity === "blocker");
    expect(blockers.map(({ code }) => code)).toEqual(["target_in_use"]);
    expect(blockers[0]?.object).toContain("alpha.item");
    const data = ofRun("two", { options: { jobs: 1, content: "data", include: ["alpha.*"] } });
    await expect(copied(two, target, data)).rejects.toMatchObject({ code: "target_in_use" });
    const rest = ofRun("two", { options: { jobs: 1, include: ["gamma.*"] } });
    await sql(two, "CREATE SCHEMA gamma; CREATE TABLE gamma.t (i int); DROP SCHEMA beta CASCADE");
    await sql(
      two,
      "DROP VIEW alpha.sold; DROP FUNCTION alpha.one; ALTER TABLE alpha.item DROP m; DROP TYPE alpha.mood",
    );
    expect((await assess(request(two, target, rest), hooks())).ready).toBe(true);
    await copied(two, target, rest);
    expect(await tablesOf(target, "gamma")).toEqual(["t"]);
    await copied(one, target, ofRun("one"));
    expect(await checkpoints(target)).toBe(0);
  });

  test("of which one will never go on: the message's statement frees the target for a copy that drops its tables", async () => {
    const table = (name: string) =>
      `CREATE TABLE ${name} (id int PRIMARY KEY); INSERT INTO ${name} SELECT generate_series(1, 1000)`;
    const one = await database(servers.new, ["a", "b", "c"].map(table).join("; "));
    const target = await database(servers.new);
    await cutAfter(one, target, 2, ofRun("one"));
    const refused: Error = await copied(one, target, ofRun("two")).catch((error) => error);
    await sql(target, /run (DELETE .*) in the target/.exec(refused.message)?.[1] ?? "");
    const drop = await tablesOf(target, "public");
    const { report } = await copied(
      one,
      target,
      ofRun("two", { options: { jobs: 1, drop: drop.filter((name) => name !== "_rowferry") } }),
    );
    expect(report.tables).toHaveLength(3);
    expect(await tablesOf(target, "public")).toEqual(["a", "b", "c"]);
  });

  test("of which one is killed: the other completes, and a retry of the first keeps its finished tables", async () => {
    const [one, two, target] = [
      await database(servers.new, shop("alpha", 60_000)),
      await database(servers.new, shop("beta")),
      await database(servers.new),
    ];
    await cutAfter(one, target, 2, ofRun("one"));
    await copied(two, target, ofRun("two"));
    expect(await checkpoints(target)).toBe(1);
    expect((await foundRuns(endpoint(target), new AbortController().signal)).map(({ owner }) => owner)).toEqual([
      "one",
    ]);
    const before = await sql(target, "SELECT 'alpha.item'::regclass::oid, 'alpha.sale'::regclass::oid");
    const { report } = await copied(one, target, ofRun("one"));
    expect(report.resumed?.kept.length).toBeGreaterThanOrEqual(2);
    expect(await sql(target, "SELECT 'alpha.item'::regclass::oid, 'alpha.sale'::regclass::oid")).toEqual(before);
    expect(await fingerprint(target)).toEqual({ ...(await fingerprint(one)), ...(await fingerprint(two)) });
    expect(await checkpoints(target)).toBe(0);
  });

  test("of one schema: a reset of the first leaves the schema to the other, whose reset drops it", async () => {
    const [one, two, target] = [
      await database(servers.new, "CREATE SCHEMA ours; CREATE TABLE ours.a (i int); INSERT INTO ours.a VALUES (1)"),
      await database(servers.new, "CREATE SCHEMA ours; CREATE TABLE ours.b (i int); INSERT INTO ours.b VALUES (2)"),
      await database(servers.new),
    ];
    // Both are complete, and neither is stored yet.
    await copy(request(one, target, ofRun("one")), hooks());
    await copy(request(two, target, ofRun("two")), hooks());
    const resetOf = (owner: string) => reset({ owner, ownerName: `run ${owner}`, target: endpoint(target) }, hooks());
    await expect(resetOf("one")).resolves.toMatchObject({
      dropped: 1,
      left: [expect.stringMatching(/schema "ours" was left.*run two needs it/)],
    });
    expect(await tablesOf(target, "ours")).toEqual(["b"]);
    expect(await sql(target, "SELECT i FROM ours.b")).toEqual([{ i: 2 }]);
    await expect(resetOf("two")).resolves.toMatchObject({ dropped: 2, left: [] });
    expect(await sql(target, "SELECT FROM pg_namespace WHERE nspname = 'ours'")).toEqual([]);
    expect(await checkpoints(target)).toBe(0);
  });

  test("that begin at one moment make the schema that both need once, and both complete", async () => {
    const source = (table: string) =>
      database(
        servers.new,
        `CREATE SCHEMA ours; CREATE EXTENSION hstore SCHEMA ours; CREATE TABLE ours.${table} (i int)`,
      );
    const sources = [await source("a"), await source("b"), await source("c")];
    const target = await database(servers.new);
    const done = await Promise.all(sources.map((one, at) => copied(one, target, ofRun(`run${at}`))));
    expect(await tablesOf(target, "ours")).toEqual(["a", "b", "c"]);
    const shared = done.flatMap(({ report }) =>
      report.made.filter(({ kind }) => kind === "schema" || kind === "extension"),
    );
    expect(shared.map(({ kind }) => kind).sort()).toEqual(["extension", "schema"]);
    expect(await checkpoints(target)).toBe(0);
  });

  test("a reset by a report drops no table that another run fills", async () => {
    const [one, target] = [await database(servers.new, shop("alpha")), await database(servers.new)];
    const { report } = await copied(one, target, ofRun("one", { options: { jobs: 1, content: "schema" } }));
    await copy(request(one, target, ofRun("two", { options: { jobs: 1, content: "data" } })), hooks());
    const asked = {
      owner: "one",
      ownerName: "run one",
      target: endpoint(target),
      made: report.made,
      madeIn: report.target,
    };
    await expect(reset(asked, hooks())).rejects.toMatchObject({
      code: "target_in_use",
      message: expect.stringContaining("table alpha.item"),
    });
    expect(await tablesOf(target, "alpha")).toEqual(all);
    expect(await foundRuns(endpoint(target), new AbortController().signal)).toMatchObject([{ owner: "two" }]);
  });

  test("many that come and go at one moment: none fails, no claim is had twice, and the table goes with the last", async () => {
    const target = await database(servers.new);
    const had: string[] = [];
    const one = async (owner: string) => {
      for (let turn = 0; turn < 4; turn++) {
        const fence = await openFence(endpoint(target), ofRun(owner) as { owner: string; ownerName: string });
        const names = [
          { kind: "table", name: "s.same" },
          { kind: "table", name: `s.${owner}` },
        ];
        const claimed = await fence.claim(names).then(
          () => true,
          (error: { code: string }) => {
            if (error.code !== "target_in_use") throw error;
            return false;
          },
        );
        if (claimed) {
          had.push(owner);
          expect((await fence.claimedByOthers()).filter(({ name }) => name === "s.same")).toEqual([]);
        }
        await fence.drop();
        await fence.drop();
        await fence.close();
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, at) => one(`run${at}`)));
    expect(had.length).toBeGreaterThan(0);
    expect(await checkpoints(target)).toBe(0);
  });
});

/** As versions before 0.2 made the table, for one run alone. */
async function asEarlier(target: Where, owner: string): Promise<void> {
  await sql(
    target,
    `DELETE FROM _rowferry WHERE kind = 'claim'; ALTER TABLE _rowferry DROP COLUMN owner;
     CREATE UNIQUE INDEX ON _rowferry (kind) WHERE kind IN ('fence', 'result')`,
  );
  expect(await sql(target, "SELECT name FROM _rowferry WHERE kind = 'fence'")).toEqual([{ name: owner }]);
}

describe("a table that an earlier version left", () => {
  test("is gone on with by its run, which keeps its finished tables, while others are refused until it says what it makes", async () => {
    const [one, two, target] = [
      await database(servers.new, shop("alpha", 60_000)),
      await database(servers.new, shop("beta")),
      await database(servers.new),
    ];
    await cutAfter(one, target, 2, ofRun("one"));
    await asEarlier(target, "one");
    expect(await foundRuns(endpoint(target), new AbortController().signal)).toMatchObject([
      { owner: "one", ownerName: "run one", finished: false },
    ]);
    const before = await sql(target, "SELECT * FROM _rowferry ORDER BY id");
    await expect(copied(two, target, ofRun("two"))).rejects.toMatchObject({
      code: "target_in_use",
      message: expect.stringMatching(/in use by run one: its table .* is there/),
    });
    expect(await sql(target, "SELECT * FROM _rowferry ORDER BY id")).toEqual(before);
    const marks = "SELECT name, xmin::text FROM _rowferry WHERE kind = 'part' ORDER BY id";
    const wrote = await sql(target, marks);
    const opened = await openFence(endpoint(target), { owner: "one", ownerName: "run one" });
    expect(await sql(target, marks)).toEqual(wrote);
    await expect(copied(two, target, ofRun("two"))).rejects.toMatchObject({ code: "target_in_use" });
    await opened.close();
    const { report } = await copied(one, target, ofRun("one"));
    expect(report.resumed?.kept.length).toBeGreaterThanOrEqual(2);
    await copied(two, target, ofRun("two"));
    expect(await fingerprint(target)).toEqual({ ...(await fingerprint(one)), ...(await fingerprint(two)) });
    expect(await checkpoints(target)).toBe(0);
  });

  test("is reset for its run", async () => {
    const [one, target] = [await database(servers.new, shop("alpha")), await database(servers.new)];
    await cutAfter(one, target, 2, ofRun("one"));
    await asEarlier(target, "one");
    await reset({ owner: "one", ownerName: "run one", target: endpoint(target) }, hooks());
    expect(await tablesOf(target, "alpha")).toEqual([]);
    expect(await checkpoints(target)).toBe(0);
  });
});
