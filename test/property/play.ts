import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import type { CopyReport } from "../../src/engine/contract.ts";
import { copy } from "../../src/engine/index.ts";
import { type Place, sql } from "../chaos/contents.ts";
import { random } from "../chaos/random.ts";
import { endpoint } from "../chaos/scene.ts";
import { quote, randomTables, type Table } from "./cases.ts";
import type { Engine } from "./kinds.ts";

/** Copies random schemas along a way of engines, and compares each stop by a reader of its own with what it must hold. */

/** `mysql-pg-mysql`: there and back. */
export type Way = readonly [Engine, Engine, ...Engine[]];

export const ways: Readonly<Record<string, Way>> = {
  "mysql-pg": ["mysql", "postgres"],
  "pg-pg": ["postgres", "postgres"],
  "mysql-mysql": ["mysql", "mysql"],
  "pg-mysql": ["postgres", "mysql"],
  "mysql-pg-mysql": ["mysql", "postgres", "mysql"],
  "pg-mysql-pg": ["postgres", "mysql", "postgres"],
};

export interface Servers {
  of: Record<Engine, Database>;
  close(): Promise<void>;
}

export async function openServers(): Promise<Servers> {
  process.env["ROWFERRY_PG_BIN"] = await pgTools();
  const [mysql, postgres] = await Promise.all([
    startDatabase("mariadb", {
      args: ["--max-allowed-packet=64M", "--local-infile=1", "--sql-mode=NO_AUTO_VALUE_ON_ZERO"],
    }),
    startDatabase("postgres"),
  ]);
  return { of: { mysql, postgres }, close: async () => void (await Promise.all([mysql.stop(), postgres.stop()])) };
}

/** Plays case `number` of the seed. Errors: what differs, with the table's DDL and its rows' statements. */
export async function playCase(servers: Servers, name: string, seed: number, number: number): Promise<void> {
  const way = ways[name];
  if (way === undefined) throw new Error(`no way ${name}`);
  const chance = random(seed, Object.keys(ways).indexOf(name) * 1_000_000 + number);
  const tables = randomTables(chance, way[0], way);
  const places: Place[] = [];
  try {
    for (const [stop, engine] of way.entries()) places.push(await newPlace(servers.of[engine], `p${number}_${stop}`));
    const [first, ...rest] = places;
    if (first === undefined) return;
    await prepare(first, way[0], tables);
    let from = first;
    let namesThere = new Map(tables.map((table) => [table.name, table.name]));
    for (const [stop, to] of rest.entries()) {
      const report = await ride(from, to, `property-${seed}-${number}-${stop}`, tables);
      namesThere = new Map([...namesThere].map(([source, here]) => [source, nameIn(report, here)]));
      await compare(
        from === first ? first : undefined,
        to,
        way[0],
        way[stop + 1] ?? way[0],
        way.slice(1, stop + 2),
        tables,
        namesThere,
      );
      from = to;
    }
  } finally {
    for (const place of places)
      await sql(outside(place.server), `DROP DATABASE ${place.database}`).catch(() => undefined);
  }
}

const outside = (server: Database): Place => ({ server, database: new URL(server.adminUrl).pathname.slice(1) });

async function newPlace(server: Database, database: string): Promise<Place> {
  await sql(
    outside(server),
    `CREATE DATABASE ${database}${server.kind === "postgres" ? "" : " CHARACTER SET utf8mb4"}`,
  );
  return { server, database };
}

async function prepare(place: Place, engine: Engine, tables: readonly Table[]): Promise<void> {
  const begin =
    engine === "mysql" ? "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00'" : "SET TimeZone = 'UTC'";
  for (const table of tables) {
    const statements = [begin, table.ddl, ...table.insert].join(";\n");
    await sql(place, statements).catch((error: Error) => {
      throw new Error(`the source refused its own case: ${error.message}\n${statements.slice(0, 3000)}`);
    });
  }
}

async function ride(from: Place, to: Place, owner: string, tables: readonly Table[]): Promise<CopyReport> {
  const hooks = {
    signal: new AbortController().signal,
    progress: () => undefined,
    measured: () => undefined,
    log: () => undefined,
  };
  const request = {
    owner,
    ownerName: "property",
    source: endpoint(from),
    target: endpoint(to),
    options: { jobs: 2 },
    reset: false,
  };
  const copied = await copy(request, hooks).catch((error: Error & { code?: string }) => {
    throw new Error(`the copy failed: ${error.code} ${error.message}\n${tables.map(told).join("\n")}`);
  });
  await copied.finish();
  return copied.report;
}

const told = (table: Table): string => [table.ddl, ...table.insert.slice(0, 14)].join(";\n").slice(0, 6000);

