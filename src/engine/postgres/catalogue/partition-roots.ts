import type { Session } from "../driver/connection.ts";
import { literal } from "../driver/names.ts";
import { databaseLocale } from "./locale.ts";

/**
 * Partition trees whose rows may belong to other partitions on another server: HASH by an enum hashes the value's oid, a
 * range of texts follows the collation, and what a type of an extension does is not known. Rows of such a tree are loaded
 * and compared through the partitioned table itself. pg_dump's `--load-via-partition-root` is the same for all tables.
 */

export interface PartitionTree {
  oid: number;
  schema: string;
  name: string;
  /** The plain tables that hold its rows. */
  leaves: { oid: number; schema: string; name: string }[];
}

interface Key {
  /** The operator class's type, below domains: `anyenum`, `text`, `int4`. */
  type: string;
  /** The operator class is PostgreSQL's own. */
  builtin: boolean;
  expression: boolean;
  /** Quoted, with its schema; null of a type without one. */
  collation: string | null;
  deterministic: boolean;
}

interface Partitioned extends PartitionTree {
  strategy: "h" | "l" | "r";
  keys: Key[];
  /** Foreign tables among the partitions: rows must not be routed there. */
  foreigners: boolean;
}

/** On what a server's choice of a partition depends beside the values. */
export interface PartitionFacts {
  encoding: string;
  /** Of a known text: processors of other byte orders hash otherwise. */
  hash: string;
  /** By a collation's quoted name: what sorts by it, with its version. Missing: not known. */
  orders: Record<string, string>;
}

const defaultCollation = 'pg_catalog."default"';

/** Hashed alike by all servers, as long as these hash texts alike. `-0` and NaN keep floating-point types out. */
const hashed = new Set("bool bytea char date int2 int4 int8 numeric oid time timestamp timestamptz uuid".split(" "));
/** Ordered alike by all servers. An enum's values are made in the source's order. */
const ordered = new Set([...hashed, ..."anyenum bit cidr float4 float8 inet interval macaddr varbit".split(" ")]);

/** Trees of the source that must be loaded and compared through their root in this target: the uppermost such tables. */
export async function partitionRoots(source: Session, target: Session): Promise<PartitionTree[]> {
  const all = await readPartitioned(source);
  if (all.length === 0) return [];
  const collations = all.flatMap(({ keys }) => keys.flatMap(({ collation }) => collation ?? []));
  const names = [...new Set([defaultCollation, ...collations])];
  const [ours, theirs] = [await readFacts(source, names), await readFacts(target, names)];
  const taken = new Set<number>();
  // The uppermost first.
  return all.flatMap((tree) => {
    if (tree.leaves.every(({ oid }) => taken.has(oid))) return [];
    if (tree.foreigners || tree.keys.every((key) => isKept(tree.strategy, key, ours, theirs))) return [];
    for (const leaf of tree.leaves) taken.add(leaf.oid);
    return [{ oid: tree.oid, schema: tree.schema, name: tree.name, leaves: tree.leaves }];
  });
}

/** Whether both servers choose the same partition for each value of the key. */
export function isKept(
  strategy: Partitioned["strategy"],
  { type, builtin, expression, collation, deterministic }: Key,
  ours: PartitionFacts,
  theirs: PartitionFacts,
): boolean {
  const alike = (name: string) => ours.orders[name] !== undefined && ours.orders[name] === theirs.orders[name];
  const encoded = ours.encoding === theirs.encoding;
  if (!builtin || (strategy === "h" && ours.hash !== theirs.hash)) return false;
  if (expression && !(encoded && alike(defaultCollation))) return false;
  if (collation === null) return (strategy === "h" ? hashed : ordered).has(type);
  if (!encoded && strategy !== "l") return false;
  return (deterministic && strategy !== "r") || alike(collation);
}

const quotedCollation = `pg_catalog.quote_ident(s.nspname) || '.' || pg_catalog.quote_ident(o.collname)`;

