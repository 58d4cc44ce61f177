import type { Column, Table } from "./cases.ts";
import type { Engine } from "./kinds.ts";

/** A case as SQL of its source. */

export const quote = (name: string, engine: Engine): string =>
  engine === "mysql" ? `\`${name.replaceAll("`", "``")}\`` : `"${name.replaceAll('"', '""')}"`;

/** What a table needs before there are foreign keys, its rows included. */
export const statementsOf = (table: Table, engine: Engine): string[] => {
  const q = (text: string) => quote(text, engine);
  const [id] = table.columns;
  const lines = table.columns.map((column) => line(column, id?.name ?? "", engine));
  if (table.keyed) lines.push(`PRIMARY KEY (${q(id?.name ?? "")})`);
  const charset = engine === "mysql" ? " CHARSET utf8mb4" : "";
  const stored = table.columns.flatMap((column, n) => (column.generated === undefined ? [{ column, n }] : []));
  const into = `${q(table.name)} (${stored.map(({ column }) => q(column.name)).join(", ")})`;
  return [
    `CREATE TABLE ${q(table.name)} (${lines.join(", ")})${charset}${partitionBy(table, engine)}`,
    ...(engine === "postgres" ? partitions(table) : []),
    ...table.indexes.map(({ name, column }) => `CREATE INDEX ${q(name)} ON ${q(table.name)} (${q(column)})`),
    ...table.rows.map(
      (row) => `INSERT INTO ${into} VALUES (${stored.map(({ n }) => row[n]?.literal ?? "NULL").join(", ")})`,
    ),
  ];
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
      `ALTER TABLE ${q(table.name)} ADD CONSTRAINT ${q(references.constraint)} FOREIGN KEY (${q(name)}) REFERENCES ${q(parent.name)} (${q(key)})`,
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

/** Beyond every row's number and `probe`. */
const end = 50;
const first = Array.from({ length: 7 }, (_, n) => n).join(", ");
const rest = Array.from({ length: end - 7 }, (_, n) => n + 7).join(", ");

function partitionBy({ partition, columns }: Table, engine: Engine): string {
  if (partition === undefined) return "";
  const id = quote(columns[0]?.name ?? "", engine);
  if (engine === "postgres") return ` PARTITION BY ${partition.by} (${id})`;
  const [one, two, three] = partition.names.map((name) => quote(name, engine));
  if (partition.by === "hash") return ` PARTITION BY HASH (${id}) PARTITIONS 3`;
  if (partition.by === "list") {
    return ` PARTITION BY LIST (${id}) (PARTITION ${one} VALUES IN (${first}), PARTITION ${two} VALUES IN (${rest}))`;
  }
  return ` PARTITION BY RANGE (${id}) (PARTITION ${one} VALUES LESS THAN (3), PARTITION ${two} VALUES LESS THAN (7),
    PARTITION ${three} VALUES LESS THAN MAXVALUE)`;
}

function partitions({ name, partition }: Table): string[] {
  if (partition === undefined) return [];
  const bounds = {
    range: ["FROM (MINVALUE) TO (3)", "FROM (3) TO (7)", "FROM (7) TO (MAXVALUE)"],
    list: [`IN (${first})`, `IN (${rest})`],
    hash: [0, 1, 2].map((n) => `WITH (MODULUS 3, REMAINDER ${n})`),
  }[partition.by];
  return bounds.map(
    (bound, n) =>
      `CREATE TABLE ${quote(partition.names[n] ?? "", "postgres")} PARTITION OF ${quote(name, "postgres")} FOR VALUES ${bound}`,
  );
}

/** The whole case, for a person who plays it by hand. */
export const told = (tables: readonly Table[], engine: Engine): string =>
  [
    ...typesOf(tables),
    ...tables.flatMap((table) => statementsOf(table, engine)),
    ...tables.flatMap((table) => foreignKeysOf(table, tables, engine)),
  ]
    .join(";\n")
    .slice(0, 6000);
