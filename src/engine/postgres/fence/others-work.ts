import { counted } from "../../../guard/text.ts";
import { EngineError, type MadeObject } from "../../contract/index.ts";
import { isNamed } from "../../run/fence/drop-option.ts";
import type { Fence } from "../../run/fence/fence.ts";
import { refuseTouched, type TouchedTable } from "../../run/fence/others-work.ts";
import type { Session } from "../driver/connection.ts";
import { qualified } from "../driver/names.ts";

/**
 * Before a second attempt drops or empties tables that an earlier one made: what others did on them meanwhile, which would
 * go with them. Others' is what was written by no transaction of the run's.
 */

interface Found {
  schema: string;
  name: string;
  kind: string;
  /** Objects on it that are not the run's, in words. */
  extras: string[];
}

interface Going {
  /** options.drop: tables that go whatever stands on them. */
  drop?: readonly string[] | undefined;
  /** Their rows alone go. */
  emptied?: boolean;
}

/** Errors: `target_changed`, which names what is not the run's. */
export async function refuseOthersWork(
  session: Session,
  fence: Pick<Fence<Session>, "transactions">,
  made: readonly MadeObject[],
  { drop = [], emptied = false }: Going = {},
): Promise<void> {
  const tables = made.flatMap(({ kind, id, name: [schema = "", name = ""] }) =>
    kind === "table" && id !== undefined && !isNamed(drop, schema, name) ? [id.slice(id.indexOf(":") + 1)] : [],
  );
  if (tables.length === 0) return;
  const transactions = (await fence.transactions?.()) ?? [];
  const ids = made.flatMap(({ id }) => id ?? []);
  const touched: TouchedTable[] = [];
  for (const { schema, name, kind, extras } of await look(session, tables, transactions, ids)) {
    const rows = kind === "r" ? await othersRows(session, { schema, name }, transactions) : 0;
    const others = [
      ...(emptied ? [] : extras),
      ...(rows === 0 ? [] : [rows > mostRows ? `more than ${mostRows} rows` : counted(rows, "row")]),
    ];
    touched.push({ name: `${schema}.${name}`, others });
  }
  refuseTouched(touched);
}

/**
 * Tables that are there by their id, with what no transaction of the run's wrote, and is no object of its list. A table or
 * key that was made in a savepoint tells the number of that: it stands in the row of the table's type, or in the key's own.
 */