function readPartitioned(session: Session): Promise<Partitioned[]> {
  return session.query<Partitioned>(
    `WITH RECURSIVE tree AS (
       SELECT p.partrelid AS root, p.partrelid AS oid FROM pg_catalog.pg_partitioned_table p
       UNION ALL SELECT tree.root, i.inhrelid FROM tree JOIN pg_catalog.pg_inherits i ON i.inhparent = tree.oid),
     below AS (
       SELECT tree.root, pg_catalog.count(*) AS size,
              pg_catalog.json_agg(pg_catalog.json_build_object('oid', c.oid::int8, 'schema', n.nspname, 'name', c.relname)) FILTER (WHERE c.relkind = 'r') AS leaves,
              pg_catalog.bool_or(c.relkind = 'f') AS foreigners
         FROM tree JOIN pg_catalog.pg_class c ON c.oid = tree.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace GROUP BY 1)
     SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name, p.partstrat::text AS strategy, below.leaves, below.foreigners,
            (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('type', t.typname, 'builtin', k.class < 16384, 'expression', k.attnum = 0,
                      'collation', CASE WHEN o.oid IS NOT NULL THEN ${quotedCollation} END,
                      'deterministic', COALESCE((pg_catalog.to_jsonb(o) ->> 'collisdeterministic')::bool, true)))
               FROM ROWS FROM (pg_catalog.unnest(p.partattrs::int2[]), pg_catalog.unnest(p.partclass::oid[]), pg_catalog.unnest(p.partcollation::oid[]))
                      AS k(attnum, class, coll)
               JOIN pg_catalog.pg_opclass x ON x.oid = k.class JOIN pg_catalog.pg_type t ON t.oid = x.opcintype
               LEFT JOIN (pg_catalog.pg_collation o JOIN pg_catalog.pg_namespace s ON s.oid = o.collnamespace) ON o.oid = k.coll) AS keys
       FROM pg_catalog.pg_partitioned_table p JOIN pg_catalog.pg_class c ON c.oid = p.partrelid
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN below ON below.root = c.oid
      WHERE below.leaves IS NOT NULL ORDER BY below.size DESC, c.oid`,
  );
}

/** The `C` locales sort by code points, with no version: PostgreSQL itself takes them for unchanging. */
const plain = "~ '^(C|POSIX|PG_UNICODE_FAST)$|^C[.]'";

/** `names`: collations, quoted, with their schema. */
async function readFacts(session: Session, names: readonly string[]): Promise<PartitionFacts> {
  const locale = await databaseLocale(session);
  const version = session.version >= 150_000 ? "pg_catalog.pg_database_collation_actual_version(b.oid)" : "NULL::text";
  const [row] = await session.query<{ encoding: string; hash: string; version: string | null }>(
    `SELECT pg_catalog.current_setting('server_encoding') AS encoding, pg_catalog.hashtext('Rowferry')::text AS hash,
            CASE WHEN b.datcollate ${plain} AND COALESCE(pg_catalog.to_jsonb(b) ->> 'datlocprovider', 'c') <> 'i'
                   OR pg_catalog.to_jsonb(b) ->> 'datlocprovider' = 'b' THEN '' ELSE ${version} END AS version
       FROM pg_catalog.pg_database b WHERE b.datname = pg_catalog.current_database()`,
  );
  const orders: Record<string, string> = {};
  if (row !== undefined && row.version !== null) orders[defaultCollation] = `${locale} ${row.version}`;
  const found = await session.query<{ name: string; order: string }>(
    `SELECT x.name, pg_catalog.concat_ws(' ', x.d ->> 'collprovider', x.locale, x.d ->> 'collicurules', x.version) AS order
       FROM (SELECT ${quotedCollation} AS name, j.d, j.locale,
                    CASE WHEN o.collprovider <> 'i' AND j.locale ${plain} THEN '' ELSE pg_catalog.pg_collation_actual_version(o.oid) END AS version
               FROM pg_catalog.pg_collation o JOIN pg_catalog.pg_namespace s ON s.oid = o.collnamespace,
                    LATERAL (SELECT pg_catalog.to_jsonb(o) AS d, COALESCE(pg_catalog.to_jsonb(o) ->> 'colllocale', pg_catalog.to_jsonb(o) ->> 'colliculocale', o.collcollate) AS locale) j
              WHERE ${quotedCollation} IN (${names.map(literal).join(", ")}) AND o.collprovider <> 'd'
                AND o.collencoding IN (-1, pg_catalog.pg_char_to_encoding(pg_catalog.current_setting('server_encoding')))) x
      WHERE x.version IS NOT NULL`,
  );
  for (const { name, order } of found) orders[name] = order;
  return { encoding: row?.encoding ?? "", hash: row?.hash ?? "", orders };
}
