// What the bench copies: engine.md's table, 200 small tables, and rows of 16 MB. The same bytes on every machine.
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { keep } from "../dev/image/store.ts";
import { cacheFolder } from "../dev/terminal/cache.ts";

/** Something to copy. `tables`: their names; `rows`: in all of them. */
export type Shape = {
  name: string;
  tables: readonly string[];
  rows: number;
  /** How many there are in all tables, the keys' included. */
  indexes: number;
  foreignKeys: number;
  /** Sums over a table's columns, as SQL of both servers: they are the same in an equal copy. */
  sums: string;
  /** SQL that makes the tables, with their keys and indexes apart. */
  create: Record<"mysql" | "postgres", { tables: string; indexes: string }>;
  /** The rows of each table, alike, in the text both servers load: tab, newline and backslash escaped, `\N` for NULL. */
  data(): Promise<string>;
};

/** A small generator of numbers that is the same everywhere (xorshift32). */
export const numbers = (seed: number): (() => number) => {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
};

const words = "lorem größe amet 漢字 dolor order parcel street north river window garden silver market".split(" ");
const states = ["new", "paid", "packed", "shipped", "returned"];
const moment = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace("T", " ");
const start = Date.UTC(2015, 0, 1);

/** One row of `orders`, 254 bytes on average. */
const orderRow = (id: number, next: () => number): string => {
  const [a, b, c] = [next(), next(), next()];
  const note: string[] = [];
  for (let length = 18 + (a % 8); note.length < length; ) note.push(words[next() % words.length] ?? "");
  const created = start + (b % 300_000_000) * 1000;
  const fields = [
    id,
    a % 200_000,
    states[b % states.length],
    c % 100,
    ((a % 10_000_000) / 100).toFixed(2),
    (b % 1_000_000) / 1024,
    c & 1,
    `${moment(created)}.${String(c % 1_000_000).padStart(6, "0")}`,
    c % 10 === 0 ? "\\N" : moment(created + (a % 1_000_000) * 1000),
    moment(created).slice(0, 10),
    `${(a ^ c).toString(36)}.${(b >>> 3).toString(36)}@example${b % 90}.com`,
    a % 97 === 0 ? `${note.join(" ")}\\nsecond\\tline \\\\ end` : note.join(" "),
  ];
  return `${fields.join("\t")}\n`;
};

function* blocks(rows: number, row: (id: number) => string): Generator<string> {
  let block = "";
  for (let id = 1; id <= rows; id++) {
    block += row(id);
    if (block.length > 1 << 20) {
      yield block;
      block = "";
    }
  }
  yield block;
}

const stored = async (name: string, rows: number, row: (id: number) => string): Promise<string> => {
  const folder = await keep({ folder: join(cacheFolder(), "bench"), name, key: rows.toString(16) }, async (part) => {
    await mkdir(part);
    await pipeline(Readable.from(blocks(rows, row)), createWriteStream(join(part, "rows.tsv")));
  });
  return join(folder, "rows.tsv");
};

/** engine.md's table: 3,000,000 rows are 762 MB of text; a primary key and three secondary indexes. */
export const ordersShape = (rows: number): Shape => ({
  name: "orders",
  tables: ["orders"],
  rows,
  indexes: 4,
  foreignKeys: 0,
  sums: "sum(id), sum(customer_id), sum(quantity), sum(amount), sum(char_length(email)), sum(char_length(note))",
  create: {
    mysql: {
      tables: `CREATE TABLE orders (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, customer_id INT NOT NULL,
        status VARCHAR(12) NOT NULL, quantity SMALLINT NOT NULL, amount DECIMAL(12,2) NOT NULL, weight DOUBLE NOT NULL,
        active TINYINT(1) NOT NULL, created_at DATETIME(6) NOT NULL, updated_at TIMESTAMP NULL DEFAULT NULL,
        day DATE NOT NULL, email VARCHAR(80) NOT NULL, note TEXT NOT NULL,
        KEY orders_customer (customer_id), KEY orders_created (created_at), KEY orders_email (email)) CHARSET utf8mb4;`,
      indexes: "",
    },
    postgres: {
      tables: `CREATE TABLE orders (id bigint NOT NULL, customer_id integer NOT NULL, status varchar(12) NOT NULL,
        quantity smallint NOT NULL, amount numeric(12,2) NOT NULL, weight double precision NOT NULL, active boolean NOT NULL,
        created_at timestamp(6) NOT NULL, updated_at timestamptz, day date NOT NULL, email varchar(80) NOT NULL,
        note text NOT NULL);`,
      indexes: `ALTER TABLE orders ADD PRIMARY KEY (id); CREATE INDEX orders_customer ON orders (customer_id);
        CREATE INDEX orders_created ON orders (created_at); CREATE INDEX orders_email ON orders (email);`,
    },
  },
  data: async () => {
    const next = numbers(20_150_101);
    return stored("orders", rows, (id) => orderRow(id, next));
  },
});

const manyTables = 200;
const manyRows = 250;

/** 200 tables in a chain of foreign keys, 250 rows each: what the schema costs. */
export const manyShape = (): Shape => {
  const names = Array.from({ length: manyTables }, (_, n) => `t${String(n).padStart(3, "0")}`);
  const tables = (id: string, moment: string) =>
    names
      .map(
        (name) =>
          `CREATE TABLE ${name} (${id}, parent INT, name VARCHAR(60) NOT NULL, amount DECIMAL(12,2), made ${moment});`,
      )
      .join("\n");
  const indexes = names
    .map((name, n) => {
      const key =
        n === 0
          ? ""
          : `ALTER TABLE ${name} ADD CONSTRAINT ${name}_parent_fk FOREIGN KEY (parent) REFERENCES ${names[n - 1]} (id);`;
      return `CREATE INDEX ${name}_parent ON ${name} (parent); CREATE UNIQUE INDEX ${name}_name ON ${name} (name); ${key}`;
    })
    .join("\n");
  const next = numbers(200);
  const row = (id: number) =>
    `${id}\t${id}\tname ${id} ${next().toString(36)}\t${(next() % 100_000) / 100}\t${moment(start + id * 1000)}\n`;
  return {
    name: "many",
    tables: names,
    rows: manyTables * manyRows,
    indexes: manyTables * 3,
    foreignKeys: manyTables - 1,
    sums: "sum(id), sum(parent), sum(amount), sum(char_length(name))",
    create: {
      mysql: { tables: tables("id INT NOT NULL AUTO_INCREMENT PRIMARY KEY", "DATETIME"), indexes },
      postgres: {
        tables: tables("id INT NOT NULL GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY", "timestamp"),
        indexes,
      },
    },
    data: () => stored("many", manyRows, row),
  };
};

/** Rows of 16 MB each. */
export const wideShape = (): Shape => {
  const rows = 24;
  const filler = "0123456789abcdefghijklmnopqrstuvwxyz größe ".repeat(1 + 2 ** 24 / 45).slice(0, 2 ** 24 - 100);
  return {
    name: "wide",
    tables: ["wide"],
    rows,
    indexes: 1,
    foreignKeys: 0,
    sums: "sum(id), sum(char_length(body))",
    create: {
      mysql: {
        tables: "CREATE TABLE wide (id INT NOT NULL PRIMARY KEY, body LONGTEXT NOT NULL) CHARSET utf8mb4;",
        indexes: "",
      },
      postgres: { tables: "CREATE TABLE wide (id INT NOT NULL PRIMARY KEY, body text NOT NULL);", indexes: "" },
    },
    data: () => stored("wide", rows, (id) => `${id}\t${filler}\n`),
  };
};
