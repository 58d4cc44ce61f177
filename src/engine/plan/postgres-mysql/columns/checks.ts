import { type KnownEntry, renamed } from "../../../contract/known.ts";
import { identifier } from "../../../mysql/driver/names.ts";
import { type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import type { ColumnPlan, ColumnPlanning } from "./column-plan.ts";
import { constraintName } from "./scheme.ts";

/** Checks of a table, of its columns' domains, and those that types want. Pure. */

export function planChecks(
  source: TableDefinition,
  columns: readonly ColumnPlan[],
  planning: ColumnPlanning,
  inventory: KnownEntry[],
  counter: string | undefined,
): string[] {
  const { expressions, scheme, brokenChecks } = planning;
  const counting = columns.find((column) => column.source.name === counter);
  const lines: string[] = [];
  const add = (
    kindOf: string,
    label: string,
    wanted: string,
    expression: string,
    definition: string,
    enforced = true,
  ) => {
    const name = constraintName(scheme, `check ${tableName(source)} ${label}`, wanted);
    const found = brokenChecks.has(name)
      ? { reason: "rows of the source break it" }
      : expressions.translate(columns, expression, "check");
    const translated =
      "sql" in found && counting !== undefined && found.sql.includes(identifier(counting.name))
        ? { reason: "MySQL has no checks on a column that counts up" }
        : enforced || !scheme.maria
          ? found
          : { reason: "it is not enforced in the source, and MariaDB has no such checks" };
    if ("sql" in translated)
      lines.push(`CONSTRAINT ${identifier(name)} CHECK (${translated.sql})${enforced ? "" : " NOT ENFORCED"}`);
    const note =
      "sql" in translated ? (name === wanted ? undefined : renamed(name)) : `not copied: ${translated.reason}`;
    inventory.push({
      kind: kindOf,
      name: label,
      outcome: "sql" in translated ? "converted" : "reported",
      ...(note === undefined ? {} : { note }),
      ...("sql" in translated && name !== wanted ? { targetName: name } : {}),
      ...("sql" in translated ? {} : { definition }),
    });
  };
  for (const { name, expression, definition, enforced } of source.checks)
    add("constraint", `${tableName(source)} ${name}`, name, expression, definition, enforced);
  for (const column of columns) {
    const { name, domain } = column.source;
    for (const check of domain?.checks ?? []) {
      const own = check.expression.replaceAll(/\bVALUE\b/g, `"${name.replaceAll('"', '""')}"`);
      add(
        "domain check",
        `${tableName(source)}.${name} ${check.name}`,
        `${source.name}_${name}_${check.name}`,
        own,
        `CHECK (${check.expression})`,
      );
    }
    if (column.type.check !== undefined) {
      const made = constraintName(scheme, `labels ${tableName(source)}.${name}`, `${source.name}_${name}_check`);
      lines.push(`CONSTRAINT ${identifier(made)} CHECK (${column.type.check(identifier(column.name))})`);
    }
  }
  return lines;
}
