/**
 * The demo's shop: ten MySQL tables, 200,000 rows, the same ones at every run (a seeded generator).
 * It has what makes a conversion interesting: keys over several columns, foreign keys (one to its own table),
 * dates, decimals, booleans, several scripts, binary, JSON, and NULLs.
 */

/** How the demo's own reader compares a column across engines. */
export type Kind = "integer" | "decimal" | "text" | "boolean" | "date" | "datetime" | "bytes" | "json";

export interface ShopTable {
  name: string;
  rows: number;
  key: string[];
  columns: { name: string; kind: Kind; type: string }[];
  /** Keys and foreign keys, as lines of CREATE TABLE. */
  constraints: string[];
  row(n: number, random: Random): Value[];
}

type Value = string | number | boolean | null | Uint8Array;

/** Numbers from 0 to below 1. */
export type Random = () => number;

/** mulberry32: small, seeded, the same on every machine. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const upTo = (random: Random, n: number): number => 1 + Math.floor(random() * n);
const maybe = <T>(random: Random, share: number, value: T): T | null => (random() < share ? null : value);
const cents = (random: Random, most: number): string => (Math.floor(random() * most * 100) / 100).toFixed(2);
const day = (random: Random): string =>
  new Date(Date.UTC(1998, 0, 1) + Math.floor(random() * 10_000) * 86_400_000).toISOString().slice(0, 10);
const moment = (random: Random): string =>
  new Date(Date.UTC(2015, 0, 1) + Math.floor(random() * 3.4e11)).toISOString().slice(0, 23).replace("T", " ");
const bytes = (random: Random, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => Math.floor(random() * 256));

const given = [
  "Amélie",
  "Björn",
  "Zoë",
  "Łukasz",
  "山田",
  "小红",
  "Олена",
  "Ιωάννα",
  "محمد",
  "שרה",
  "Nguyễn",
  "अनन्या",
  "O'Neil",
  "Ana",
];
const family = [
  "García",
  "Müller",
  "Øster",
  "佐藤",
  "王",
  "Шевченко",
  "Παπάς",
  "الفارسي",
  "לוי",
  "Trần",
  "शर्मा",
  "D'Arc",
  "Back\\slash",
  "Ekström",
];
const words = [
  "quiet",
  "größe",
  "наука",
  "本",
  "🚲",
  "tab\there",
  "line\nbreak",
  "back\\slash",
  "quote'd",
  "naïve",
  "ümlaut",
  "سلام",
  "%d",
  "null",
];
const text = (random: Random, length: number): string => Array.from({ length }, () => pick(random, words)).join(" ");

const id = { name: "id", kind: "integer", type: "INT UNSIGNED NOT NULL AUTO_INCREMENT" } as const;

export const shop: readonly ShopTable[] = [
  {
    name: "categories",
    rows: 60,
    key: ["id"],
    columns: [
      id,
      { name: "parent_id", kind: "integer", type: "INT UNSIGNED NULL" },
      { name: "name", kind: "text", type: "VARCHAR(80) NOT NULL" },
    ],
    constraints: [
      "PRIMARY KEY (id)",
      "UNIQUE KEY name (name)",
      "CONSTRAINT category_parent FOREIGN KEY (parent_id) REFERENCES categories (id)",
    ],
    row: (n, random) => [n, n < 8 ? null : upTo(random, 7), `${pick(random, words)} ${n}`],
  },
  {
    name: "suppliers",
    rows: 440,
    key: ["id"],
    columns: [
      id,
      { name: "name", kind: "text", type: "VARCHAR(120) NOT NULL" },
      { name: "active", kind: "boolean", type: "TINYINT(1) NOT NULL DEFAULT 1" },
      { name: "since", kind: "date", type: "DATE NULL" },
    ],
    constraints: ["PRIMARY KEY (id)"],
    row: (n, random) => [
      n,
      `${pick(random, family)} & ${pick(random, family)}`,
      random() < 0.8,
      maybe(random, 0.1, day(random)),
    ],
  },
  {
    name: "products",
    rows: 6_000,
    key: ["id"],
    columns: [
      { name: "id", kind: "integer", type: "BIGINT NOT NULL AUTO_INCREMENT" },
      { name: "category_id", kind: "integer", type: "INT UNSIGNED NOT NULL" },
      { name: "sku", kind: "text", type: "CHAR(12) NOT NULL" },
      { name: "name", kind: "text", type: "VARCHAR(200) NOT NULL" },
      { name: "description", kind: "text", type: "TEXT NULL" },
      { name: "price", kind: "decimal", type: "DECIMAL(10,2) NOT NULL" },
      { name: "attributes", kind: "json", type: "JSON NULL" },
      { name: "thumbnail", kind: "bytes", type: "VARBINARY(512) NULL" },
    ],
    constraints: [
      "PRIMARY KEY (id)",
      "UNIQUE KEY sku (sku)",
      "KEY category_price (category_id, price)",
      "CONSTRAINT product_category FOREIGN KEY (category_id) REFERENCES categories (id)",
    ],
    row: (n, random) => [
      n,
      upTo(random, 60),
      `SKU${String(n).padStart(9, "0")}`,
      text(random, 3),
      maybe(random, 0.2, text(random, 12)),
      cents(random, 9_000),
      maybe(
        random,
        0.1,
        JSON.stringify({
          colour: pick(random, words),
          sizes: [upTo(random, 9), upTo(random, 9)],
          fragile: random() < 0.5,
          note: null,
        }),
      ),
      maybe(random, 0.3, bytes(random, upTo(random, 64))),
    ],
  },
  {
    name: "product_suppliers",
    rows: 9_500,
    key: ["product_id", "supplier_id"],
    columns: [
      { name: "product_id", kind: "integer", type: "BIGINT NOT NULL" },
      { name: "supplier_id", kind: "integer", type: "INT UNSIGNED NOT NULL" },
      { name: "lead_days", kind: "integer", type: "SMALLINT UNSIGNED NULL" },
    ],
    constraints: [
      "PRIMARY KEY (product_id, supplier_id)",
      "CONSTRAINT supplied_product FOREIGN KEY (product_id) REFERENCES products (id) ON DELETE CASCADE",
      "CONSTRAINT supplied_by FOREIGN KEY (supplier_id) REFERENCES suppliers (id)",
    ],
    row: (n, random) => [
      1 + ((n - 1) % 6_000),
      n <= 6_000 ? 1 + (n % 220) : 221 + (n % 220),
      maybe(random, 0.2, upTo(random, 60)),
    ],
  },
  {
    name: "customers",
    rows: 24_000,
    key: ["id"],
    columns: [
      id,
      { name: "email", kind: "text", type: "VARCHAR(190) NOT NULL" },
      { name: "given_name", kind: "text", type: "VARCHAR(80) NOT NULL" },
      { name: "family_name", kind: "text", type: "VARCHAR(80) NULL" },
      { name: "born", kind: "date", type: "DATE NULL" },
      { name: "newsletter", kind: "boolean", type: "TINYINT(1) NULL" },
      { name: "created_at", kind: "datetime", type: "DATETIME(3) NOT NULL" },
    ],
    constraints: ["PRIMARY KEY (id)", "UNIQUE KEY email (email)", "KEY name (family_name, given_name)"],
    row: (n, random) => [
      n,
      `customer${n}@shop.example`,
      pick(random, given),
      maybe(random, 0.05, pick(random, family)),
      maybe(random, 0.3, day(random)),
      maybe(random, 0.1, random() < 0.5),
      moment(random),
    ],
  },
  {
    name: "addresses",
    rows: 24_000,
    key: ["id"],
    columns: [
      id,
      { name: "customer_id", kind: "integer", type: "INT UNSIGNED NOT NULL" },
      { name: "street", kind: "text", type: "VARCHAR(120) NOT NULL" },
      { name: "city", kind: "text", type: "VARCHAR(80) NOT NULL" },
      { name: "country", kind: "text", type: "CHAR(2) NOT NULL" },
    ],
    constraints: [
      "PRIMARY KEY (id)",
      "KEY customer (customer_id)",
      "CONSTRAINT address_customer FOREIGN KEY (customer_id) REFERENCES customers (id) ON DELETE CASCADE",
    ],
    row: (n, random) => [
      n,
      n,
      `${text(random, 2)} ${upTo(random, 200)}`,
      pick(random, words),
      pick(random, ["DE", "FR", "JP", "UA", "BR"]),
    ],
  },
  {
    name: "orders",
    rows: 40_000,
    key: ["id"],
    columns: [
      { name: "id", kind: "integer", type: "BIGINT UNSIGNED NOT NULL AUTO_INCREMENT" },
      { name: "customer_id", kind: "integer", type: "INT UNSIGNED NOT NULL" },
      { name: "placed_at", kind: "datetime", type: "DATETIME(3) NOT NULL" },
      { name: "ship_on", kind: "date", type: "DATE NULL" },
      { name: "total", kind: "decimal", type: "DECIMAL(12,2) NOT NULL DEFAULT 0.00" },
      { name: "note", kind: "text", type: "VARCHAR(255) NULL" },
    ],
    constraints: [
      "PRIMARY KEY (id)",
      "KEY customer (customer_id)",
      "KEY placed (placed_at)",
      "CONSTRAINT order_customer FOREIGN KEY (customer_id) REFERENCES customers (id)",
    ],
    row: (n, random) => [
      n,
      upTo(random, 24_000),
      moment(random),
      maybe(random, 0.2, day(random)),
      cents(random, 20_000),
      maybe(random, 0.7, text(random, 4)),
    ],
  },
  {
    name: "order_lines",
    rows: 80_000,
    key: ["order_id", "line"],
    columns: [
      { name: "order_id", kind: "integer", type: "BIGINT UNSIGNED NOT NULL" },
      { name: "line", kind: "integer", type: "SMALLINT NOT NULL" },
      { name: "product_id", kind: "integer", type: "BIGINT NOT NULL" },
      { name: "quantity", kind: "integer", type: "MEDIUMINT UNSIGNED NOT NULL" },
      { name: "price", kind: "decimal", type: "DECIMAL(14,4) NOT NULL" },
    ],
    constraints: [
      "PRIMARY KEY (order_id, line)",
      "KEY product (product_id)",
      "CONSTRAINT line_order FOREIGN KEY (order_id) REFERENCES orders (id) ON DELETE CASCADE",
      "CONSTRAINT line_product FOREIGN KEY (product_id) REFERENCES products (id)",
    ],
    row: (n, random) => [
      Math.ceil(n / 2),
      2 - (n % 2),
      upTo(random, 6_000),
      upTo(random, 20),
      `${cents(random, 900)}25`,
    ],
  },
  {
    name: "payments",
    rows: 12_000,
    key: ["id"],
    columns: [
      { name: "id", kind: "text", type: "CHAR(36) NOT NULL" },
      { name: "order_id", kind: "integer", type: "BIGINT UNSIGNED NOT NULL" },
      { name: "amount", kind: "decimal", type: "DECIMAL(12,2) NOT NULL" },
      { name: "paid_at", kind: "datetime", type: "DATETIME NULL" },
      { name: "receipt", kind: "bytes", type: "BLOB NULL" },
    ],
    constraints: [
      "PRIMARY KEY (id)",
      "KEY paid_order (order_id)",
      "CONSTRAINT payment_order FOREIGN KEY (order_id) REFERENCES orders (id)",
    ],
    row: (n, random) => [
      `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`,
      upTo(random, 40_000),
      cents(random, 20_000),
      maybe(random, 0.1, moment(random).slice(0, 19)),
      maybe(random, 0.5, bytes(random, 48)),
    ],
  },
  {
    name: "reviews",
    rows: 4_000,
    key: ["id"],
    columns: [
      id,
      { name: "product_id", kind: "integer", type: "BIGINT NOT NULL" },
      { name: "customer_id", kind: "integer", type: "INT UNSIGNED NULL" },
      { name: "stars", kind: "integer", type: "TINYINT UNSIGNED NOT NULL" },
      { name: "body", kind: "text", type: "MEDIUMTEXT NULL" },
    ],
    constraints: [
      "PRIMARY KEY (id)",
      "CONSTRAINT review_product FOREIGN KEY (product_id) REFERENCES products (id)",
      "CONSTRAINT review_customer FOREIGN KEY (customer_id) REFERENCES customers (id) ON DELETE SET NULL",
    ],
    row: (n, random) => [
      n,
      upTo(random, 6_000),
      maybe(random, 0.2, upTo(random, 24_000)),
      upTo(random, 5),
      maybe(random, 0.1, text(random, 20)),
    ],
  },
];

const literal = (value: Value): string => {
  if (value === null) return "NULL";
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "number") return String(value);
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString("hex")}'`;
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
};

/** The statements that make and fill the shop in MySQL, in order. */
export function* shopStatements(seed = 1): Generator<string> {
  yield "SET NAMES utf8mb4";
  for (const table of shop) {
    const columns = table.columns.map((column) => `  \`${column.name}\` ${column.type}`);
    yield `CREATE TABLE \`${table.name}\` (\n${[...columns, ...table.constraints.map((line) => `  ${line}`)].join(",\n")}\n) DEFAULT CHARSET=utf8mb4`;
    const random = seeded(seed + table.rows);
    for (let from = 1; from <= table.rows; from += 1_000) {
      const rows = [];
      for (let n = from; n < from + 1_000 && n <= table.rows; n++)
        rows.push(`(${table.row(n, random).map(literal).join(",")})`);
      yield `INSERT INTO \`${table.name}\` VALUES ${rows.join(",")}`;
    }
  }
}
