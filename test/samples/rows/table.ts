/** Rows of a table, independent of the SQL dialect. */
export interface Table {
  name: string;
  columns: readonly string[];
  /** The auto-increment column; its next value follows its maximum. */
  counter?: string;
  /** Lazy, so that large tables need little memory. */
  rows: Iterable<readonly Value[]>;
}

export type Value =
  | null
  | string
  | number
  | boolean
  | Uint8Array
  | { point: readonly [number, number] }
  | { set: readonly string[] };

export type Dialect = "mysql" | "postgres";

/** Keeps a statement far below every server's packet limit. */
const rowsInStatement = 200;

/** INSERT statements of a table; in PostgreSQL also `setval` of its counter. */
export function* insertsOf({ name, columns, counter, rows }: Table, dialect: Dialect): Generator<string> {
  const quote = dialect === "mysql" ? "`" : '"';
  const list = columns.map((column) => `${quote}${column}${quote}`).join(", ");
  // Columns that are GENERATED ALWAYS AS IDENTITY accept explicit values only so.
  const values = dialect === "mysql" ? "VALUES" : "OVERRIDING SYSTEM VALUE VALUES";
  let batch: string[] = [];
  const flush = () => {
    const statement = `INSERT INTO ${name} (${list}) ${values}\n${batch.join(",\n")}`;
    batch = [];
    return statement;
  };
  for (const row of rows) {
    batch.push(`(${row.map((value) => literal(value, dialect)).join(", ")})`);
    if (batch.length === rowsInStatement) yield flush();
  }
  if (batch.length > 0) yield flush();
  if (dialect === "postgres" && counter !== undefined)
    yield `SELECT setval(pg_get_serial_sequence('${name}', '${counter}'), (SELECT max(${counter}) FROM ${name}))`;
}

export function literal(value: Value, dialect: Dialect): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "string") return quoted(value, dialect);
  if (value instanceof Uint8Array) {
    const hex = Buffer.from(value).toString("hex");
    return dialect === "mysql" ? `x'${hex}'` : `'\\x${hex}'`;
  }
  if ("point" in value) {
    const [x, y] = value.point;
    return dialect === "mysql" ? `ST_GeomFromText('POINT(${x} ${y})')` : `'(${x},${y})'`;
  }
  if (dialect === "mysql") return quoted(value.set.join(","), dialect);
  return quoted(`{${value.set.map((member) => `"${member}"`).join(",")}}`, dialect);
}

const quoted = (text: string, dialect: Dialect): string => {
  const doubled = text.replaceAll("'", "''");
  return `'${dialect === "mysql" ? doubled.replaceAll("\\", "\\\\") : doubled}'`;
};
