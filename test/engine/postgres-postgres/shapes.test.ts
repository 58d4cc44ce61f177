import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import {
  copied,
  database,
  fingerprint,
  hooks,
  request,
  type Servers,
  schemaText,
  sql,
  startServers,
  transfer,
} from "../../support/engine/postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

const hostile = [
  'say "hi"',
  "it's",
  "back\\slash",
  "new\nline",
  "tab\there",
  "dotted.name",
  "select",
  "Folded",
  "folded",
  "FOLDED",
  "; DROP TABLE folded; --",
  "/* open",
  "$1 %s %I #{x}",
  "😀".repeat(15),
  "x".repeat(63),
  " leading and trailing ",
  "é漢字",
  "*",
];

describe("tables of odd shapes", () => {
  test("carry their names, whatever stands in these", async () => {
    const source = await database(servers.new);
    await sql(
      source,
      hostile
        .map(quoted)
        .map((name, at) => {
          const [schema, other] = [quoted(`s${at} ${hostile[at]?.slice(0, 12)}`), quoted(`u${at}`)];
          return `CREATE SCHEMA ${schema}; CREATE TYPE ${schema}.${other} AS ENUM (${`'${hostile[at]?.replaceAll("'", "''")}'`});
            CREATE TABLE ${schema}.${name} (${name} int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, other text DEFAULT 'd', kind ${schema}.${other}, up int REFERENCES ${schema}.${name});
            INSERT INTO ${schema}.${name} (other, up) VALUES ('a', 1), (E'b\\\\\\n\\t', 1), (NULL, 2); CREATE INDEX ON ${schema}.${name} (other);
            CREATE VIEW ${schema}.v AS SELECT ${name} FROM ${schema}.${name}; COMMENT ON COLUMN ${schema}.${name}.${name} IS E'\\'\\n\\\\';`;
        })
        .join("\n"),
    );
    const target = await database(servers.new);
    const { report } = await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
    expect(report.tables).toHaveLength(hostile.length);
    expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    const { heard } = await copied(source, target, { reset: true, made: report.made, madeIn: report.target });
    expect(heard.log.filter(([, message]) => message.includes("was left in the target"))).toEqual([]);
  });

  test("have a thousand columns or none, and come by the thousand", async () => {
    const source = await database(servers.new);
    const columns = Array.from({ length: 1000 }, (_, at) => `c${at} ${["int", "text", "bool", "numeric"][at % 4]}`);
    const values = Array.from({ length: 1000 }, (_, at) => ["i", "'x' || i", "i % 2 = 0", "i / 7.0"][at % 4]);
    await sql(
      source,
      `CREATE TABLE wide (${columns.join(", ")}); INSERT INTO wide SELECT ${values.join(", ")} FROM generate_series(1, 20) i;
       CREATE TABLE nothing (); INSERT INTO nothing SELECT FROM generate_series(1, 7);
       CREATE TABLE empty (i int); CREATE TABLE all_generated (g int GENERATED ALWAYS AS (1) STORED); INSERT INTO all_generated DEFAULT VALUES;`,
    );
    for (let start = 0; start < 1000; start += 100) {
      const names = Array.from({ length: 100 }, (_, at) => `many_${start + at}`);
      await sql(
        source,
        names.map((name) => `CREATE TABLE ${name} (i int PRIMARY KEY); INSERT INTO ${name} VALUES (1);`).join("\n"),
      );
    }
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    expect(report.tables).toHaveLength(1004);
    const rows = Object.fromEntries(report.tables.map(({ target, rows }) => [target, rows.target]));
    expect(rows).toMatchObject({
      "public.wide": 20,
      "public.nothing": 7,
      "public.empty": 0,
      "public.all_generated": 1,
    });
    const content = "SELECT count(*)::int AS n, md5(string_agg(wide::text, ',' ORDER BY c0)) AS h FROM wide";
    expect(await sql(target, content)).toEqual(await sql(source, content));
    expect(await schemaText(target, servers.tools)).toBe(await schemaText(source, servers.tools));
  });

  test("are shared by several streams also where nearly all of it lies beside the rows", async () => {
    const source = await database(
      servers.new,
      `CREATE TABLE docs (id int PRIMARY KEY, body text NOT NULL); ALTER TABLE docs ALTER body SET STORAGE EXTERNAL;
       INSERT INTO docs SELECT i, repeat(md5(i::text), 4000) FROM generate_series(1, 700) i`,
    );
    const target = await database(servers.new);
    const { report, finish } = await transfer(request(source, target), hooks());
    const parts = await sql<{ rows: number }>(
      target,
      "SELECT body::int AS rows FROM _rowferry WHERE kind = 'part' AND name LIKE 'part:%docs%'",
    );
    await finish();
    expect(parts).toHaveLength(2);
    for (const { rows } of parts) expect(rows).toBeGreaterThan(100);
    expect(report.tables).toMatchObject([{ rows: { source: 700, target: 700 } }]);
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });
});

