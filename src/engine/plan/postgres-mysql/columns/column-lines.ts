import type { InventoryEntry } from "../../../contract/index.ts";
import { renamed } from "../../../contract/known.ts";
import { identifier, literal } from "../../../mysql/driver/names.ts";
import { type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import { commentCharacters, cutComment } from "../tables/indexes.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { ColumnPlan, ColumnPlanning } from "./column-plan.ts";
import { targetDefault } from "./defaults.ts";

/** The line of each column in CREATE TABLE: what it counts, makes or has by default, and what the report says of it. Pure. */

/** What the columns of a table gather while they are described. */
interface Described {
  source: TableDefinition;
  columns: ColumnPlan[];
  planning: ColumnPlanning;
  inventory: InventoryEntry[];
  counter: TablePlan["counter"];
}

export function describeColumns(
  source: TableDefinition,
  columns: ColumnPlan[],
  planning: ColumnPlanning,
  inventory: InventoryEntry[],
): { lines: string[]; counter: TablePlan["counter"] } {
  const described: Described = { source, columns, planning, inventory, counter: undefined };
  const lines = columns.map((column) => describe(described, column));
  return { lines, counter: described.counter };
}

function describe(described: Described, column: ColumnPlan): string {
  const { source, planning, inventory } = described;
  const { source: from, type, nullable } = column;
  const remarks = [
    `${from.written} → ${type.sql}`,
    column.name === from.name ? undefined : renamed(column.name),
    type.note,
  ];
  const parts = [identifier(column.name), type.sql];
  if (type.collation !== undefined) parts.push(`COLLATE ${type.collation}`);
  else if (from.collation?.deterministic === false)
    remarks.push(`collation ${from.collation.name} is not copied: compared by bytes`);
  if (nullable && from.notNull) remarks.push("NOT NULL dropped: it holds values that only NULL can stand for");
  if (from.generated !== "") parts.push(...generate(described, column));
  // MariaDB's grammar has no NOT NULL for what is generated.
  if (!nullable && !(column.generated && planning.scheme.maria)) parts.push("NOT NULL");
  if (from.generated === "") parts.push(...ownValue(described, column, remarks));
  const comment = from.comment === null ? "" : cutComment(from.comment, commentCharacters.column);
  if (comment !== "") parts.push(`COMMENT ${literal(comment)}`);
  if (comment !== (from.comment ?? ""))
    remarks.push("its comment is shortened: at most 1,024 characters, none of them beyond the basic plane");
  inventory.push({
    kind: "column",
    name: `${tableName(source)}.${from.name}`,
    outcome: "converted",
    note: remarks.filter((words) => words !== undefined).join("; "),
  });
  return parts.join(" ");
}

function generate({ source, columns, planning, inventory }: Described, column: ColumnPlan): string[] {
  const { source: from } = column;
  // Rows are loaded through at least one column.
  const translated = columns.every((one) => one.source.generated !== "")
    ? { reason: "the table has no other columns" }
    : planning.expressions.translate(columns, from.default ?? "", "generated", column);
  const plain = planning.observedTypes.get(from.name)?.plain;
  column.generated = "sql" in translated && plain === undefined;
  inventory.push({
    kind: "generated column",
    name: `${tableName(source)}.${from.name}`,
    outcome: column.generated ? "converted" : "reported",
    ...(column.generated ? {} : { note: `a plain column with the values; ${plainWords(translated, plain)}` }),
    ...(from.default === null ? {} : { definition: from.default }),
  });
  if ("reason" in translated || plain !== undefined) return [];
  return [`GENERATED ALWAYS AS (${translated.sql}) ${from.generated === "v" ? "VIRTUAL" : "STORED"}`];
}

const plainWords = (translated: { sql: string } | { reason: string }, why: string | undefined): string =>
  "reason" in translated
    ? `its expression is not translated: ${translated.reason}`
    : `translated as ${translated.sql}: ${why}`;

/** AUTO_INCREMENT or a default; what is neither is reported. */
function ownValue(described: Described, column: ColumnPlan, remarks: (string | undefined)[]): string[] {
  const { source, columns, planning, inventory } = described;
  const { source: from } = column;
  const kept = from.identity === "a" ? "ALWAYS" : "BY DEFAULT";
  const definition =
    from.identity === "" ? from.default : `GENERATED ${kept} AS IDENTITY (INCREMENT BY ${from.sequence?.increment})`;
  const report = (note: string) => {
    inventory.push({
      kind: "default",
      name: `${tableName(source)}.${from.name}`,
      outcome: "reported",
      note,
      ...(definition === null ? {} : { definition }),
    });
    return [];
  };
  if (from.sequence !== null) {
    const why = counterOf(column, planning) ?? (described.counter && "MySQL counts one column of a table up");
    if (why !== undefined)
      return report(`the next number of ${from.sequence.schema}.${from.sequence.name} is not copied: ${why}`);
    described.counter = { column: from.name, sequence: from.sequence };
    remarks.push(from.identity === "a" ? "AUTO_INCREMENT; given values are taken as well" : "AUTO_INCREMENT");
    return ["AUTO_INCREMENT"];
  }
  const value = defaultOf(columns, column, planning);
  if (value === undefined) return [];
  if ("reason" in value) return report(`not copied: ${value.reason}`);
  if (value.note !== undefined) remarks.push(value.note);
  return [`DEFAULT ${value.sql}`];
}

/** Why a column cannot count up, or undefined. */
function counterOf({ source, type: { sql }, nullable }: ColumnPlan, { users }: ColumnPlanning): string | undefined {
  const { sequence } = source;
  if (sequence === null) return undefined;
  if (nullable) return "the column takes NULL, for which MySQL would store a number of its own";
  if (users(sequence.oid) > 1) return "several columns take their numbers from it";
  if (!/^(?:SMALLINT|INT|BIGINT)$/.test(sql)) return `MySQL does not count a ${sql} up`;
  return sequence.increment === "1" ? undefined : `it counts by ${sequence.increment}, and MySQL by 1`;
}

function defaultOf(
  columns: readonly ColumnPlan[],
  column: ColumnPlan,
  { expressions }: ColumnPlanning,
): { sql: string; note?: string } | { reason: string } | undefined {
  const value = targetDefault(column.source, column.type);
  if (value === undefined || !("unknown" in value)) return value;
  const translated = expressions.translate(columns, value.unknown, "default", column);
  if ("reason" in translated) return translated;
  return { sql: `(${translated.sql})` };
}
