import type { CopyReport } from "../../../src/engine/contract/index.ts";
import { isPostgres, type Place, sql } from "../../chaos/contents.ts";
import { begin, type Engine, quote } from "../kinds/index.ts";
import type { Column, Table } from "../table.ts";
import { compareClock } from "./clock.ts";
import { compareDigits } from "./digits.ts";
import { asMade, lettersOfNew } from "./letters.ts";
import { isKeyLost } from "./loose.ts";
import { compareMeaning } from "./meaning.ts";
import { isNamed, repeated } from "./said.ts";
import { compareShape } from "./shape.ts";
import type { Found, Stop } from "./stop.ts";
import { compareViews } from "./views.ts";

/** What a copy must hold, read by the plain drivers: rows, keys, foreign keys, defaults, generated columns, and its shape. */

/** No row of a case has this number. */
const probe = 39;

/** `source`: PostgreSQL's own reading of its values is what a copy in PostgreSQL must give. Errors: what differs, in a sentence. */
export async function compare(stop: Stop, tables: readonly Table[], source?: Place): Promise<void> {
  for (const table of tables) {
    const found = await tableIn(stop, stop.names.get(table.name) ?? table.name, table.name);
    if (found.columns.length !== table.columns.length) {
      throw new Error(`${table.name} has ${found.columns.length} columns: ${found.columns.join(", ")}`);
    }
    await compareRows(stop, table, found, source);
    await compareDefaults(stop, table, found);
    await compareMeaning(stop, table, found);
    await compareShape(stop, table, found);
    await compareClock(stop, table, found);
    await compareDigits(stop, table, found);
    await compareViews(stop, table, stop.shown);
    for (const [n, column] of table.columns.entries()) stop.called.set(column, found.columns[n] ?? column.name);
  }
  await compareKeys(stop, tables);
}

async function compareRows(stop: Stop, table: Table, found: Found, source: Place | undefined): Promise<void> {
  const rows = await read(stop.place, stop.engine, found, table);
  const own = { from: quote(table.name, stop.origin), columns: table.columns.map(({ name }) => name) };
  const wanted = source === undefined ? expected(stop, table) : await read(source, stop.origin, own, table);
  const [a, b] = [rows.sort(), [...wanted].sort()];
  const at = b.findIndex((row, n) => row !== a[n]);
  if (at < 0 && a.length === b.length) return;
  throw new Error(
    `${JSON.stringify(table.name)} has ${a.length} rows of ${b.length}; wanted ${b[at]}\n   found ${a[at]}`,
  );
}

const expected = ({ engine, origin, passed, letters }: Stop, table: Table): string[] =>
  table.rows.map((row) =>
    JSON.stringify(
      row.map((value, n) => {
        // What one stop could not hold is gone for the next ones.
        if (value === null || passed.some((name) => value.expect[name] === null)) return null;
        const text = asMade(value, letters)[engine] ?? "";
        return table.columns[n]?.kind.canonical?.(text, origin) ?? text;
      }),
    ),
  );

const reading = (table: Table, engine: Engine, at: number, name: string): string =>
  table.columns[at]?.kind.read[engine]?.(quote(name, engine)) ?? "NULL";

async function read(
  place: Place,
  engine: Engine,
  { from, columns }: Pick<Found, "from" | "columns">,
  table: Table,
): Promise<string[]> {
  const expressions = columns.map((column, n) => reading(table, engine, n, column));
  const rows = await sql(place, `${begin(engine)}; SELECT ${expressions.join(", ")} FROM ${from}`);
  return rows.map((row) =>
    JSON.stringify(
      row.map((text, n) => (text === null ? null : (table.columns[n]?.kind.canonical?.(text, engine) ?? text))),
    ),
  );
}

/**
 * A new row that leaves out the columns with defaults and the generated ones must get them from the target: it is a copy of
 * one that is there, and goes with its connection.
 */
