import { type Engine, quote } from "./kinds/index.ts";
import { partitionBy, partitionTables } from "./partitions.ts";
import { historyOf, periodLines } from "./periods.ts";
import type { Column, Index, Table } from "./table.ts";

/** A case as SQL of its source. */

/** What a table needs before there are foreign keys, its rows included. */
export const statementsOf = (table: Table, engine: Engine): string[] => {
  const q = (text: string) => quote(text, engine);
  const [id] = table.columns;
  const lines = table.columns.map((column) => line(column, id?.name ?? "", engine));
  const { label } = table.partition ?? {};
  const key = [id?.name ?? "", ...(label === undefined ? [] : [label])];
  if (table.keyed) lines.push(`PRIMARY KEY (${key.map(q).join(", ")})`);
  for (const { name, words, loose } of table.checks)
    if (loose === undefined) lines.push(`CONSTRAINT ${q(name)} CHECK (${words(q(id?.name ?? ""))})`);
  lines.push(...periodLines(table));
  const charset = engine === "mysql" ? " CHARSET utf8mb4" : "";
  const stored = table.columns.flatMap((column, n) => (column.generated === undefined ? [{ column, n }] : []));
  const into = `${q(table.name)} (${stored.map(({ column }) => q(column.name)).join(", ")})`;
  return [
    `CREATE TABLE ${q(table.name)} (${lines.join(", ")})${charset}${partitionBy(table, engine)}`,
    ...(engine === "postgres" ? partitionTables(table) : []),
    ...table.indexes.map((index) => indexLine(index, table, q)),
    ...table.rows.map(
      (row) => `INSERT INTO ${into} VALUES (${stored.map(({ n }) => row[n]?.literal ?? "NULL").join(", ")})`,
    ),
    ...table.checks.flatMap(({ name, words, loose }) =>
      loose === undefined
        ? []
        : `ALTER TABLE ${q(table.name)} ADD CONSTRAINT ${q(name)} CHECK (${words(q(id?.name ?? ""))}) ${loose}`,
    ),
  ];
};

const indexLine = (
  { name, column, form }: Index,
  { name: table, columns }: Table,
  q: (text: string) => string,
): string => {
  const keys = form === "plain" || form === "alone" ? [column] : [column, columns[0]?.name ?? ""];
  return `CREATE ${form === "unique" || form === "alone" ? "UNIQUE " : ""}INDEX ${q(name)} ON ${q(table)} (${keys.map(q).join(", ")})`;
};

/** The views of a table, which show the numbers of rows. */
export const viewsOf = ({ name, columns, views }: Table, engine: Engine): string[] => {
  const q = (text: string) => quote(text, engine);
  return views.map(
    (view) =>
      `CREATE VIEW ${q(view.name)} AS SELECT ${q(columns[0]?.name ?? "")} AS id FROM ${q(name)} WHERE ${q(view.column)} = ${view.literal}`,
  );
};

/** Statements that types need, each once. */
export const typesOf = (tables: readonly Table[]): string[] => [
  ...new Set(tables.flatMap(({ columns }) => columns.flatMap(({ kind }) => kind.before ?? []))),
];

export const foreignKeysOf = (table: Table, tables: readonly Table[], engine: Engine): string[] => {
  const q = (text: string) => quote(text, engine);
  return table.columns.flatMap(({ name, references }) => {
    const parent = tables.find((other) => other.name === references?.table);
    if (references === undefined || parent === undefined) return [];
    const key = parent.columns[0]?.name ?? "";
    return [
      `ALTER TABLE ${q(table.name)} ADD CONSTRAINT ${q(references.constraint)} FOREIGN KEY (${q(name)}) REFERENCES ${q(parent.name)} (${q(key)}) ${references.loose ?? ""}`,
    ];
  });
};

function line(column: Column, id: string, engine: Engine): string {
  const { name, kind, required, generated } = column;
  const parts = [quote(name, engine), kind.type];
  if (generated !== undefined) parts.push(`GENERATED ALWAYS AS (${quote(id, engine)} * 2 + 1) ${generated}`);
  if (column.default !== undefined) parts.push(`DEFAULT ${column.default.literal}`);
  if (required) parts.push("NOT NULL");
  return parts.join(" ");
}

/** The whole case, for a person who plays it by hand. */
export const told = (tables: readonly Table[], engine: Engine): string =>
  [
    ...typesOf(tables),
    ...tables.flatMap((table) => statementsOf(table, engine)),
    ...tables.flatMap((table) => foreignKeysOf(table, tables, engine)),
    ...tables.flatMap(historyOf),
    ...tables.flatMap((table) => viewsOf(table, engine)),
  ]
    .join(";\n")
    .slice(0, 6000);
