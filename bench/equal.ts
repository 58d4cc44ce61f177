// Whether a copy holds what its source holds: a program that loses rows or indexes is not fast.
import type { Database } from "../dev/databases/index.ts";
import { ask, engineOf } from "./servers.ts";
import type { Shape } from "./shape.ts";

/** For each table its count of rows and sums over its columns, as text. */
export const factsOf = async (server: Database, database: string, { tables, sums }: Shape): Promise<string[]> => {
  const sql = tables.map((table) => `SELECT '${table}', count(*), ${sums} FROM ${table}`).join(" UNION ALL ");
  return (await ask(server, `${sql} ORDER BY 1`, database)).map((row) => row.join(" "));
};

const objects = {
  mysql: `SELECT (SELECT count(DISTINCT TABLE_NAME, INDEX_NAME) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE()),
    (SELECT count(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE())`,
  postgres: `SELECT (SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND i.indisvalid AND c.relname NOT LIKE '%\\_folded'), (SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated)`,
};

/** What differs in `dst` from the source's facts, in words; undefined: nothing. */
export const differences = async (
  server: Database,
  shape: Shape,
  facts: readonly string[],
): Promise<string | undefined> => {
  const there = await factsOf(server, "dst", shape);
  const at = facts.findIndex((fact, n) => fact !== there[n]);
  if (at >= 0) return `${there[at]} instead of ${facts[at]}`;
  const [row = []] = await ask(server, objects[engineOf(server)], "dst");
  const [indexes, foreignKeys] = row.map(Number);
  if (indexes !== shape.indexes) return `${indexes} indexes instead of ${shape.indexes}`;
  if (foreignKeys !== shape.foreignKeys) return `${foreignKeys} foreign keys instead of ${shape.foreignKeys}`;
  return undefined;
};
