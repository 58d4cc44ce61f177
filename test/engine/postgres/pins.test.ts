import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import {
  copied,
  database,
  endpoint,
  type Servers,
  schemaText,
  sql,
  startServers,
} from "../../support/engine/postgres-support.ts";

/** Settings of a database or a role change what PostgreSQL prints and how it reads. No copy may depend on them. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const hostile = [
  "standard_conforming_strings = off",
  "backslash_quote = on",
  "array_nulls = off",
  "transform_null_equals = on",
  "bytea_output = escape",
  "DateStyle = 'German, DMY'",
  "IntervalStyle = sql_standard",
  "extra_float_digits = -15",
  "xmlbinary = hex",
  "xmloption = document",
  "TimeZone = 'Asia/Kolkata'",
  "default_text_search_config = 'pg_catalog.german'",
];

const schema = String.raw`SET standard_conforming_strings = on; SET array_nulls = on; SET xmloption = content; SET DateStyle = ISO;
  CREATE TABLE p (id int PRIMARY KEY, w text DEFAULT 'C:\dir\new', r text CHECK (r ~ '^\d+\\?$'), u text GENERATED ALWAYS AS (w || '\x') STORED,
    a text[], i interval DEFAULT '-1 day 2 hours', d date DEFAULT '2024-02-01', f float8 DEFAULT 0.1::float8 + 0.2, b bytea DEFAULT '\x00ff5c', x xml);
  INSERT INTO p (id, r, a, x) VALUES (1, '12\', ARRAY[NULL, 'NULL', 'a\b'], 'text <a/>'), (2, '3', NULL, NULL);
  CREATE VIEW v AS SELECT id, w || '\t\\' AS w, r = '\' AS last FROM p WHERE w <> '\\server';
  ALTER TABLE p ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON p USING (w <> 'a\b');`;

const columns = "SELECT id, w, r, u, a::text, a[1] IS NULL AS none, i::text, d::text, f, b, x::text FROM p ORDER BY id";

test.each(["source", "target", "both"])(
  "settings of the database, %s: definitions and values are the same",
  async (side) => {
    const source = await database(servers.new, schema);
    const target = await database(servers.new);
    const before = await sql(source, columns);
    const text = await schemaText(source, servers.tools);
    // A role's settings win over its database's.
    const altered = ({ database: name }: typeof source) =>
      side === "both" ? `ALTER ROLE CURRENT_USER IN DATABASE ${name}` : `ALTER DATABASE ${name}`;
    const sides = side === "both" ? [source, target] : [side === "source" ? source : target];
    for (const where of sides) for (const one of hostile) await sql(where, `${altered(where)} SET ${one}`);
    const { report } = await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
    expect(report.inventory.filter(({ kind, outcome }) => !kind.endsWith(" setting") && outcome !== "copied")).toEqual(
      [],
    );
    const compared = await verify(
      { source: endpoint(source), target: endpoint(target), options: { jobs: 2 } },
      { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
    );
    expect(compared.equal).toBe(true);
    for (const where of [source, target]) await sql(where, `${altered(where)} RESET ALL`);
    expect(await schemaText(target, servers.tools)).toBe(text);
    expect(await sql(target, columns)).toEqual(before);
  },
);

test("amounts of money are equal where another locale writes them alike", async () => {
  const money =
    "CREATE DOMAIN price AS money; CREATE TABLE m (id int PRIMARY KEY, a money DEFAULT '-$1,234.50', b price, c money[]); INSERT INTO m VALUES (1, DEFAULT, '12.34', '{0.01,NULL}')";
  const [source, target] = [await database(servers.new, money), await database(servers.new)];
  await sql(source, `ALTER DATABASE ${source.database} SET lc_monetary = 'POSIX'`);
  await sql(target, `ALTER DATABASE ${target.database} SET lc_monetary = 'C'`);
  await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
  const all =
    "SELECT a::text, b::text, c::text, (SELECT column_default FROM information_schema.columns WHERE table_name = 'm' AND column_name = 'a') AS d FROM m";
  expect(await sql(target, all)).toEqual(await sql(source, all));
});
