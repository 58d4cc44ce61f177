import { afterAll, beforeAll, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import {
  copied,
  database,
  endpoint,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
  transfer,
  type Where,
} from "../../support/engine/postgres-support.ts";

/** What goes with the tables that include and exclude leave out, and how it is named. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const signal = new AbortController().signal;
const silent = { signal, progress: () => undefined, log: () => undefined };
type Choice = Pick<CopyOptions, "include" | "exclude">;

const found = async (source: Where, target: Where, choice: Choice) => {
  const asked = { source: endpoint(source), target: endpoint(target), options: { jobs: 1, ...choice } };
  const { ready, findings } = await assess(asked, silent);
  return { ready, said: findings.map(({ severity, code, object }) => `${severity} ${code} ${object}`) };
};
const compared = (source: Where, target: Where, choice: Choice) =>
  verify({ source: endpoint(source), target: endpoint(target), options: { jobs: 1, ...choice } }, silent);
const relations = async (where: Where) =>
  (
    await sql<{ name: string }>(
      where,
      "SELECT relname AS name FROM pg_class WHERE relnamespace IN ('public'::regnamespace, to_regnamespace('a')) AND relkind IN ('r', 'p', 'v', 'm') ORDER BY 1",
    )
  ).map(({ name }) => name);

const circle = `CREATE TABLE kept (id int PRIMARY KEY); CREATE TABLE gone (id int PRIMARY KEY, a text, b text); INSERT INTO gone VALUES (1, 'a', 'b');
  CREATE VIEW told AS SELECT id, a, b, count(*) AS n FROM gone GROUP BY id; CREATE VIEW "over told" AS SELECT n FROM told;
  CREATE VIEW "odd.name" AS SELECT id, a, b, count(*) AS n FROM gone GROUP BY id;
  CREATE VIEW mine AS SELECT id, count(*) AS n FROM kept GROUP BY id`;

test.each(["new", "old"] as const)(
  "a view that pg_dump makes in two parts is skipped with its table (source: %s)",
  async (from) => {
    const source = await database(servers[from], circle);
    const target = await database(servers.new);
    const choice = { include: ["kept"] };
    const { report } = await copied(source, target, { options: { jobs: 1, ...choice } });
    expect(await relations(target)).toEqual(["kept", "mine"]);
    const views = report.inventory.filter(({ kind }) => kind === "view");
    const note = "needs table public.gone, which is skipped by options.include or options.exclude";
    expect(views.map(({ name, outcome, note }) => [name, outcome, note]).sort()).toEqual(
      [
        ['public."odd.name"', "not_applicable", note],
        ["public.mine", "copied", from === "new" ? undefined : "written differently by the target"],
        ["public.over told", "not_applicable", note].map((one) => one?.replace("over told", '"over told"')),
        ["public.told", "not_applicable", note],
      ].sort(),
    );
    expect(await compared(source, target, choice)).toMatchObject({ equal: true, missing: [] });
    // What an earlier copy left there.
    await sql(
      target,
      "CREATE VIEW told AS SELECT NULL::int AS id, NULL::text AS a, NULL::text AS b, NULL::bigint AS n",
    );
    const { equal, inventory } = await compared(source, target, choice);
    expect(equal).toBe(false);
    expect(inventory.find(({ kind, name }) => kind === "view" && name === "public.told")).toMatchObject({
      outcome: "reported",
      note: expect.stringContaining("differs"),
    });
  },
);

const family = `CREATE SCHEMA a; CREATE TABLE a.par (id int PRIMARY KEY); CREATE TABLE a.kid (id int PRIMARY KEY, p int REFERENCES a.par);
  CREATE TABLE a.inh (z int) INHERITS (a.par); CREATE TABLE a.part (k int, v int) PARTITION BY LIST (k);
  CREATE TABLE a.part1 PARTITION OF a.part FOR VALUES IN (1); CREATE TABLE a.part2 PARTITION OF a.part FOR VALUES IN (2);
  CREATE TABLE a.sown (id serial PRIMARY KEY); CREATE TABLE a.other (id int DEFAULT nextval('a.sown_id_seq'));
  CREATE MATERIALIZED VIEW a.mv AS SELECT * FROM a.par; CREATE PUBLICATION pp FOR TABLE a.par, a.kid`;

test("a publication that loses tables is named, and so is a materialized view whose table is skipped", async () => {
  const [source, target] = [await database(servers.new, family), await database(servers.new)];
  const choice = { include: ["a.kid"] };
  const assessed = await found(source, target, choice);
  expect(assessed).toMatchObject({
    ready: true,
    said: expect.arrayContaining(["warning publication_reduced publication pp"]),
  });
  const { report } = await copied(source, target, { options: { jobs: 1, ...choice } });
  const of = (kind: string) => report.inventory.filter((entry) => entry.kind === kind);
  const words = "made without a.inh, a.par, which are skipped by options.include or options.exclude";
  expect(of("publication")).toEqual([{ kind: "publication", name: "pp", outcome: "reported", note: words }]);
  expect(report.warnings).toContain(`publication pp: ${words}`);
  expect(of("materialized view")).toEqual([
    {
      ...{ kind: "materialized view", name: "a.mv", outcome: "not_applicable" },
      note: "needs table a.par, which is skipped by options.include or options.exclude",
    },
  ]);
  expect(report.warnings.filter((one) => one.includes("a.mv"))).toEqual([]);
  expect(await compared(source, target, choice)).toMatchObject({ equal: true });
  await sql(target, "ALTER PUBLICATION pp DROP TABLE a.kid");
  expect(await compared(source, target, choice)).toMatchObject({ equal: false });
});

test.each([
  [["a.part2"], "a.part2", "a.part"],
  [["a.inh", "a.kid"], "a.inh", "a.par"],
])("include %j without what it needs is refused before anything is written", async (include, lost, needed) => {
  const [source, target] = [await database(servers.new, family), await database(servers.new)];
  expect(await found(source, target, { include })).toMatchObject({
    ready: false,
    said: expect.arrayContaining([expect.stringContaining("blocker option_invalid")]),
  });
  await expect(transfer(request(source, target, { options: { jobs: 1, include } }), hooks())).rejects.toMatchObject({
    code: "option_invalid",
    message: expect.stringContaining(
      `options.include names ${lost}, which cannot be copied without ${needed}: name that one`,
    ),
  });
  expect(
    await sql(
      target,
      "SELECT count(*)::int AS n FROM pg_class WHERE relname ~ 'rowferry' OR relnamespace = to_regnamespace('a')",
    ),
  ).toEqual([{ n: 0 }]);
});

test("a table that is left out with what exclude names is named in a warning", async () => {
  const [source, target] = [await database(servers.new, family), await database(servers.new)];
  const choice = { exclude: ["a.sown", "a.par"] };
  const { said } = await found(source, target, choice);
  expect(said).toEqual(expect.arrayContaining(["warning table_skipped a.other", "warning table_skipped a.inh"]));
  const { report } = await copied(source, target, { options: { jobs: 1, ...choice } });
  expect(report.warnings).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /^table a\.other is not copied: it needs (table a\.sown|sequence a\.sown_id_seq), which is skipped by options\.exclude$/,
      ),
      "table a.inh is not copied: it needs table a.par, which is skipped by options.exclude",
    ]),
  );
});
