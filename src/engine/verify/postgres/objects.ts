import { fullName } from "../../contract/text/full-name.ts";
import { readSkippedObjects } from "../../plan/postgres-postgres/index.ts";
import { readInventory, thingKey } from "../../postgres/catalogue/inventory.ts";
import { isPublicComment, ofUsers } from "../../postgres/catalogue/tables.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import { fullNameSql, literal, partSql, qualified } from "../../postgres/driver/names.ts";
import { reading } from "../../postgres/source/holding.ts";
import { mayReadSequence } from "../../postgres/source/unreadable-sequences.ts";
import type { ComparedObject } from "../same-engine.ts";
import { readAspects } from "./aspects.ts";
import type { Aspect } from "./each.ts";
import { readContents } from "./large-objects.ts";

/**
 * Every object of a PostgreSQL database with all its particulars, the state of sequences and the bytes of large objects among
 * them; of these only those that are given. `without`: full names of tables that are not part of the comparison.
 */
export async function readPostgresObjects(
  session: Session,
  largeObjects: readonly number[],
  without: readonly string[],
): Promise<ComparedObject[]> {
  const things = (await readInventory(session, new Set())).filter(
    ({ kind, name, relation }) => !/\._rowferry$/.test(kind === "table" ? name : (relation ?? "")),
  );
  const seen = new Map<string, ComparedObject>();
  for (const { kind, name, detail, relation } of things)
    seen.set(thingKey({ kind, name }), {
      kind,
      name,
      of: relation ?? (relations.has(kind) ? name : undefined),
      aspects: [{ aspect: "definition", value: detail, settled: false, shown: shownKinds.has(kind) }],
    });
  const contents = largeObjects.length === 0 ? [] : await readContents(session, largeObjects);
  const large = contents.map(({ oid, value }) => ({
    ...{ kind: "large object", name: String(oid) },
    ...{ aspect: "content", value, settled: true },
  }));
  for (const { kind, name } of large) seen.set(thingKey({ kind, name }), { kind, name, of: undefined, aspects: [] });
  const extra = [...(await readAspects(session, without)), ...(await readSequences(session)), ...large];
  for (const { name, of } of await readStatistics(session)) {
    const one = seen.get(thingKey({ kind: "statistics", name }));
    if (one !== undefined) one.of = of;
  }
  for (const { kind, name, ...aspect } of extra) seen.get(thingKey({ kind, name }))?.aspects.push(aspect);
  for (const { kind, name, note } of await readSkippedObjects(session)) {
    const one = kind === "index" ? seen.get(thingKey({ kind, name })) : undefined;
    if (one !== undefined) one.may = note;
  }
  return [...seen.values(), ...(await readComments(session))];
}

const relations = new Set(["table", "view", "materialized view", "foreign table"]);
/** Short, and telling. */
const shownKinds = new Set(["column", "constraint", "index"]);

/** Names of relations that cannot be without those given, which are left out; all as full-name.ts writes them. */
export async function readDependents(session: Session, without: readonly string[]): Promise<Set<string>> {
  if (without.length === 0) return new Set();
  const rows = await session.query<{ name: string }>(
    `WITH RECURSIVE gone(oid) AS (
       SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE ${fullNameSql("n.nspname", "c.relname")} = ANY ($1::text[])
       UNION
       SELECT r.ev_class FROM gone g JOIN pg_catalog.pg_depend d ON d.refobjid = g.oid AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
                AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid)
     SELECT ${fullNameSql("n.nspname", "c.relname")} AS name FROM gone g JOIN pg_catalog.pg_class c ON c.oid = g.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     UNION ALL
     SELECT 'constraint ' || ${fullNameSql("n.nspname", "c.relname")} || ' ' || ${partSql("o.conname")} FROM gone g JOIN pg_catalog.pg_constraint o ON o.confrelid = g.oid
       JOIN pg_catalog.pg_class c ON c.oid = o.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace`,
    [without],
  );
  return new Set(rows.map(({ name }) => name));
}

const batch = 200;

