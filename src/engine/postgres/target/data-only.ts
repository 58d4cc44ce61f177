import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import type { DataTable } from "../catalogue/tables.ts";
import type { Session } from "../driver/connection.ts";
import { sqlState } from "../driver/errors.ts";

/** Rows into tables that are there already, past their triggers and foreign keys. */

type Named = Pick<DataTable, "schema" | "name">;

/**
 * Lets rows in without firing triggers and foreign keys, as a restore does: the rows are the source's, which has done so
 * before. Errors: `permission_denied` where the user may not, and there are any; `target_has_triggers` where some fire all the same.
 */
export async function quietly(target: Session, tables: readonly Named[]): Promise<void> {
  const [loud] = await target.query<{ name: string }>(
    `SELECT n.nspname || '.' || c.relname || ' (' || t.tgname || ')' AS name FROM pg_catalog.pg_trigger t
       JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(schema text, name text) ON r.schema = n.nspname AND r.name = c.relname
      WHERE t.tgenabled IN ('A', 'R') AND NOT t.tgisinternal AND t.tgtype & 4 <> 0 LIMIT 1`,
    [JSON.stringify(tables.map(({ schema, name }) => ({ schema, name })))],
  );
  if (loud !== undefined)
    throw new EngineError(
      "target_has_triggers",
      `rows cannot be let into ${printable(loud.name)} as they are: its trigger is enabled ALWAYS or REPLICA, and may change them; disable it (ALTER TABLE … DISABLE TRIGGER …), copy, and enable it again`,
    );
  try {
    await target.run("SET session_replication_role = replica");
  } catch (error) {
    if (sqlState(error) !== "42501") throw error;
    const [row] = await target.query<{ name: string }>(
      `SELECT c.relname || ' (' || t.tgname || ')' AS name FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         JOIN pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(schema text, name text) ON r.schema = n.nspname AND r.name = c.relname
        WHERE t.tgenabled NOT IN ('D', 'R') LIMIT 1`,
      [JSON.stringify(tables.map(({ schema, name }) => ({ schema, name })))],
    );
    if (row === undefined) return;
    throw new EngineError(
      "permission_denied",
      `rows cannot be let into tables with triggers or foreign keys, such as ${printable(row.name)}: give the target's user GRANT SET ON PARAMETER session_replication_role (PostgreSQL 15 or newer), or name a superuser`,
      { cause: error },
    );
  }
}

/** Foreign keys that the rows, which came in past them, violate. Errors: `foreign_key_violated`. */
export async function checkFilled(target: Session, tables: readonly Named[]): Promise<void> {
  const keys = await target.query<{ name: string; query: string }>(
    `SELECT n.nspname || '.' || c.relname || ' ' || o.conname AS name,
            pg_catalog.format('SELECT FROM %s %I.%I a WHERE %s AND NOT EXISTS (SELECT FROM %I.%I b WHERE %s) LIMIT 1',
              CASE WHEN c.relkind = 'p' THEN '' ELSE 'ONLY' END, n.nspname, c.relname,
              k.filled, fn.nspname, f.relname, k.met) AS query
       FROM pg_catalog.pg_constraint o JOIN pg_catalog.pg_class c ON c.oid = o.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_catalog.pg_class f ON f.oid = o.confrelid JOIN pg_catalog.pg_namespace fn ON fn.oid = f.relnamespace
       JOIN LATERAL (
            SELECT pg_catalog.string_agg(pg_catalog.format('a.%I IS NOT NULL', x.attname), ' AND ') AS filled,
                   pg_catalog.string_agg(pg_catalog.format('b.%I OPERATOR(%I.%s) a.%I', y.attname, pn.nspname, p.oprname, x.attname), ' AND ') AS met
              FROM ROWS FROM (pg_catalog.unnest(o.conkey), pg_catalog.unnest(o.confkey), pg_catalog.unnest(o.conpfeqop)) AS u(a, b, op)
              JOIN pg_catalog.pg_attribute x ON x.attrelid = o.conrelid AND x.attnum = u.a
              JOIN pg_catalog.pg_attribute y ON y.attrelid = o.confrelid AND y.attnum = u.b
              JOIN pg_catalog.pg_operator p ON p.oid = u.op JOIN pg_catalog.pg_namespace pn ON pn.oid = p.oprnamespace) k ON true
       JOIN pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(schema text, name text) ON r.schema = n.nspname AND r.name = c.relname
      WHERE o.contype = 'f' AND o.convalidated`,
    [JSON.stringify(tables.map(({ schema, name }) => ({ schema, name })))],
  );
  for (const { name, query } of keys) {
    if ((await target.query(query)).length === 0) continue;
    throw new EngineError(
      "foreign_key_violated",
      `rows of ${printable(name)} in the target refer to rows that do not exist there: copy the tables that they refer to as well, and run again`,
    );
  }
}
