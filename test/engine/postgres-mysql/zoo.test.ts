import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyReport } from "../../../src/engine/contract/index.ts";
import { printable } from "../../../src/engine/contract/text/printable.ts";
import { pair, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { sql } from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";

/** Every row of the catalogues that a person made must be found in the report: nothing is left out in silence. */

/** Kind of the server's words → kinds of the report's entries. What is not here has no entry of its own. */
const kinds: Record<string, string[]> = {
  table: ["table"],
  "table column": ["column"],
  "foreign table": ["foreign table"],
  view: ["view"],
  "materialized view": ["materialized view"],
  "composite type": ["type"],
  sequence: ["sequence"],
  index: ["index"],
  type: ["type", "domain"],
  domain: ["domain"],
  function: ["function"],
  procedure: ["procedure"],
  aggregate: ["aggregate"],
  "table constraint": ["constraint", "foreign table"],
  "domain constraint": ["domain"],
  trigger: ["trigger"],
  rule: ["rule"],
  policy: ["policy"],
  operator: ["operator"],
  "operator class": ["operator class"],
  "operator family": ["operator family"],
  language: ["language"],
  cast: ["cast"],
  conversion: ["conversion"],
  collation: ["collation"],
  "text search configuration": ["text search configuration"],
  "text search dictionary": ["text search dictionary"],
  "text search parser": ["text search parser"],
  "text search template": ["text search template"],
  extension: ["extension"],
  "foreign-data wrapper": ["foreign data wrapper"],
  server: ["server"],
  "user mapping": ["user mapping"],
  "event trigger": ["event trigger"],
  publication: ["publication"],
  "statistics object": ["statistics"],
  "large object": ["large object"],
  "default acl": ["default privileges"],
  transform: ["transform"],
  "access method": ["access method"],
  schema: ["schema"],
};

const catalogues = [
  "pg_class",
  "pg_type",
  "pg_proc",
  "pg_constraint",
  "pg_trigger",
  "pg_rewrite",
  "pg_policy",
  "pg_operator",
  "pg_opclass",
  "pg_opfamily",
  "pg_language",
  "pg_cast",
  "pg_conversion",
  "pg_collation",
  "pg_ts_config",
  "pg_ts_dict",
  "pg_ts_parser",
  "pg_ts_template",
  "pg_extension",
  "pg_foreign_data_wrapper",
  "pg_foreign_server",
  "pg_event_trigger",
  "pg_publication",
  "pg_statistic_ext",
  "pg_default_acl",
  "pg_transform",
  "pg_am",
  "pg_namespace",
];

interface Identified {
  type: string;
  names: string[];
  identity: string;
}

/** Without what the server makes by itself: parts of extensions, row and array types, TOAST, copies of keys on partitions. */
const everything = `
  SELECT i.type, a.object_names AS names, i.identity FROM (
    ${catalogues.map((name) => `SELECT '${name}'::regclass::oid AS class, oid AS id FROM ${name} WHERE oid >= 16384`).join(" UNION ALL ")}
    UNION ALL SELECT 'pg_largeobject'::regclass, oid FROM pg_largeobject_metadata) o
  CROSS JOIN LATERAL pg_identify_object(o.class, o.id, 0) i CROSS JOIN LATERAL pg_identify_object_as_address(o.class, o.id, 0) a
  WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.id AND d.deptype IN ('e', 'i')
                      AND NOT (o.class = 'pg_constraint'::regclass) AND NOT (o.class = 'pg_class'::regclass AND EXISTS (SELECT FROM pg_class c WHERE c.oid = o.id AND c.relkind IN ('S', 'c', 'i'))))
    AND NOT EXISTS (SELECT FROM pg_constraint k WHERE o.class = 'pg_constraint'::regclass AND k.oid = o.id AND (k.coninhcount > 0 OR k.conparentid <> 0 OR k.contype = 't' OR (k.contype = 'n' AND k.convalidated) OR k.connamespace < 16384))
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.deptype = 'e' AND ((d.classid = o.class AND d.objid = o.id)
                      OR (o.class = 'pg_constraint'::regclass AND d.objid IN (SELECT conrelid FROM pg_constraint k WHERE k.oid = o.id UNION SELECT contypid FROM pg_constraint k WHERE k.oid = o.id))))
    AND NOT EXISTS (SELECT FROM pg_class c WHERE o.class = 'pg_class'::regclass AND c.oid = o.id AND (c.relnamespace = 'pg_toast'::regnamespace OR c.relkind = 't' OR (c.relkind IN ('i', 'I') AND c.relispartition)))
    AND NOT EXISTS (SELECT FROM pg_trigger t WHERE o.class = 'pg_trigger'::regclass AND t.oid = o.id AND t.tgisinternal)
    AND NOT EXISTS (SELECT FROM pg_rewrite r WHERE o.class = 'pg_rewrite'::regclass AND r.oid = o.id AND r.rulename = '_RETURN')
    AND i.identity NOT LIKE '%more.wide%'
  UNION ALL
  SELECT 'table column', ARRAY[n.nspname, c.relname, a.attname], format('%I.%I.%I', n.nspname, c.relname, a.attname) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.oid >= 16384 AND c.relkind IN ('r', 'p', 'm') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped AND c.relname <> 'wide' AND n.nspname !~ '^(pg_|information_schema)'`;

const bare = (text: string) => text.replaceAll('"', "");

/** The kinds that must carry the source's text when they are not copied. */
const wordless = new Set(["user mapping", "foreign data wrapper", "transform", "schema", "subscription"]);

describe("the zoo from PostgreSQL to MySQL", () => {
  let servers: Servers;
  let report: CopyReport;
  let objects: Identified[];
  beforeAll(async () => {
    servers = await startServers("mysql");
    const [zoo, newest] = await Promise.all(
      ["zoo.sql", "zoo-18.sql"].map((name) =>
        readFile(new URL(`../postgres-postgres/${name}`, import.meta.url), "utf8"),
      ),
    );
    const both = await pair(servers, `${zoo}\n${newest}`);
    ({ report } = await run(both, { options: { jobs: 2, verify: "checksum", exclude: ["more.wide"] } }));
    objects = await sql<Identified>({ server: servers.source, database: both.name }, everything);
  });
  afterAll(() => servers?.close());

  test("every row is there, and equal", () => {
    expect(report.verification?.differences).toEqual([]);
    for (const { rows: counted } of report.tables) expect(counted.target).toBe(counted.source);
    expect(report.tables.find(({ source }) => source === "app.log")?.rows.target).toBe(1000);
  });

  test("every object of the catalogues is in the report's inventory", () => {
    expect(objects.length).toBeGreaterThan(300);
    const large = objects.filter(({ type }) => type === "large object");
    expect(report.inventory).toContainEqual(
      expect.objectContaining({ kind: "large object", name: `all ${large.length}`, outcome: "reported" }),
    );
    const missing = objects
      .filter(({ type, names }) => {
        if (type === "large object") return false;
        const accepted = kinds[type];
        return !report.inventory.some(
          ({ kind, name, definition = "" }) =>
            accepted?.includes(kind) &&
            names.map(bare).every((one) => bare(name).includes(printable(one)) || bare(definition).includes(one)),
        );
      })
      .map(({ type, identity }) => `${type} ${identity}`);
    expect(missing).toEqual([]);
  });

  test("what is not copied has a reason, and the source's own text", () => {
    const reported = report.inventory.filter(({ outcome }) => outcome === "reported");
    expect(reported.length).toBeGreaterThan(80);
    expect(reported.filter(({ note = "" }) => note === "")).toEqual([]);
    expect(
      reported
        .filter(({ kind, definition = "" }) => definition === "" && !wordless.has(kind))
        .map(({ kind, name }) => `${kind} ${name}`),
    ).toEqual([]);
  });

  test("no entry stands twice, and no password of a user mapping in any", () => {
    const keys = report.inventory.map(({ kind, name }) => `${kind} ${name}`);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
    expect(JSON.stringify(report)).not.toContain("s'x");
  });

  test("rights, comments and settings that have no home are named", () => {
    const names = (kind: string) => report.inventory.filter((entry) => entry.kind === kind).map(({ name }) => name);
    expect(names("grant")).toEqual(
      expect.arrayContaining([
        "app.orders to PUBLIC",
        "app.orders.total to PUBLIC",
        "schema more to PUBLIC",
        "type more.nested to PUBLIC",
        "server own_server to PUBLIC",
        "large object 4711 to PUBLIC",
      ]),
    );
    expect(names("comment")).toEqual(
      expect.arrayContaining(["schema more", "function app.twice(integer)", "table constraint late on app.orders"]),
    );
    expect(names("storage parameters")).toEqual(expect.arrayContaining(["more.many", "more.replica_nothing"]));
    expect(names("row-level security")).toContain("app.secret");
  });
});