test("xml keeps its declaration, also below a domain and in partitions", async () => {
  const source = await database(
    servers.new,
    `CREATE DOMAIN page AS xml; CREATE TABLE t (id int PRIMARY KEY, "the x" xml, p page);
     INSERT INTO t VALUES (1, '<?xml version="1.0"?><a/>', '<?xml version="1.0" encoding="ISO-8859-1"?><é>\\n</é>'),
       (2, '<?xml version="1.0" standalone="yes"?><b/>', 'only words'), (3, NULL, ''), (4, ' <c>1</c>', '<!DOCTYPE d><d/>');
     CREATE TABLE parts (id int, x xml) PARTITION BY HASH (id);
     CREATE TABLE parts_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
     CREATE TABLE parts_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
     INSERT INTO parts SELECT i, '<?xml version="1.0"?><a/>' FROM generate_series(1, 9) i`,
  );
  const target = await database(servers.new);
  const { report } = await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
  expect(report.inventory.filter(({ outcome }) => outcome !== "copied")).toEqual([]);
  for (const read of [
    `SELECT id, "the x"::text AS x, p::text AS p FROM t ORDER BY id`,
    "SELECT id, x::text AS x FROM parts ORDER BY id",
  ])
    expect(await sql(target, read)).toEqual(await sql(source, read));
});

test("xml keeps its declaration within arrays and composite types, and in texts that were there", async () => {
  const schema = `CREATE DOMAIN page AS xml; CREATE TYPE leaf AS (n int, x xml); CREATE TYPE tree AS (l leaf, many leaf[], p page);
    CREATE DOMAIN leaves AS leaf[];`;
  const columns = "list xml[], pages page[], one leaf, deep tree, several leaves, nested leaves[]";
  const [plain, alone] = ['<?xml version="1.0"?><a/>', '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><b/>'];
  const source = await database(
    servers.new,
    `${schema} CREATE TABLE t (id int PRIMARY KEY, ${columns}, x xml, first xml[] GENERATED ALWAYS AS (list) STORED);
     INSERT INTO t VALUES
       (1, ARRAY['${alone}', NULL, '${plain}']::xml[], ARRAY['${plain}']::page[], ROW(1, '${plain}'),
        ROW(ROW(2, '${alone}'), ARRAY[ROW(3, '${plain}')::leaf, NULL, ROW(NULL, NULL)::leaf], '${alone}'),
        ARRAY[[ROW(4, '${plain}')::leaf], [ROW(5, 'a "quoted", \\ text')::leaf]], ARRAY[ARRAY[ROW(6, '${plain}')::leaf]::leaves], '${plain}'),
       (2, '{}', NULL, NULL, ROW(NULL, NULL, NULL), '{}', NULL, NULL), (3, NULL, NULL, ROW(NULL, NULL), NULL, NULL, '{NULL}', 'words');
     UPDATE t SET list[-1] = '${alone}' WHERE id = 1; UPDATE t SET several[0] = ROW(0, '${alone}')::leaf WHERE id = 2; UPDATE t SET deep.many[-1] = ROW(9, '${plain}')::leaf WHERE id = 2`,
  );
  const target = await database(servers.new);
  const { report } = await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
  expect(report.inventory.filter(({ outcome }) => outcome !== "copied")).toEqual([]);
  const stored = `SELECT id, list::text[] AS list, list::text AS bounds, pages::text[] AS pages, (one).x::text AS one, ((deep).l).x::text AS l, (deep).p::text AS p, deep::text AS deep,
      (SELECT pg_catalog.array_agg(m.x::text) FROM unnest((deep).many) m) AS many, (SELECT pg_catalog.array_agg(s.x::text) FROM unnest(several) s) AS several, several::text AS all,
      nested::text AS nested, ((nested[1])[1][1]).x::text AS first_nested, x::text AS x, first::text[] AS first FROM t ORDER BY id`;
  const values = await sql(source, stored);
  expect(JSON.stringify(values).match(/<\?xml/g)?.length).toBe(20);
  expect(await sql(target, stored)).toEqual(values);

  await sql(target, "UPDATE t SET list[1] = '<a/>' WHERE id = 1; UPDATE t SET one.x = '<a/>' WHERE id = 1");
  const { verification } = await verify(request(source, target), hooks());
  expect(verification.differences.map(({ keys }) => keys.map(({ key }) => key))).toEqual([['{"id":"1"}']]);

  const texts = await database(
    servers.new,
    `CREATE TABLE t (id int PRIMARY KEY, ${columns.replaceAll(/ (xml|page|leaf|tree|leaves)\b(\[\])?/g, " text")}, x text)`,
  );
  await copied(source, texts, { options: { jobs: 1, content: "data", verify: "checksum" } });
  const [row] = (await sql(texts, "SELECT one, list, x FROM t WHERE id = 1")) as Record<string, string>[];
  expect(row?.x).toBe(plain);
  expect(row?.one).toBe(`(1,"${plain.replaceAll('"', '""')}")`);
  expect(row?.list).toContain('<?xml version=\\"1.0\\"?><a/>');
});