/** The last part of the name that the report gives a table, whatever the database or schema before it is called. */
function nameIn(report: CopyReport, source: string): string {
  const ends = (name: string) =>
    name === source ||
    name.endsWith(`.${source}`) ||
    name.endsWith(`.${quote(source, "postgres")}`) ||
    name.endsWith(`.${quote(source, "mysql")}`);
  const found = report.tables.find((table) => ends(table.source));
  if (found === undefined) throw new Error(`the report has no table ${source}: ${JSON.stringify(report.tables)}`);
  return found.target;
}

async function compare(
  first: Place | undefined,
  to: Place,
  origin: Engine,
  engine: Engine,
  passed: readonly Engine[],
  tables: readonly Table[],
  names: Map<string, string>,
): Promise<void> {
  for (const table of tables) {
    const target = await tableIn(to, engine, names.get(table.name) ?? table.name, table.name);
    if (target.columns.length !== table.columns.length)
      throw new Error(`${table.name} has ${target.columns.length} columns\n${told(table)}`);
    const found = await read(to, engine, target.from, target.columns, table);
    const wanted =
      origin === "postgres" && engine === "postgres" && first !== undefined
        ? await read(
            first,
            "postgres",
            quote(table.name, "postgres"),
            table.columns.map((column) => column.name),
            table,
          )
        : table.rows.map((row) =>
            JSON.stringify(
              row.map((value, n) => {
                // What one stop could not hold is gone for the next ones.
                if (value === null || passed.some((stop) => value.expect[stop] === null)) return null;
                const text = value.expect[engine] ?? "";
                return table.columns[n]?.kind.canonical?.(text, origin) ?? text;
              }),
            ),
          );
    const [a, b] = [found.sort(), [...wanted].sort()];
    const at = b.findIndex((row, n) => row !== a[n]);
    if (at >= 0 || a.length !== b.length) {
      throw new Error(
        `${JSON.stringify(table.name)} has ${a.length} rows of ${b.length}; wanted ${b[at]}\n   found ${a[at]}\n${told(table)}`,
      );
    }
  }
}

/** The table as SQL names it, and its columns in their order, by the target's own catalogue. */
async function tableIn(
  place: Place,
  engine: Engine,
  reported: string,
  source: string,
): Promise<{ from: string; columns: string[] }> {
  const schema = engine === "mysql" ? `'${place.database}'` : "'public'";
  const rows = await sql(
    place,
    `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = ${schema} ORDER BY table_name, ordinal_position`,
  );
  const all = new Set(rows.map(([table]) => table ?? ""));
  const plainName = reported.replace(/^[^.]*\./, "");
  const candidates = [
    plainName,
    reported,
    source,
    plainName
      .replace(/^["`]|["`]$/g, "")
      .replaceAll('""', '"')
      .replaceAll("``", "`"),
  ];
  const table = candidates.find((name) => all.has(name));
  if (table === undefined) throw new Error(`the target has no table ${reported}, but ${[...all].join(", ")}`);
  return {
    from: quote(table, engine),
    columns: rows.filter(([name]) => name === table).map(([, column]) => column ?? ""),
  };
}

async function read(
  place: Place,
  engine: Engine,
  from: string,
  columns: readonly string[],
  table: Table,
): Promise<string[]> {
  const zone = engine === "mysql" ? "SET time_zone = '+00:00'" : "SET TimeZone = 'UTC'; SET extra_float_digits = 3";
  const expressions = columns.map(
    (column, n) => table.columns[n]?.kind.read[engine]?.(quote(column, engine)) ?? "NULL",
  );
  const rows = await sql(place, `${zone}; SELECT ${expressions.join(", ")} FROM ${from}`);
  return rows.map((row) =>
    JSON.stringify(
      row.map((text, n) => (text === null ? null : (table.columns[n]?.kind.canonical?.(text, engine) ?? text))),
    ),
  );
}

/** Plays `count` cases of each way. */
export async function playProperty(
  servers: Servers,
  { seed, count, from = 0, names }: { seed: number; count: number; from?: number; names: readonly string[] },
  say: (line: string) => void,
): Promise<{ cases: number; failures: string[] }> {
  const failures: string[] = [];
  let cases = 0;
  for (const name of names) {
    for (let number = from; number < from + count; number++) {
      cases += 1;
      await playCase(servers, name, seed, number).catch((error: Error) => {
        failures.push(`${name} --seed ${seed} --from ${number}: ${error.message}`);
        say(`${name} --seed ${seed} --from ${number} FAILED: ${error.message}`);
      });
    }
    say(`${name}: seed ${seed}, cases ${from} to ${from + count - 1}`);
  }
  return { cases, failures };
}
