import type { CopyReport } from "../../src/engine/contract/index.ts";
import { type Place, sql } from "../chaos/contents.ts";
import type { Random } from "../chaos/random.ts";
import { isNamed } from "./compare/said.ts";
import { type Family, families, someValues } from "./families.ts";
import { begin, engineOf, quote, type Server } from "./kinds/index.ts";
import { hostileName } from "./values.ts";

/**
 * Rows alone into a table that is there, whose columns may be narrower, wider or of another type: either each value arrives as
 * it is, or the run is refused before a row is written.
 */

interface Column {
  name: string;
  family: Family;
  source: string;
  target: string;
  /** Of the target. */
  required: boolean;
}

export interface Narrow {
  table: string;
  columns: Column[];
  rows: (string | null)[][];
}

export function randomNarrow(random: Random, [from, to]: readonly [Server, Server]): Narrow {
  const used = new Set<string>(["id"]);
  const columns = Array.from({ length: 1 + random.below(3) }, (): Column => {
    const family = random.pick(families);
    const source = random.pick(family.types[engineOf(from)]);
    return {
      name: hostileName(random, used, 60, false),
      family,
      source,
      target:
        random.below(4) === 0 && engineOf(from) === engineOf(to) ? source : random.pick(family.types[engineOf(to)]),
      required: random.below(6) === 0,
    };
  });
  const chosen = columns.map(({ family }) => someValues(random, family));
  const rows = Array.from({ length: 1 + random.below(8) }, () =>
    chosen.map((values) => (random.below(6) === 0 ? null : random.pick(values))),
  );
  return { table: hostileName(random, new Set(), 60, false), columns, rows };
}

const create = ({ table, columns }: Narrow, server: Server, which: "source" | "target"): string => {
  const engine = engineOf(server);
  const lines = columns.map((column) => {
    const type = column[which];
    const required = which === "target" && column.required && !type.endsWith(" NULL") ? " NOT NULL" : "";
    return `${quote(column.name, engine)} ${type}${required}`;
  });
  const charset = engine === "mysql" ? " CHARSET utf8mb4" : "";
  return `CREATE TABLE ${quote(table, engine)} (id integer PRIMARY KEY, ${lines.join(", ")})${charset}`;
};

const insertion = ({ table, columns, rows }: Narrow, server: Server, n: number): string => {
  const engine = engineOf(server);
  const values = columns.map(({ family }, at) => {
    const value = rows[n]?.[at] ?? null;
    return value === null ? "NULL" : family.literal(value, engine);
  });
  return `INSERT INTO ${quote(table, engine)} VALUES (${[n, ...values].join(", ")})`;
};

export const toldNarrow = (narrow: Narrow, [from, to]: readonly [Server, Server]): string =>
  [
    create(narrow, from, "source"),
    ...narrow.rows.map((_, n) => insertion(narrow, from, n)),
    `-- target\n${create(narrow, to, "target")}`,
  ].join(";\n");

/** Rows that the source itself refuses are none of the case. */
export async function prepareNarrow(narrow: Narrow, ends: readonly [Place, Place], way: readonly [Server, Server]) {
  const strict =
    engineOf(way[0]) === "mysql" ? "SET sql_mode = 'STRICT_ALL_TABLES', time_zone = '+00:00'" : "SET TimeZone = 'UTC'";
  await sql(ends[0], create(narrow, way[0], "source"));
  await sql(ends[1], create(narrow, way[1], "target"));
  for (const n of narrow.rows.keys())
    await sql(ends[0], `${strict}; ${insertion(narrow, way[0], n)}`).catch(() => undefined);
}

/** `crossing`: a real goes into a DOUBLE with its own digits, which are those of no double (docs/types.md). */
async function read(
  { table, columns }: Narrow,
  place: Place,
  server: Server,
  which: "source" | "target",
  crossing: boolean,
) {
  const engine = engineOf(server);
  const typeOf = (type: string) => (crossing && which === "source" && type === "real" ? "text" : type);
  const list = columns.map(({ name, family, ...types }) =>
    family.read(quote(name, engine), typeOf(types[which]), engine),
  );
  const rows = await sql(
    place,
    `${begin(engine)}; SELECT id, ${list.join(", ")} FROM ${quote(table, engine)} ORDER BY id`,
  );
  return rows.map(([id, ...values]) =>
    JSON.stringify([
      Number(id),
      ...values.map((value, n) => (value === null ? null : (columns[n]?.family.canonical(value) ?? value))),
    ]),
  );
}

/** Codes of a run that was refused before it wrote. */
const refusals: readonly unknown[] = ["data_refused", "schema_differs"];

/**
 * A value that the target's type has no like of is NULL there, and the report names its column: `wanted` and `found` differ
 * in nothing else.
 */
function onlyNamed(
  { columns }: Narrow,
  { inventory, warnings }: CopyReport,
  wanted: readonly string[],
  found: readonly string[],
): boolean {
  const lines = [...warnings, ...inventory.map(({ name, note }) => `${name}: ${note}`)].filter((line) =>
    /NULL/.test(line),
  );
  return (
    wanted.length === found.length &&
    wanted.every((row, n) => {
      const [is, was] = [found[n] ?? "[]", row].map((text) => JSON.parse(text) as unknown[]);
      return was?.every(
        (value, at) =>
          value === is?.[at] ||
          (at > 0 && is?.[at] === null && lines.some((line) => isNamed(line, columns[at - 1]?.name ?? ""))),
      );
    })
  );
}

/** `run` copies. Resolves with whether the rows were copied or refused. Errors: what differs. */
export async function judgeNarrow(
  narrow: Narrow,
  ends: readonly [Place, Place],
  way: readonly [Server, Server],
  run: () => Promise<CopyReport>,
): Promise<"copied" | "refused"> {
  const { report, error } = await run().then(
    (done) => ({ report: done, error: undefined }),
    (failure: Error & { code?: string }) => ({ report: undefined, error: failure }),
  );
  const crossing = engineOf(way[0]) !== engineOf(way[1]);
  const wanted = await read(narrow, ends[0], way[0], "source", crossing);
  const found = await read(narrow, ends[1], way[1], "target", crossing);
  if (error === undefined) {
    if (onlyNamed(narrow, report, wanted, found)) return "copied";
    const at = wanted.findIndex((row, n) => row !== found[n]);
    throw new Error(
      `rows alone: ${found.length} rows of ${wanted.length}; wanted ${wanted[at]}\n   found ${found[at]}; the report says ${JSON.stringify([report.warnings, report.inventory])}`,
    );
  }
  // A NULL where the target takes none is refused by the server itself, which keeps none of the table's rows.
  const named = / null value in column |cannot be null/i.test(error.message) && found.length === 0;
  if (!refusals.includes(error.code) && !named)
    throw new Error(`rows alone: the copy failed: ${error.code} ${error.message}`);
  if (found.length > 0)
    throw new Error(`rows alone: refused (${error.message}) after ${found.length} rows were written`);
  if (narrow.columns.every(({ source, target, required }) => source === target && !required))
    throw new Error(`rows alone: refused into the same types: ${error.message}`);
  return "refused";
}