/** Those that the user may read: who compares others refuses them (unreadable.ts). */
async function readSequences(session: Session): Promise<Aspect[]> {
  const sequences = await session.query<{ schema: string; name: string; definition: string }>(
    `SELECT n.nspname AS schema, c.relname AS name, ${
      session.version >= 100_000
        ? "pg_catalog.concat_ws(' ', pg_catalog.format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement, s.seqmax, s.seqmin, s.seqcache, s.seqcycle)"
        : "''"
    } AS definition
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       ${session.version >= 100_000 ? "JOIN pg_catalog.pg_sequence s ON s.seqrelid = c.oid" : ""}
      WHERE c.relkind = 'S' AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND ${mayReadSequence}`,
  );
  const parts: Aspect[] = [];
  for (let start = 0; start < sequences.length; start += batch) {
    const some = sequences.slice(start, start + batch);
    const each = some.map(
      ({ schema, name }, at) =>
        `SELECT ${at} AS at, last_value || ' ' || is_called AS value FROM ${qualified(schema, name)}`,
    );
    // Each sequence that is read stays locked until the locks are released.
    const states = await reading(session, [], (one) =>
      one.query<{ at: number; value: string }>(each.join(" UNION ALL ")),
    );
    for (const { at, value } of states) {
      const { schema, name, definition } = some[at] as (typeof some)[number];
      const base = { kind: "sequence", name: fullName(schema, name), settled: true };
      parts.push({ ...base, aspect: "next value", value }, { ...base, aspect: "definition", value: definition });
    }
  }
  return parts;
}

/** The tables that extended statistics are of. */
const readStatistics = (session: Session): Promise<{ name: string; of: string }[]> =>
  session.query(
    `SELECT ${fullNameSql("n.nspname", "s.stxname")} AS name, ${fullNameSql("cn.nspname", "c.relname")} AS of
       FROM pg_catalog.pg_statistic_ext s JOIN pg_catalog.pg_namespace n ON n.oid = s.stxnamespace
       JOIN pg_catalog.pg_class c ON c.oid = s.stxrelid JOIN pg_catalog.pg_namespace cn ON cn.oid = c.relnamespace`,
  );

/** Comments stand beside what they are of, under its own identity. */
async function readComments(session: Session): Promise<ComparedObject[]> {
  const catalog = (name: string) => `${literal(`pg_catalog.${name}`)}::pg_catalog.regclass`;
  const rows = await session.query<{ name: string; value: string; of: string | null }>(
    `SELECT i.type || ' ' || i.identity AS name, d.description AS value, ${fullNameSql("cn.nspname", "c.relname")} AS of
       FROM pg_catalog.pg_description d CROSS JOIN LATERAL pg_catalog.pg_identify_object(d.classoid, d.objoid, d.objsubid) i
       LEFT JOIN pg_catalog.pg_class c ON c.oid = CASE d.classoid WHEN ${catalog("pg_class")} THEN COALESCE((SELECT x.indrelid FROM pg_catalog.pg_index x WHERE x.indexrelid = d.objoid), d.objoid)
            WHEN ${catalog("pg_statistic_ext")} THEN (SELECT s.stxrelid FROM pg_catalog.pg_statistic_ext s WHERE s.oid = d.objoid)
            WHEN ${catalog("pg_rewrite")} THEN (SELECT r.ev_class FROM pg_catalog.pg_rewrite r WHERE r.oid = d.objoid)
            WHEN ${catalog("pg_constraint")} THEN (SELECT o.conrelid FROM pg_catalog.pg_constraint o WHERE o.oid = d.objoid)
            WHEN ${catalog("pg_trigger")} THEN (SELECT t.tgrelid FROM pg_catalog.pg_trigger t WHERE t.oid = d.objoid)
            WHEN ${catalog("pg_policy")} THEN (SELECT p.polrelid FROM pg_catalog.pg_policy p WHERE p.oid = d.objoid) END
       LEFT JOIN pg_catalog.pg_namespace cn ON cn.oid = c.relnamespace
      WHERE (d.objoid >= 16384 OR ${isPublicComment("d")}) AND ${ofUsers("COALESCE(i.schema, '')")} AND d.classoid <> ${catalog("pg_extension")}
        AND COALESCE(c.relname, '') <> '_rowferry'
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend e WHERE e.classid = d.classoid AND e.objid = d.objoid AND e.deptype = 'e')`,
  );
  return rows.map(({ name, value, of }) => ({
    kind: "comment",
    name,
    of: of ?? undefined,
    aspects: [{ aspect: "text", value, settled: true }],
  }));
}