async function compareDefaults(stop: Stop, table: Table, { from, columns }: Found): Promise<void> {
  const { engine, place } = stop;
  const made = table.columns.flatMap((column, n) => {
    if (column.default === undefined && column.generated === undefined) return [];
    // Without its default it needs a value, or the server takes one of its own.
    if (!column.required || !(stop.givenUp.has(column) || saidSo(stop, column))) return [n];
    stop.givenUp.add(column);
    return [];
  });
  if (made.length === 0 || table.rows.length === 0) return;
  const q = (n: number) => quote(columns[n] ?? "", engine);
  const given = columns.map((_, n) => n).filter((n) => !made.includes(n));
  const values = given.map((n) => (n === 0 ? String(probe) : repeated(table, n, q(n))));
  const [row] = await sql(
    place,
    `${begin(engine)}; START TRANSACTION;
     INSERT INTO ${from} (${given.map(q).join(", ")}) SELECT ${values.join(", ")} FROM ${from} LIMIT 1;
     SELECT ${made.map((n) => reading(table, engine, n, columns[n] ?? "")).join(", ")} FROM ${from} WHERE ${q(0)} = ${probe}`,
  );
  const letters = await lettersOfNew(stop, table);
  for (const [at, n] of made.entries()) {
    const column = table.columns[n];
    if (column === undefined) continue;
    const canonical = (words: string | null, by: Engine) =>
      words === null ? null : (column.kind.canonical?.(words, by) ?? words);
    const found = canonical(row?.[at] ?? null, engine);
    if (found === null && (stop.givenUp.has(column) || saidSo(stop, column))) {
      stop.givenUp.add(column);
      continue;
    }
    const value = column.default && asMade(column.default, letters);
    const lost = stop.passed.some((name) => value?.[name] === null);
    const text = column.generated === undefined ? (lost ? null : (value?.[engine] ?? null)) : String(probe * 2 + 1);
    const wanted = canonical(text, stop.origin);
    if (wanted !== found) {
      const said = stop.report.inventory.filter(({ name }) => isNamed(name, column.name));
      throw new Error(
        `a new row of ${JSON.stringify(table.name)} has ${JSON.stringify(found)} where its column ${JSON.stringify(column.name)} ` +
          `${column.generated === undefined ? "has the default" : "is generated as"} ${JSON.stringify(wanted)}; the inventory says ${JSON.stringify(said)}`,
      );
    }
  }
}

/** An expression that is not proven equal in the other server is left out, and named. */
const saidSo = ({ report, called }: Stop, column: Column): boolean =>
  report.inventory.some(
    (entry) =>
      entry.outcome === "reported" &&
      entry.kind === (column.generated === undefined ? "default" : "generated column") &&
      [column.name, called.get(column) ?? column.name].some((name) => isNamed(entry.name, name)) &&
      entry.definition !== undefined,
  );

/** Primary and foreign keys by number: each name may have had to change. */
async function compareKeys(stop: Stop, tables: readonly Table[]): Promise<void> {
  const [row] = await sql(
    stop.place,
    isPostgres(stop.place)
      ? `SELECT (SELECT count(*) FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid WHERE contype = 'p' AND NOT relispartition AND connamespace = 'public'::regnamespace),
          (SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conparentid = 0),
          (SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated AND conparentid = 0)`
      : `SELECT (SELECT count(*) FROM information_schema.TABLE_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() AND CONSTRAINT_TYPE = 'PRIMARY KEY'),
          (SELECT count(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE())`,
  );
  const keys = tables.flatMap(({ columns }) => columns.flatMap(({ references }) => references ?? []));
  const wanted = [
    tables.filter(({ keyed }) => keyed).length,
    keys.filter((references) => !isKeyLost(stop, references)).length,
  ];
  const strict = keys.filter(({ loose }) => loose === undefined).length;
  const found = row?.map(Number) ?? [];
  if (found[0] !== wanted[0] || found[1] !== wanted[1] || (found[2] ?? strict) < strict) {
    const said = stop.report.inventory.filter(({ outcome }) => outcome === "reported");
    throw new Error(
      `${found[0]} primary and ${found[1]} foreign keys instead of ${wanted.join(" and ")}; reported: ${JSON.stringify(said)}`,
    );
  }
}

/** The table as SQL names it, and its columns in their order, by the target's own catalogue. */
async function tableIn({ place, engine }: Stop, reported: string, source: string): Promise<Found> {
  const schema = engine === "mysql" ? `'${place.database}'` : "'public'";
  const rows = await sql(
    place,
    `SELECT table_name, column_name, is_nullable FROM information_schema.columns WHERE table_schema = ${schema} ORDER BY table_name, ordinal_position`,
  );
  const all = new Set(rows.map(([table]) => table ?? ""));
  const plainName = reported.replace(/^[^.]*\./, "");
  const bare = plainName.replace(/^["`]|["`]$/g, "");
  const candidates = [plainName, reported, source, bare.replaceAll('""', '"').replaceAll("``", "`")];
  const table = candidates.find((name) => all.has(name));
  if (table === undefined) throw new Error(`the target has no table ${reported}, but ${[...all].join(", ")}`);
  const own = rows.filter(([name]) => name === table);
  return {
    from: quote(table, engine),
    name: table,
    columns: own.map(([, column]) => column ?? ""),
    nullable: own.map(([, , nullable]) => nullable === "YES"),
  };
}

/** The name that the report gives a table, whatever the database or schema before it is called. */
export function nameIn(report: CopyReport, source: string): string {
  const spelled = [source, quote(source, "postgres"), quote(source, "mysql")];
  const ends = (name: string) => spelled.some((words) => name === words || name.endsWith(`.${words}`));
  // A table with partitions is reported by them alone where they are tables too, and keeps its name there.
  return report.tables.find((table) => ends(table.source))?.target ?? source;
}
