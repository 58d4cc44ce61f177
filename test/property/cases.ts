import type { Random } from "../chaos/random.ts";
import { asText, type Engine, engineOf, type Kind, plain, type Server, same, type Value } from "./kinds/index.ts";
import { labelKinds } from "./kinds/labels.ts";
import { mysqlKinds } from "./kinds/mysql.ts";
import { mysqlOddKinds } from "./kinds/mysql-odd.ts";
import { postgresKinds } from "./kinds/postgres.ts";
import { postgresOddKinds } from "./kinds/postgres-odd.ts";
import { addPeriods } from "./periods.ts";
import type { Check, Column, Loose, Table } from "./table.ts";
import { hostileName } from "./values.ts";

/** A random schema with random rows, as data: `statements.ts` writes it as SQL of the source. */

const numbered: Record<Engine, Kind> = {
  mysql: number("INT"),
  postgres: number("integer"),
};

function number(type: string): Kind {
  return { name: type, type, value: () => same("0", "0"), read: { mysql: plain, postgres: asText } };
}

/** `way`: the servers that the case is copied through; only kinds that each can be read in are chosen. */
export function randomTables(random: Random, way: readonly [Server, ...Server[]]): Table[] {
  const engine = engineOf(way[0]);
  const known = engine === "mysql" ? [...mysqlKinds, ...mysqlOddKinds] : [...postgresKinds, ...postgresOddKinds];
  const kinds = known.filter(
    (kind) => way.every((stop) => kind.read[engineOf(stop)] !== undefined) && (kind.goes?.(way) ?? true),
  );
  const names = new Set<string>();
  const tables = Array.from({ length: 1 + random.below(4) }, () => randomTable(random, engine, kinds, names));
  for (const table of tables) addPeriods(random, way[0], names, table);
  for (const table of tables) addLooseCheck(random, way[0], names, table);
  for (const table of tables) addReferences(random, way[0], names, table, tables);
  for (const table of tables) addViews(random, engine, names, table);
  return tables;
}

function randomTable(random: Random, engine: Engine, kinds: readonly Kind[], names: Set<string>): Table {
  const [longest, wide] = engine === "mysql" ? [64, false] : [63, true];
  const name = hostileName(random, names, longest, wide);
  const used = new Set<string>();
  const named = () => hostileName(random, used, longest, wide);
  const id: Column = { name: named(), kind: numbered[engine], required: true };
  const others = Array.from({ length: 1 + random.below(8) }, (): Column => {
    const kind = random.pick(kinds);
    const required = random.below(4) === 0 && !kind.type.endsWith(" NULL");
    const withDefault = kind.defaulted === true && random.below(2) === 0;
    const expression =
      kind.expressions !== undefined && random.below(3) === 0 ? random.pick(kind.expressions) : undefined;
    const value = expression ?? (withDefault ? kind.value(random) : undefined);
    return { name: named(), kind, required, ...(value === undefined ? {} : { default: value }) };
  });
  const generated: Column[] =
    random.below(4) === 0
      ? [{ name: named(), kind: numbered[engine], required: false, generated: random.pick(["STORED", "VIRTUAL"]) }]
      : [];
  const keyed = random.below(4) > 0;
  const partitioned = keyed && !others.some(({ kind }) => kind.whole) && random.below(6) === 0;
  const label: Column | undefined =
    partitioned && random.below(2) === 0
      ? { name: named(), kind: random.pick(labelKinds[engine]), required: true }
      : undefined;
  const columns = [id, ...others, ...generated, ...(label === undefined ? [] : [label])];
  const count = random.below(5) === 0 ? 0 : random.below(14);
  const table: Table = {
    name,
    columns,
    keyed,
    ...(partitioned
      ? {
          partition: {
            by: random.pick(["range", "list", "hash"] as const),
            names: [0, 1, 2].map(() => hostileName(random, names, 50, false)),
            ...(label === undefined ? {} : { label: label.name }),
          },
        }
      : {}),
    indexes: [
      ...others
        .filter(({ kind }) => kind.keyed === true && random.below(3) === 0)
        .map((column) => ({
          name: hostileName(random, names, 60, false),
          column: column.name,
          // A unique key has each column that the table is partitioned by.
          form: random.pick(
            label === undefined ? (["plain", "pair", "unique"] as const) : (["plain", "pair"] as const),
          ),
        })),
      ...others
        .filter(({ kind }) => kind.distinct === true && !partitioned && random.below(3) > 0)
        .map((column) => ({
          name: hostileName(random, names, 60, false),
          column: column.name,
          form: "alone" as const,
        })),
    ],
    views: [],
    checks: conditions
      .filter(() => random.below(8) === 0)
      .map((condition) => ({ name: hostileName(random, names, 60, false), ...condition })),
    rows: Array.from({ length: count }, (_, n) => columns.map((column) => cell(random, column, n))),
  };
  for (const { column, form } of table.indexes) if (form === "alone") makeDistinct(table, column);
  return table;
}

