import { EngineError } from "../../contract/index.ts";
import type { SourceTable } from "../catalogue/catalogue.ts";
import type { Definition } from "./definition.ts";

/**
 * Refuses a table's text in which a part is missing that the catalogue has: a part that was read as another one's text would
 * not be copied, and no comparison would notice. Pure. Errors: `schema_unreadable`.
 */
export function refuseLostParts(definition: Definition, table: SourceTable): void {
  const { items } = definition;
  const names = (...kinds: string[]) =>
    new Set(items.flatMap(({ kind, name }) => (kinds.includes(kind) ? [name] : [])));
  const columns = names("column");
  const indexes = names("unique", "key", "fulltext", "spatial", "vector", "other");
  const foreignKeys = names("foreign");
  const checks = names("check");
  const primary = items.some(({ kind }) => kind === "primary");
  const lost = [
    ...table.columns.flatMap(({ name }) => (columns.has(name) ? [] : [`column ${name}`])),
    ...table.indexes.flatMap(({ name }) =>
      (name === "PRIMARY" ? primary : indexes.has(name)) ? [] : [`index ${name}`],
    ),
    ...table.foreignKeys.flatMap(({ name }) => (foreignKeys.has(name) ? [] : [`foreign key ${name}`])),
    // MariaDB calls a column's own check by the column, and a period brings one that only the catalogue shows.
    ...table.checks.flatMap(({ name, period }) =>
      checks.has(name) || columns.has(name) || period !== undefined ? [] : [`check ${name}`],
    ),
  ];
  if (lost.length === 0) return;
  throw new EngineError(
    "schema_unreadable",
    `table ${table.name}: its text by SHOW CREATE TABLE cannot be read completely: ${lost.join(", ")} not found in it; ` +
      "rename what has a backtick in its name, or exclude the table",
  );
}
