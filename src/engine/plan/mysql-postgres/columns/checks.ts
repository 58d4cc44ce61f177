import type { InventoryEntry } from "../../../contract/index.ts";
import { type KnownEntry, renamed } from "../../../contract/known.ts";
import { isJsonCheck, type SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { identifier } from "../../../postgres/driver/names.ts";
import { createNames } from "../tables/names.ts";
import type { ColumnPlan, Scheme } from "./column-plan.ts";
import { isGenerated, mentions, readable, type Translator } from "./expressions.ts";

/** CHECK constraints and generated columns, where their expressions are translated. Pure. */
export interface CheckPlan {
  /** In the source. */
  name: string;
  /** Its name in the target. */
  target: string;
  add: string;
  /** Undefined: it is not enforced in the source either. */
  validate: string | undefined;
  drop: string;
  definition: string;
}

const virtualFrom = 180_000;
const unenforcedFrom = 180_000;

/** After the column's type in DDL, or why the column is plain. */
export function computedAs(
  scheme: Scheme,
  source: SourceTable,
  column: ColumnPlan,
  translate: Translator,
): { sql: string } | { reason: string } {
  const { generation, extra, name } = column.source;
  const other = source.columns.find((one) => one.name !== name && isGenerated(one) && mentions(generation, one));
  if (other !== undefined)
    return { reason: `it reads the generated column ${other.name}, which PostgreSQL does not allow` };
  if (column.forced) return { reason: "options.types gives the column a type of its own" };
  const translated = translate(generation, "generated", column);
  if ("reason" in translated) return translated;
  const keyed =
    source.indexes.some(({ parts }) => parts.some((part) => part.column === name || part.expression !== null)) ||
    source.foreignKeys.some(({ columns }) => columns.includes(name)) ||
    source.partitions !== null ||
    column.type.labels !== undefined ||
    source.checks.some(({ clause }) => mentions(clause, column.source));
  const virtual = scheme.targetVersion >= virtualFrom && extra.includes("virtual") && !keyed;
  return { sql: `GENERATED ALWAYS AS (${translated.sql}) ${virtual ? "VIRTUAL" : "STORED"}` };
}

/** Names of constraints that PostgreSQL makes with a table by itself. */
export const constraintsOfColumns = (table: string, columns: readonly ColumnPlan[]): string[] =>
  columns.flatMap(({ name, type, nullable }) => [
    ...(type.check === undefined ? [] : [`${table}_${name}_check`]),
    ...(nullable ? [] : [`${table}_${name}_not_null`]),
  ]);

export const checkEntry = (
  table: string,
  { name, target }: Pick<CheckPlan, "name" | "target">,
  outcome: InventoryEntry["outcome"],
): KnownEntry => ({
  kind: "check",
  name: `${table}.${name}`,
  outcome,
  ...(outcome === "converted" && target !== name ? { note: renamed(target), targetName: target } : {}),
});

/** `taken`: names of the table's other constraints in the target. Foreign keys keep their names too. */
export function planChecks(
  scheme: Scheme,
  source: SourceTable,
  { table, taken }: { table: string; taken: readonly string[] },
  translate: Translator,
): { checks: CheckPlan[]; inventory: InventoryEntry[] } {
  const checks: CheckPlan[] = [];
  const inventory: InventoryEntry[] = [];
  const names = createNames([...taken, ...source.foreignKeys.map(({ name }) => name)]);
  for (const check of source.checks) {
    const { name, clause, enforced } = check;
    if (source.columns.some((column) => column.name === name && isJsonCheck(check, column))) {
      const note = "it marks a longtext as MariaDB's JSON: the column's type replaces it";
      inventory.push({ kind: "check", name: `${source.name}.${name}`, outcome: "converted", note });
      continue;
    }
    const definition = readable(scheme, clause);
    const report = (note: string) =>
      inventory.push({ kind: "check", name: `${source.name}.${name}`, outcome: "reported", note, definition });
    if (!enforced && scheme.targetVersion < unenforcedFrom) {
      report("it is not enforced in the source, and PostgreSQL before 18 has no such check");
      continue;
    }
    const translated = translate(clause, "check");
    if ("reason" in translated) {
      report(`not translated: ${translated.reason}`);
      continue;
    }
    const target = names.take(name, `check ${source.name}\0${name}`);
    const quoted = identifier(target);
    checks.push({
      name,
      target,
      add: `ALTER TABLE ${table} ADD CONSTRAINT ${quoted} CHECK (${translated.sql}) ${enforced ? "NOT VALID" : "NOT ENFORCED"}`,
      validate: enforced ? `ALTER TABLE ${table} VALIDATE CONSTRAINT ${quoted}` : undefined,
      drop: `ALTER TABLE ${table} DROP CONSTRAINT ${quoted}`,
      definition,
    });
  }
  return { checks, inventory };
}