/** Of equal values only the first stays, where the column takes NULL; else only its row. */
function makeDistinct(table: Table, name: string): void {
  const at = table.columns.findIndex((column) => column.name === name);
  const seen = new Set<string>();
  const first = (row: Table["rows"][number]): boolean => {
    const text = row[at]?.expect.postgres;
    if (text === undefined || text === null) return true;
    return !seen.has(text) && seen.add(text).size > 0;
  };
  if (table.columns[at]?.required === false) for (const row of table.rows) if (!first(row)) row[at] = null;
  // Rows are numbered from 0.
  if (table.columns[at]?.required === true) {
    const until = table.rows.findIndex((row) => !first(row));
    if (until >= 0) table.rows.splice(until);
  }
}

/** Of a column whose values are texts; the literal may be another case of one of them. */
function addViews(random: Random, engine: Engine, names: Set<string>, table: Table): void {
  for (const [at, { name, kind }] of table.columns.entries()) {
    if (at === 0 || (kind.folds !== true && kind.distinct !== true) || random.below(2) === 0) continue;
    const text = random.pick(table.rows.flatMap((row) => row[at]?.expect.postgres ?? []).concat("a"));
    const other = random.pick([text, text.toUpperCase(), text.toLowerCase()]);
    const literal =
      engine === "postgres" || other === "" ? `'${other}'` : `_utf8mb4 0x${Buffer.from(other).toString("hex")}`;
    table.views.push({ name: hostileName(random, names, 60, false), column: name, literal });
  }
}

/** Numbers beyond those of rows and below the end of the partitions. */
const conditions: readonly Omit<Check, "name">[] = [
  { words: (id) => `${id} <> 41`, refused: 41 },
  { words: (id) => `${id} < 45`, refused: 46 },
  { words: (id) => `${id} NOT BETWEEN 42 AND 44`, refused: 43 },
  { words: (id) => `${id} NOT IN (40, 47)`, refused: 47 },
  { words: (id) => `${id} < 48 OR ${id} > 49`, refused: 48 },
  { words: (id) => `${id} + 1 <> 50 AND ${id} IS NOT NULL`, refused: 49 },
];

/** MariaDB has none, and MySQL no constraint that is not valid. */
const loosenesses: Record<Server, readonly Loose[]> = {
  mysql: ["NOT ENFORCED"],
  mariadb: [],
  postgres: ["NOT ENFORCED", "NOT VALID"],
};

/** Each row of the case may break it. */
function addLooseCheck(random: Random, server: Server, names: Set<string>, table: Table): void {
  const kinds = loosenesses[server];
  if (kinds.length === 0 || random.below(5) > 0) return;
  const loose = random.pick(kinds);
  // PostgreSQL's partitioned tables take none that is not valid.
  if (table.partition !== undefined && loose === "NOT VALID") return;
  const name = hostileName(random, names, 60, false);
  table.checks.push(
    random.below(2) === 0
      ? { name, loose, words: (id) => `${id} <> 37`, refused: 37 }
      : { name, loose, words: (id) => `${id} > 4 AND ${id} <> 36`, refused: 36 },
  );
}

function cell(random: Random, column: Column, n: number): Value | null {
  if (column.kind === numbered.mysql || column.kind === numbered.postgres) {
    return fixed(String(column.generated === undefined ? n : n * 2 + 1));
  }
  if (column.default !== undefined && random.below(3) === 0) return { ...column.default, literal: "DEFAULT" };
  return !column.required && random.below(5) === 0 ? null : column.kind.value(random);
}

/** To itself, to an earlier table or to a later one, so that circles come about. */
function addReferences(
  random: Random,
  server: Server,
  names: Set<string>,
  table: Table,
  tables: readonly Table[],
): void {
  if (random.below(2) === 0 || table.partition !== undefined) return;
  const parent = random.pick(tables);
  if (!parent.keyed || parent.partition !== undefined) return;
  const loose = server === "postgres" && random.below(4) === 0 ? { loose: random.pick(loosenesses[server]) } : {};
  // A period's name stands among the columns'.
  const taken = [...table.columns, ...(table.period === undefined ? [] : [table.period])];
  const used = new Set(taken.map(({ name }) => name.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "")));
  table.columns.push({
    name: hostileName(random, used, 60, false),
    kind: numbered[engineOf(server)],
    required: false,
    references: { table: parent.name, constraint: hostileName(random, names, 60, false), ...loose },
  });
  for (const row of table.rows) {
    // A row that refers to none that is there.
    if (loose.loose !== undefined && random.below(3) === 0) {
      row.push(fixed("99"));
      continue;
    }
    const none = parent.rows.length === 0 || random.below(3) === 0;
    row.push(none ? null : fixed(String(random.below(parent.rows.length))));
  }
}

const fixed = (text: string): Value => same(text, text);
