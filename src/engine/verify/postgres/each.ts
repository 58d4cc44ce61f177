/** Particulars of PostgreSQL's objects as SQL: one row for each, by its own name. Pure. */

export interface Aspect {
  kind: string;
  /** As the inventory names the object. */
  name: string;
  /** As in `its … differs`. */
  aspect: string;
  value: string;
  /** Servers of every version write it alike. */
  settled: boolean;
}

/** Of a user's schemas: catalogues and TOAST tables have many more columns than all that is compared. */
export const inSchema = (alias: string, column: string): string =>
  `JOIN pg_catalog.pg_namespace n ON n.oid = ${alias}.${column} AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

/** `aspects`: `[name, SQL of a text, settled]`. */
export const each = (kind: string, name: string, aspects: readonly [string, string, boolean][], from: string): string =>
  `SELECT ${kind}, ${name}, a.* FROM ${from} CROSS JOIN LATERAL (VALUES ${aspects
    .map(([aspect, value, settled]) => `('${aspect}', (${value})::pg_catalog.text, ${settled})`)
    .join(", ")}) a`;
