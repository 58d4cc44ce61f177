import { EngineError } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { shortList } from "../../../contract/text/short-list.ts";
import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { isMoney, refuseMoneyOfNumbers } from "../../../postgres/catalogue/money.ts";
import { readConditions } from "../../../postgres/catalogue/table-conditions.ts";
import { belowDomains, labelsBelow } from "../../../postgres/catalogue/tables.ts";
import { readTypeParts, type TypePart } from "../../../postgres/catalogue/type-parts.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import type { CheckCondition } from "../../fits/conditions.ts";

/** Content `data`: the tables of the target that rows come into, with their columns by name. */
export interface ExistingTable {
  schema: string;
  name: string;
  partitioned: boolean;
  columns: ExistingColumn[];
  conditions?: readonly CheckCondition[];
}

export interface ExistingColumn {
  name: string;
  /** As in DDL, and without a length and below a domain. */
  type: string;
  base: string;
  /** Below all domains, with its length. */
  written: string;
  /** Of an enumeration. */
  labels: string[] | null;
  /** Of a composite type or an array of a user's type. */
  parts?: readonly TypePart[];
  /** Its collation's name; null where it has none, or one that takes other bytes for equal. */
  collation: string | null;
  notNull: boolean;
  /** A row may come without it. */
  optional: boolean;
  /** The target computes it. */
  computed: boolean;
  /** The sequence that its default or identity draws from. */
  counter: ExistingCounter | null;
}

export interface ExistingCounter {
  /** Quoted. */
  name: string;
  /** The largest number of the sequence, and of sequence and column, in digits. */
  last: string;
  most: string;
  /** Its present value may be read. */
  readable: boolean;
}

/** For a column `a` of the table `c`. */
const counterOf = `(SELECT json_build_object('name', format('%I.%I', n.nspname, s.relname), 'last', q.seqmax::text,
             'most', LEAST(q.seqmax, CASE a.atttypid WHEN 21 THEN 32767 WHEN 23 THEN 2147483647 ELSE q.seqmax END)::text, 'readable', has_sequence_privilege(s.oid, 'SELECT'))
    FROM (SELECT d.refobjid AS oid, 1 AS turn FROM pg_attrdef f JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass
           WHERE f.adrelid = c.oid AND f.adnum = a.attnum
          UNION ALL SELECT d.objid, 2 FROM pg_depend d WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid AND d.refobjsubid = a.attnum
             AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')) o
    JOIN pg_class s ON s.oid = o.oid AND s.relkind = 'S' JOIN pg_namespace n ON n.oid = s.relnamespace JOIN pg_sequence q ON q.seqrelid = s.oid
   ORDER BY o.turn LIMIT 1)`;

/**
 * By the source's names. A name of the target that differs in case only is taken where there is no other.
 * Errors: `schema_differs` names every table and column that is missing.
 */
export async function readThere(
  session: Writer,
  schema: string,
  tables: readonly SourceTable[],
): Promise<Map<string, ExistingTable>> {
  const deterministic = session.version >= 120_000 ? "o.collisdeterministic" : "true";
  const rows = await session.query<Omit<ExistingTable, "schema">>(
    `SELECT c.relname AS name, c.relkind = 'p' AS partitioned, COALESCE(
              (SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'base',
                      format_type(CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END, NULL),
                      'written', (SELECT format_type(b.oid, CASE WHEN b.oid = a.atttypid THEN a.atttypmod ELSE b.typmod END) FROM (${belowDomains("a.atttypid")}) b),
                      'labels', (SELECT ${labelsBelow} FROM (${belowDomains("a.atttypid")}) base),
                      'collation', (SELECT o.collname FROM pg_catalog.pg_collation o WHERE o.oid = a.attcollation AND ${deterministic}),
                      'notNull', a.attnotnull OR t.typnotnull, 'computed', a.attgenerated <> '',
                      'counter', CASE WHEN a.attgenerated = '' AND (a.atthasdef OR a.attidentity <> '') THEN ${counterOf} END,
                      'optional', NOT (a.attnotnull OR t.typnotnull) OR a.atthasdef OR a.attidentity <> '') ORDER BY a.attnum)
                 FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), '[]') AS columns
       FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`,
    [schema],
  );
  await addParts(session, schema, rows);
  const amounts: string[] = [];
  const found = new Map<string, ExistingTable>();
  const missing: string[] = [];
  for (const table of tables) {
    const there = called(rows, table.name);
    if (there === undefined) {
      missing.push(`table ${schema}.${table.name}`);
      continue;
    }
    found.set(table.name, { ...there, schema });
    const named = new Set<ExistingColumn>();
    for (const { name, generation } of table.columns) {
      const column = called(there.columns, name);
      if (column !== undefined) named.add(column);
      if (column !== undefined && !column.computed && holdsMoney(column)) amounts.push(`${table.name}.${name}`);
      if (column === undefined && generation === "") missing.push(`column ${schema}.${there.name}.${name}`);
    }
    for (const column of there.columns)
      if (!named.has(column) && !column.optional && !column.computed)
        missing.push(`a default of column ${schema}.${there.name}.${column.name}, which the source does not have`);
  }
  if (missing.length === 0) {
    await refuseMoneyOfNumbers(session, amounts);
    return found;
  }
  throw new EngineError(
    "schema_differs",
    `options.content is data, and the target lacks ${printable(shortList(missing, 10))}: make the schema first (content: schema), or leave these tables out`,
  );
}

/** What the catalogue's list of columns does not tell. */
async function addParts(session: Writer, schema: string, tables: Omit<ExistingTable, "schema">[]): Promise<void> {
  const names = tables.map(({ name }) => ({ schema, name }));
  const [parts, conditions] = [await readTypeParts(session, names), await readConditions(session, names)];
  for (const [at, table] of tables.entries()) {
    table.conditions = conditions[at] ?? [];
    for (const column of table.columns) {
      const own = parts[at]?.get(column.name);
      if (own !== undefined) column.parts = own;
    }
  }
}

const holdsMoney = ({ written, parts = [] }: ExistingColumn): boolean =>
  isMoney(written) || parts.some(({ type }) => isMoney(type));

/** The one of this name, or the only one that differs from it in case. */
export function called<Named extends { name: string }>(all: readonly Named[], name: string): Named | undefined {
  const same = all.find((one) => one.name === name);
  if (same !== undefined) return same;
  const alike = all.filter((one) => one.name.toLowerCase() === name.toLowerCase());
  return alike.length === 1 ? alike[0] : undefined;
}
