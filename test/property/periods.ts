import type { Random } from "../chaos/random.ts";
import { asText, type Kind, plain, quote, type Server, same } from "./kinds/index.ts";
import type { Table } from "./table.ts";
import { hostileName } from "./values.ts";

/** MariaDB's periods of application time, keys over them, and tables that keep their history. */

const limit: Kind = {
  name: "limit of a period",
  type: "DATE",
  value: () => same("'2020-01-01'", "2020-01-01"),
  read: { mysql: plain, postgres: asText },
};

const day = (month: number, n: number) => {
  const text = `2020-0${month}-${String(1 + n).padStart(2, "0")}`;
  return same(`'${text}'`, text);
};

/** Only a MariaDB has either; those of its tables that have partitions are left as they are. */
export function addPeriods(random: Random, server: Server, names: Set<string>, table: Table): void {
  if (server !== "mariadb" || table.partition !== undefined) return;
  if (random.below(4) === 0) table.versioned = true;
  if (random.below(4) > 0) return;
  const used = new Set(table.columns.map(({ name }) => name.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "")));
  const [start, end] = [hostileName(random, used, 60, false), hostileName(random, used, 60, false)];
  for (const name of [start, end]) table.columns.push({ name, kind: limit, required: true });
  for (const [n, row] of table.rows.entries()) row.push(day(1, n), day(2, n));
  // It stands among the columns' names.
  const name = hostileName(random, used, 60, false);
  table.period = { name, start, end, ...(random.below(2) === 0 ? { key: hostileName(random, names, 60, false) } : {}) };
}

/** With btree_gist PostgreSQL keeps the periods of a MariaDB's keys apart. */
export const randomExtensions = (random: Random, source: Server, server: Server): readonly string[] =>
  source === "mariadb" && server === "postgres" && random.below(2) === 0 ? ["CREATE EXTENSION btree_gist"] : [];

const q = (name: string) => quote(name, "mysql");

/** Within the table's brackets. */
export const periodLines = ({ period, columns }: Table): string[] =>
  period === undefined
    ? []
    : [
        `PERIOD FOR ${q(period.name)} (${q(period.start)}, ${q(period.end)})`,
        ...(period.key === undefined
          ? []
          : [`UNIQUE KEY ${q(period.key)} (${q(columns[0]?.name ?? "")}, ${q(period.name)} WITHOUT OVERLAPS)`]),
      ];

/** No row of a case has this number, nor any other one that is tried. */
const past = 35;

/** A copy of its first row was there once, unless a column that is unique by itself forbids it. */
export const hasPast = ({ rows, indexes }: Table): boolean =>
  rows.length > 0 && !indexes.some(({ form }) => form === "alone");

/** Made when all else is, since an index is not added to a history. */
export const historyOf = (table: Table): string[] => {
  const { name, versioned, columns } = table;
  if (versioned !== true) return [];
  const made = `ALTER TABLE ${q(name)} ADD SYSTEM VERSIONING`;
  if (!hasPast(table)) return [made];
  const stored = columns.filter(({ generated }) => generated === undefined).map((column) => q(column.name));
  const id = stored[0];
  return [
    made,
    `INSERT INTO ${q(name)} (${stored.join(", ")}) SELECT ${[past, ...stored.slice(1)].join(", ")} FROM ${q(name)} LIMIT 1`,
    `DELETE FROM ${q(name)} WHERE ${id} = ${past}`,
  ];
};