async function look(
  session: Session,
  tables: readonly string[],
  transactions: readonly string[],
  ids: readonly string[],
): Promise<Found[]> {
  const clones = session.version >= 130_000 ? "AND g.tgparentid = 0" : "";
  return session.query<Found>(
    `WITH made AS MATERIALIZED (SELECT pg_catalog.unnest($3::pg_catalog.text[]) AS id),
       t AS MATERIALIZED (SELECT c.oid, n.nspname, c.relname, c.relkind, c.relacl, c.xmin::pg_catalog.text AS written FROM pg_catalog.pg_class c
              JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY ($1::pg_catalog.oid[]) AND c.relkind IN ('r', 'p')),
       own AS MATERIALIZED (SELECT pg_catalog.unnest($2::pg_catalog.text[]) AS id
             UNION SELECT y.xmin::pg_catalog.text FROM pg_catalog.pg_type y JOIN t ON t.oid = y.typrelid
             UNION SELECT o.xmin::pg_catalog.text FROM pg_catalog.pg_constraint o JOIN t ON t.oid = o.conrelid WHERE '2606:' || o.oid::int8 IN (SELECT id FROM made)
             UNION SELECT i.xmin::pg_catalog.text FROM pg_catalog.pg_index i JOIN t ON t.oid = i.indrelid WHERE '1259:' || i.indexrelid::int8 IN (SELECT id FROM made)),
       x AS (SELECT a.attrelid AS of, 'column ' || a.attname AS name, a.xmin::pg_catalog.text AS written, NULL::pg_catalog.text AS id
               FROM pg_catalog.pg_attribute a JOIN t ON t.oid = a.attrelid WHERE a.attnum > 0 AND NOT a.attisdropped
             UNION ALL SELECT g.tgrelid, 'trigger ' || g.tgname, g.xmin::pg_catalog.text, '2620:' || g.oid::int8
               FROM pg_catalog.pg_trigger g JOIN t ON t.oid = g.tgrelid WHERE NOT g.tgisinternal ${clones}
             UNION ALL SELECT w.ev_class, 'rule ' || w.rulename, w.xmin::pg_catalog.text, '2618:' || w.oid::int8
               FROM pg_catalog.pg_rewrite w JOIN t ON t.oid = w.ev_class
             UNION ALL SELECT p.polrelid, 'policy ' || p.polname, p.xmin::pg_catalog.text, '3256:' || p.oid::int8
               FROM pg_catalog.pg_policy p JOIN t ON t.oid = p.polrelid
             UNION ALL SELECT o.conrelid, 'constraint ' || o.conname, o.xmin::pg_catalog.text, '2606:' || o.oid::int8
               FROM pg_catalog.pg_constraint o JOIN t ON t.oid = o.conrelid WHERE o.contype <> 't' AND o.conparentid = 0
             UNION ALL SELECT i.indrelid, 'index ' || r.relname, i.xmin::pg_catalog.text, '1259:' || r.oid::int8
               FROM pg_catalog.pg_index i JOIN t ON t.oid = i.indrelid JOIN pg_catalog.pg_class r ON r.oid = i.indexrelid
              WHERE NOT r.relispartition AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint o WHERE o.conindid = r.oid AND o.conrelid = i.indrelid)
             UNION ALL SELECT s.stxrelid, 'statistics ' || s.stxname, s.xmin::pg_catalog.text, '3381:' || s.oid::int8
               FROM pg_catalog.pg_statistic_ext s JOIN t ON t.oid = s.stxrelid
             UNION ALL SELECT m.prrelid, 'membership in publication ' || b.pubname, m.xmin::pg_catalog.text, NULL
               FROM pg_catalog.pg_publication_rel m JOIN t ON t.oid = m.prrelid JOIN pg_catalog.pg_publication b ON b.oid = m.prpubid
             UNION ALL SELECT d.objoid, CASE d.objsubid WHEN 0 THEN 'its comment' ELSE 'the comment of a column' END, d.xmin::pg_catalog.text, NULL
               FROM pg_catalog.pg_description d JOIN t ON t.oid = d.objoid WHERE d.classoid = 1259
             UNION ALL SELECT t.oid, 'rights', t.written, NULL FROM t WHERE t.relacl IS NOT NULL)
     SELECT t.nspname AS schema, t.relname AS name, t.relkind::pg_catalog.text AS kind,
            pg_catalog.to_json(ARRAY(SELECT x.name FROM x WHERE x.of = t.oid AND x.written NOT IN (SELECT id FROM own)
              AND (x.id IS NULL OR x.id NOT IN (SELECT id FROM made)) ORDER BY 1)) AS extras
       FROM t ORDER BY 1, 2`,
    [tables, transactions, ids],
  );
}

const mostRows = 1_000;

/** How many rows no transaction of the run's wrote, up to one more than a message counts. */
async function othersRows(
  session: Session,
  { schema, name }: Pick<Found, "schema" | "name">,
  transactions: readonly string[],
): Promise<number> {
  const [row] = await session
    .query<{ count: number }>(
      `SELECT pg_catalog.count(*)::int4 AS count FROM (SELECT FROM ONLY ${qualified(schema, name)}
      WHERE xmin::pg_catalog.text NOT IN (SELECT pg_catalog.unnest($1::pg_catalog.text[])) LIMIT ${mostRows + 1}) x`,
      [transactions],
    )
    .catch((error: unknown) => {
      // The source's policies, which came with the run, hide the rows from their owner too.
      if (error instanceof EngineError && error.code === "permission_denied") return [];
      throw error;
    });
  return row?.count ?? 0;
}
