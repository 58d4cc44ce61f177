import type { Random } from "../chaos/random.ts";
import type { Engine, Kind, Value } from "./kinds.ts";
import { mysqlKinds } from "./mysql-kinds.ts";
import { postgresKinds } from "./postgres-kinds.ts";
import { hostileName } from "./values.ts";

/** A random schema with random rows, as SQL of the source. */

export interface Column {
  name: string;
  kind: Kind;
}

export interface Table {
  name: string;
  columns: Column[];
  ddl: string;
  rows: (Value | null)[][];
  insert: string[];
}

export const quote = (name: string, engine: Engine): string =>
  engine === "mysql" ? `\`${name.replaceAll("`", "``")}\`` : `"${name.replaceAll('"', '""')}"`;

const numbered: Record<Engine, Kind> = {
  mysql: {
    name: "INT",
    type: "INT",
    value: () => ({ literal: "0", expect: { mysql: "0", postgres: "0" } }),
    read: { mysql: (c) => `CAST(${c} AS char)`, postgres: (c) => `(${c})::text` },
  },
  postgres: {
    name: "integer",
    type: "integer",
    value: () => ({ literal: "0", expect: { mysql: "0", postgres: "0" } }),
    read: { mysql: (c) => `CAST(${c} AS char)`, postgres: (c) => `(${c})::text` },
  },
};

/** `through`: the engines that the case is copied into; only kinds that each can be read in are chosen. */
export function randomTables(random: Random, engine: Engine, through: readonly Engine[]): Table[] {
  const known = engine === "mysql" ? mysqlKinds : postgresKinds;
  const kinds = known.filter((kind) => through.every((name) => kind.read[name] !== undefined));
  const names = new Set<string>();
  const tables: Table[] = [];
  const count = 1 + random.below(4);
  for (let n = 0; n < count; n++) tables.push(randomTable(random, engine, kinds, names, tables));
  return tables;
}

function randomTable(
  random: Random,
  engine: Engine,
  kinds: readonly Kind[],
  names: Set<string>,
  earlier: readonly Table[],
): Table {
  const [longest, wide] = engine === "mysql" ? [64, false] : [63, true];
  const name = hostileName(random, names, longest, wide);
  const used = new Set<string>();
  const id: Column = { name: hostileName(random, used, longest, wide), kind: numbered[engine] };
  const parentTable = random.below(3) === 0 ? earlier[random.below(earlier.length + 1)] : undefined;
  const others = Array.from(
    { length: 1 + random.below(8) },
    (): Column => ({
      name: hostileName(random, used, longest, wide),
      kind: random.pick(kinds),
    }),
  );
  const parent: Column[] = parentTable?.ddl.includes("PRIMARY KEY")
    ? [{ name: hostileName(random, used, longest, wide), kind: numbered[engine] }]
    : [];
  const columns = [id, ...others, ...parent];
  const q = (text: string) => quote(text, engine);
  const optional = others.map(() => random.below(4) > 0);
  const lines = columns.map((column, n) => {
    const required = n === 0 || (n <= others.length && !optional[n - 1] && !column.kind.type.endsWith(" NULL"));
    return `${q(column.name)} ${column.kind.type}${required ? " NOT NULL" : ""}`;
  });
  const keyed = random.below(4) > 0;
  if (keyed) lines.push(`PRIMARY KEY (${q(id.name)})`);
  if (parentTable !== undefined && parent[0] !== undefined) {
    const key = parentTable.columns[0]?.name ?? "";
    lines.push(
      `CONSTRAINT ${q(hostileName(random, names, 60, false))} FOREIGN KEY (${q(parent[0].name)}) REFERENCES ${q(parentTable.name)} (${q(key)})`,
    );
  }
  const rows = Array.from({ length: random.below(5) === 0 ? 0 : random.below(14) }, (_, n) =>
    columns.map((column, at): Value | null => {
      if (at === 0) return fixed(String(n));
      if (at > others.length)
        return parentTable === undefined || parentTable.rows.length === 0 || random.below(3) === 0
          ? null
          : fixed(String(random.below(parentTable.rows.length)));
      const nullable = optional[at - 1] || column.kind.type.endsWith(" NULL");
      return nullable && random.below(5) === 0 ? null : column.kind.value(random);
    }),
  );
  const end = engine === "mysql" ? " CHARSET utf8mb4" : "";
  const types = others.flatMap(({ kind }) => kind.before ?? []);
  const index = others
    .filter(({ kind }) => kind.keyed === true && random.below(3) === 0)
    .map((column) => `CREATE INDEX ${q(hostileName(random, names, 60, false))} ON ${q(name)} (${q(column.name)})`);
  return {
    name,
    columns,
    ddl: [...types, `CREATE TABLE ${q(name)} (${lines.join(", ")})${end}`, ...index].join(";\n"),
    rows,
    insert: rows.map(
      (row) =>
        `INSERT INTO ${q(name)} (${columns.map((column) => q(column.name)).join(", ")}) VALUES (${row.map((value) => value?.literal ?? "NULL").join(", ")})`,
    ),
  };
}

const fixed = (text: string): Value => ({ literal: text, expect: { mysql: text, postgres: text } });
