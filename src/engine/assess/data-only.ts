import type { Session } from "../postgres/driver/connection.ts";
import type { ReportFinding } from "./finding.ts";
import { shortList } from "./mysql/index.ts";
import { reportRefused } from "./name-conflicts.ts";

/** Content `data` into PostgreSQL's tables: what the rows would meet there beside their columns. */

interface Named {
  schema: string;
  name: string;
}

/** `quietly`: the copy's own way past triggers and foreign keys; it sets the session, and writes nothing. */
export async function reportDataOnly(
  target: Session,
  tables: readonly Named[],
  report: ReportFinding,
  quietly: () => Promise<void>,
): Promise<void> {
  await reportRefused(report, "the target's triggers and foreign keys", quietly);
  const named = [JSON.stringify(tables.map(({ schema, name }) => ({ schema, name })))];
  const closed = await target.query<{ name: string }>(
    `SELECT n.nspname || '.' || c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(schema text, name text) ON r.schema = n.nspname AND r.name = c.relname
      WHERE NOT (pg_catalog.has_table_privilege(c.oid, 'INSERT') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
                 AND pg_catalog.has_schema_privilege(n.oid, 'USAGE'))`,
    named,
  );
  if (closed.length > 0)
    report(
      "blocker",
      "right_missing",
      shortList(closed.map(({ name }) => name)),
      "the target's user may not write and count rows there",
      "GRANT SELECT, INSERT ON these tables, and USAGE ON their schemas",
    );
  const away = await target.query<{ key: string; to: string }>(
    `WITH ours AS (SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                     JOIN pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(schema text, name text) ON r.schema = n.nspname AND r.name = c.relname)
     SELECT n.nspname || '.' || c.relname || ' ' || o.conname AS key, fn.nspname || '.' || f.relname AS to
       FROM pg_catalog.pg_constraint o JOIN pg_catalog.pg_class c ON c.oid = o.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_catalog.pg_class f ON f.oid = o.confrelid JOIN pg_catalog.pg_namespace fn ON fn.oid = f.relnamespace
      WHERE o.contype = 'f' AND o.convalidated AND o.conrelid IN (SELECT oid FROM ours) AND o.confrelid NOT IN (SELECT oid FROM ours)`,
    named,
  );
  for (const { key, to } of away)
    report(
      "warning",
      "refers_elsewhere",
      key,
      `the target's foreign key refers to ${to}, whose rows are not copied: the copy fails at its end where one is missing there`,
      `have the rows in ${to}, or copy them too`,
    );
}
