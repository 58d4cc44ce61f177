import { createHash } from "node:crypto";
import { createConnection } from "mysql2";
import pg from "pg";
import { type Kind, type ShopTable, shop } from "./shop.ts";

/**
 * The demo's own reader: reads each table of both databases by the drivers, in key order, and hashes canonical
 * values. It shares no code with the engine, so that agreement means something.
 */
export interface Compared {
  table: string;
  source: Digest;
  target: Digest;
  equal: boolean;
}

/** Rows counted, and SHA-256 (hex) of their canonical values in key order. */
export interface Digest {
  rows: number;
  sha256: string;
}

type Reader = (table: ShopTable, row: (values: (Buffer | null)[]) => void) => Promise<void>;

/** Compares every table of the shop; the URLs must be reachable from here. */
export async function compareShop(mysqlUrl: string, postgresUrl: string): Promise<Compared[]> {
  const source = mysqlReader(mysqlUrl);
  const target = await postgresReader(postgresUrl);
  try {
    const compared: Compared[] = [];
    for (const table of shop) {
      const [before, after] = await Promise.all([
        digest(table, source.read, (kind, value) => canonical(kind, value.toString("utf8"), value)),
        digest(table, target.read, (kind, value) => canonical(kind, value.toString("utf8"), unhex(kind, value))),
      ]);
      const equal = before.rows === after.rows && before.sha256 === after.sha256;
      compared.push({ table: table.name, source: before, target: after, equal });
    }
    return compared;
  } finally {
    await Promise.allSettled([source.close(), target.close()]);
  }
}

async function digest(
  table: ShopTable,
  read: Reader,
  canonicalise: (kind: Kind, value: Buffer) => string,
): Promise<Digest> {
  const hash = createHash("sha256");
  let rows = 0;
  await read(table, (values) => {
    rows++;
    const line = values.map((value, index) => {
      const column = table.columns[index];
      if (!column) throw new Error(`${table.name}: more columns than the shop has`);
      return value === null ? null : canonicalise(column.kind, value);
    });
    hash.update(`${JSON.stringify(line)}\n`);
  });
  return { rows, sha256: hash.digest("hex") };
}

/** One text for a value, whichever engine it came from. `bytes` is the value of a binary column. */
function canonical(kind: Kind, text: string, bytes: Buffer): string {
  switch (kind) {
    case "bytes":
      return bytes.toString("hex");
    case "boolean":
      return text === "1" || text === "t" ? "true" : "false";
    case "datetime":
      return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
    case "json":
      return JSON.stringify(sorted(JSON.parse(text)));
    case "integer":
    case "decimal":
    case "text":
    case "date":
      return text;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** PostgreSQL writes bytea as \x and hex. */
function unhex(kind: Kind, value: Buffer): Buffer {
  return kind === "bytes" ? Buffer.from(value.subarray(2).toString("latin1"), "hex") : value;
}

function mysqlReader(url: string): { read: Reader; close(): Promise<void> } {
  const connection = createConnection({
    uri: url,
    rowsAsArray: true,
    charset: "utf8mb4",
    typeCast: (field) => field.buffer(),
  });
  const read: Reader = (table, row) =>
    new Promise((resolve, reject) => {
      const columns = table.columns.map((column) => `\`${column.name}\``).join(", ");
      const query = connection.query(
        `SELECT ${columns} FROM \`${table.name}\` ORDER BY ${table.key.map((key) => `\`${key}\``).join(", ")}`,
      );
      query.on("error", reject);
      query.on("result", (values) => row(values as unknown as (Buffer | null)[]));
      query.on("end", () => resolve());
    });
  return { read, close: () => new Promise((resolve) => connection.end(() => resolve())) };
}

async function postgresReader(url: string): Promise<{ read: Reader; close(): Promise<void> }> {
  const raw = { getTypeParser: () => (text: string) => Buffer.from(text) };
  const client = new pg.Client({ connectionString: url, types: raw as unknown as pg.CustomTypesConfig });
  await client.connect();
  const read: Reader = async (table, row) => {
    const columns = table.columns.map((column) => `"${column.name}"`).join(", ");
    await client.query("BEGIN READ ONLY");
    // A text key must sort as MySQL sorts it: the shop's only one is ASCII, so bytes will do.
    const key = table.key.map((name) =>
      table.columns.find((column) => column.name === name)?.kind === "text" ? `"${name}" COLLATE "C"` : `"${name}"`,
    );
    await client.query(`DECLARE reading CURSOR FOR SELECT ${columns} FROM "${table.name}" ORDER BY ${key.join(", ")}`);
    for (;;) {
      const batch = await client.query<(Buffer | null)[]>({ text: "FETCH 2000 FROM reading", rowMode: "array" });
      if (batch.rows.length === 0) break;
      for (const values of batch.rows) row(values);
    }
    await client.query("COMMIT");
  };
  return { read, close: () => client.end() };
}
