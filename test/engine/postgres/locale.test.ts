import { afterAll, beforeAll, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import {
  copied,
  cutAfter,
  endpoint,
  type Servers,
  sql,
  startServers,
  type Where,
} from "../../support/engine/postgres-support.ts";
import { sqlFile } from "../../support/sql-file.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

test("a target whose locale is of another provider is named before, in and after the copy, though LC_COLLATE is the same", async () => {
  const { source, target } = await twoLocales("locale");
  await sql(source, "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a'), (2, 'B')");
  const both = { source: endpoint(source), target: endpoint(target), options: { jobs: 2 } };
  const words =
    "its locale is icu und, LC_CTYPE C, and the source's is C: texts without a collation of their own are sorted otherwise";
  const hooks = { signal: new AbortController().signal, log: () => undefined, progress: () => undefined };
  const { findings } = await assess(both, hooks);
  expect(findings).toContainEqual(expect.objectContaining({ severity: "note", code: "locale_differs", reason: words }));
  const { report } = await copied(source, target);
  expect(report.warnings).toContain(`the target database: ${words}`);
  const { objects } = await verify(both, hooks);
  expect(objects?.notes).toContain(`the target database: ${words}`);
  expect(await sql(source, "SELECT array_agg(v ORDER BY v) AS v FROM t")).toEqual([{ v: ["B", "a"] }]);
  expect(await sql(target, "SELECT array_agg(v ORDER BY v) AS v FROM t")).toEqual([{ v: ["a", "B"] }]);
});

/** In the order of `C`, `B` comes before `a`; ICU has it after. */
const trees = sqlFile(import.meta, "locale.sql");

/** Two databases of the new server: one sorts by `C`, the other by ICU. */
async function twoLocales(name: string) {
  const [source, target] = [
    { server: servers.new, database: `${name}_${process.pid}` },
    { server: servers.new, database: `${name}_${process.pid}_icu` },
  ];
  const admin = { server: servers.new, database: "postgres" };
  await sql(admin, `CREATE DATABASE ${source.database} LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`);
  const icu = "LOCALE_PROVIDER icu ICU_LOCALE 'und' LOCALE 'C' TEMPLATE template0";
  await sql(admin, `CREATE DATABASE ${target.database} ${icu}`);
  return { source, target };
}

/** Of each table: its rows as one text, sorted. */
const contents = (where: Where) =>
  sql(
    where,
    `SELECT (SELECT string_agg(t::text, ' ' ORDER BY t::text COLLATE "C") FROM hashed t) AS hashed,
            (SELECT string_agg(t || n, ' ' ORDER BY t COLLATE "C") FROM ranged) AS ranged,
            (SELECT string_agg(t::text, ' ' ORDER BY t::text COLLATE "C") FROM days t) AS days`,
  );

const viaRoots = [
  ["public.days_1", 366],
  ["public.days_2", 335],
  ["public.hashed", 80],
  ["public.ranged", 4],
];

test("rows that belong to other partitions in the target are loaded through the partitioned table, and verified there", async () => {
  const { source, target } = await twoLocales("roots");
  await sql(source, trees);
  const { report, heard } = await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
  const counted = report.tables.map(({ source: name, rows }) => [name, rows.target]);
  expect(counted.filter(([name]) => !String(name).startsWith("public.sure"))).toEqual(viaRoots);
  expect(counted.filter(([name]) => String(name).startsWith("public.sure"))).toHaveLength(4);
  expect(heard.log.map(([, words]) => words)).toContainEqual(
    expect.stringMatching(/^Rows are loaded through the partitioned table, .*: public\.\w+, public\.\w+, public\.\w+$/),
  );
  expect(await contents(target)).toEqual(await contents(source));
  expect(await sql(source, "SELECT count(*) FROM ranged_low")).toEqual([{ count: "2" }]);
  expect(await sql(target, "SELECT count(*) FROM ranged_low")).toEqual([{ count: "0" }]);
  const hooks = { signal: new AbortController().signal, log: () => undefined, progress: () => undefined };
  const compare = (level: "checksum" | "counts") =>
    verify({ source: endpoint(source), target: endpoint(target), options: { jobs: 2, verify: level } }, hooks);
  for (const level of ["checksum", "counts"] as const)
    expect(await compare(level)).toMatchObject({ equal: true, missing: [], extra: [] });
  await sql(target, "UPDATE ranged SET n = 9 WHERE t = 'B'");
  const { verification } = await compare("checksum");
  expect(verification.differences.map(({ source }) => source)).toEqual(["public.ranged"]);
});

test("an interrupted copy through the partitioned table goes on, into tables that are there too", async () => {
  const { source, target } = await twoLocales("roots_again");
  await sql(source, trees);
  for (const content of ["all", "data"] as const) {
    if (content === "data") {
      await sql(target, "DROP TABLE hashed, ranged, days, sure; DROP TYPE mood");
      await copied(source, target, { options: { jobs: 2, content: "schema" } });
    }
    await cutAfter(source, target, 6, { options: { jobs: 1, content } });
    const { report } = await copied(source, target, { options: { jobs: 2, content } });
    expect(report.resumed?.kept.length).toBeGreaterThanOrEqual(5);
    expect(await contents(target)).toEqual(await contents(source));
  }
  const filled = copied(source, target, { options: { jobs: 2, content: "data" } });
  await expect(filled).rejects.toMatchObject({
    code: "target_not_empty",
    message: expect.stringContaining("public.hashed"),
  });
  const drop = ["hashed", "ranged", "days_1", "days_2", "sure_0", "sure_1", "sure_2", "sure_3"];
  const again = await copied(source, target, { options: { jobs: 2, content: "data", drop } });
  expect(again.report.tables.map(({ source: name, rows }) => [name, rows.target])).toEqual(
    expect.arrayContaining(viaRoots),
  );
  expect(await contents(target)).toEqual(await contents(source));
});

test("a value that the target's column would round is refused, also where rows are loaded through the partitioned table", async () => {
  const { source, target } = await twoLocales("roots_narrow");
  const make = (type: string) =>
    `CREATE TABLE ranged (t text, n ${type}) PARTITION BY RANGE (t);
     CREATE TABLE ranged_low PARTITION OF ranged FOR VALUES FROM (MINVALUE) TO ('a');
     CREATE TABLE ranged_high PARTITION OF ranged FOR VALUES FROM ('a') TO (MAXVALUE)`;
  await sql(source, `${make("numeric")}; INSERT INTO ranged VALUES ('B', 1.25), ('b', 1.2345)`);
  await sql(target, make("numeric(10, 2)"));
  const filling = () => copied(source, target, { options: { jobs: 2, content: "data" } });
  await expect(filling()).rejects.toMatchObject({
    code: "data_refused",
    message: expect.stringContaining("public.ranged"),
  });
  expect(await sql(target, "SELECT count(*) FROM ranged")).toEqual([{ count: "0" }]);
  await sql(source, "DELETE FROM ranged WHERE n = 1.2345");
  await filling();
  expect(await sql(target, "SELECT n FROM ranged")).toEqual([{ n: "1.25" }]);
});
