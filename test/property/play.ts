import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { assess } from "../../src/engine/assess/index.ts";
import type { CopyOptions, CopyReport, InventoryEntry } from "../../src/engine/contract/index.ts";
import { copy } from "../../src/engine/index.ts";
import { type Place, sql } from "../chaos/contents.ts";
import { type Random, random } from "../chaos/random.ts";
import { endpoint } from "../chaos/scene.ts";
import { borrowDatabase } from "../servers/index.ts";
import { unplanned, untrue } from "../support/engine/planned.ts";
import { randomTables } from "./cases.ts";
import { compare, nameIn } from "./compare/index.ts";
import { readLetters } from "./compare/letters.ts";
import type { Stop } from "./compare/stop.ts";
import { readViews } from "./compare/views.ts";
import { judgeNarrow, prepareNarrow, randomNarrow, toldNarrow } from "./data-only.ts";
import { type Engine, engineOf, type Server } from "./kinds/index.ts";
import { randomLocale } from "./locales.ts";
import { historyOf, randomExtensions } from "./periods.ts";
import { refusedIn, requireRefusal } from "./refused.ts";
import { randomSettings, type Settings, settingWords, under } from "./settings.ts";
import { shrink } from "./shrink.ts";
import { foreignKeysOf, statementsOf, told, typesOf, viewsOf } from "./statements.ts";
import type { Table } from "./table.ts";

/** Copies random schemas along a way of engines, and compares each stop by a reader of its own with what it must hold. */

export const ways: Readonly<Record<string, readonly [Engine, Engine, ...Engine[]]>> = {
  "mysql-pg": ["mysql", "postgres"],
  "pg-pg": ["postgres", "postgres"],
  "mysql-mysql": ["mysql", "mysql"],
  "pg-mysql": ["postgres", "mysql"],
  // There and back.
  "mysql-pg-mysql": ["mysql", "postgres", "mysql"],
  "pg-mysql-pg": ["postgres", "mysql", "postgres"],
};

/** Rows alone, into tables that are there. */
export const dataWays: Readonly<Record<string, readonly [Engine, Engine]>> = {
  "mysql-pg-data": ["mysql", "postgres"],
  "pg-pg-data": ["postgres", "postgres"],
  "mysql-mysql-data": ["mysql", "mysql"],
  "pg-mysql-data": ["postgres", "mysql"],
};

export const wayNames: readonly string[] = [...Object.keys(ways), ...Object.keys(dataWays)];

export interface Servers {
  of: Record<Server, Database>;
  /** Each case is assessed too, before its copy. */
  assesses: boolean;
  close(): Promise<void>;
}

export async function openServers({ assesses = false } = {}): Promise<Servers> {
  process.env["ROWFERRY_PG_BIN"] = await pgTools();
  const args = ["--max-allowed-packet=64M", "--local-infile=1"];
  const started = await Promise.allSettled([
    borrowDatabase("mysql", { args }),
    borrowDatabase("mariadb", { args }),
    borrowDatabase("postgres"),
  ]);
  const all = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const close = async () => void (await Promise.all(all.map((server) => server.stop())));
  const [mysql, mariadb, postgres] = all;
  if (mysql === undefined || mariadb === undefined || postgres === undefined) {
    await close();
    throw started.find((result) => result.status === "rejected")?.reason;
  }
  return { of: { mysql, mariadb, postgres }, assesses, close };
}

/** Which MySQL each stop is follows from the seed too. */
const serversOf = (chance: Random, [first, ...rest]: readonly [Engine, ...Engine[]]): [Server, ...Server[]] => {
  const choose = (engine: Engine): Server => {
    const server = chance.pick(["mysql", "mariadb"] as const);
    return engine === "postgres" ? engine : server;
  };
  return [choose(first), ...rest.map(choose)];
};

/** Plays case `number` of the seed. Errors: what differs, with the statements of the smallest case that still fails so. */
async function playCase(servers: Servers, name: string, seed: number, number: number): Promise<void> {
  const engines = ways[name] ?? dataWays[name];
  if (engines === undefined) throw new Error(`no way ${name}`);
  const chance = random(seed, wayNames.indexOf(name) * 1_000_000 + number);
  const way = serversOf(chance, engines);
  if (dataWays[name] !== undefined) return playNarrow(servers, chance, way, number);
  const tables = randomTables(chance, way);
  const stops = way.map(
    (server): Stopover => ({
      server,
      locale: randomLocale(chance, server),
      settings: randomSettings(chance, server),
      extensions: randomExtensions(chance, way[0], server),
    }),
  );
  let turn = 0;
  const attempt = (some: readonly Table[]): Promise<Error | undefined> =>
    travel(servers, stops, some, `p${engines.map(([first]) => first).join("")}${number}_${++turn}`).then(
      () => undefined,
      (error: unknown) => {
        const words = error instanceof Error ? error.message : String(error);
        const set = stops.flatMap(({ server, locale, settings, extensions }, n) => [
          `CREATE DATABASE stop_${n} ${locale}`,
          ...extensions,
          ...settingWords(server, `stop_${n}`, settings),
        ]);
        const wishes = set.map((setting) => `${setting};\n`).join("");
        return new Error(`${way.join(" → ")}: ${words}\n${wishes}${told(some, engineOf(way[0]))}`);
      },
    );
  const error = await attempt(tables);
  if (error === undefined) return;
  const sort = sortOf(error);
  throw await shrink(tables, error, async (fewer) => {
    const failed = await attempt(fewer);
    return failed !== undefined && sortOf(failed) === sort ? failed : undefined;
  });
}

async function playNarrow(
  servers: Servers,
  chance: Random,
  [from, to = from]: readonly [Server, ...Server[]],
  number: number,
): Promise<void> {
  const way = [from, to] as const;
  const narrow = randomNarrow(chance, way);
  const settings = way.map((server) => randomSettings(chance, server));
  const database = `n${way.map(([first]) => first).join("")}${number}`;
  const ends = await Promise.all([
    newPlace(servers.of[from], `${database}_0`, from === "postgres" ? "" : "CHARACTER SET utf8mb4"),
    newPlace(servers.of[to], `${database}_1`, to === "postgres" ? "" : "CHARACTER SET utf8mb4"),
  ] as const);
  try {
    await prepareNarrow(narrow, ends, way);
    const set = ends.map((place, n): [Place, Settings] => [place, settings[n] ?? []]);
    const run = () =>
      under(set, () => ride(...ends, { owner: `property-${database}`, content: "data", assesses: servers.assesses }));
    await judgeNarrow(narrow, ends, way, run);
  } catch (error) {
    const set = way.flatMap((server, n) => settingWords(server, `stop_${n}`, settings[n] ?? []));
    const words = error instanceof Error ? error.message : String(error);
    throw new Error([`${way.join(" → ")}: ${words}`, ...set, toldNarrow(narrow, way)].join("\n"));
  } finally {
    for (const { server, database: name } of ends) await sql(outside(server), `DROP DATABASE ${name}`);
  }
}

/** The words before the first name or number: a smaller case that fails otherwise is another case. */
const sortOf = ({ message }: Error): string => /^[^"'`\d]*/.exec(message)?.[0] ?? "";

/** What a database of a case is like beside its tables. */
interface Stopover {
  server: Server;
  /** What follows its name when it is created. */
  locale: string;
  settings: Settings;
  /** What is run in it before the copy. */
  extensions: readonly string[];
}

async function travel(
  servers: Servers,
  stops: readonly Stopover[],
  tables: readonly Table[],
  database: string,
): Promise<void> {
  const places: Place[] = [];
  const way = stops.map(({ server }) => server);
  let arrived = false;
  try {
    for (const [stop, { server, locale, extensions }] of stops.entries()) {
      const place = await newPlace(servers.of[server], `${database}_${stop}`, locale);
      places.push(place);
      for (const statement of extensions) await sql(place, statement);
    }
    const [first, ...rest] = places;
    const origin = engineOf(way[0] ?? "postgres");
    if (first === undefined) return;
    await prepare(first, origin, tables);
    const shown = await readViews(first, origin, tables);
    const letters = await readLetters(first, tables);
    const refused = refusedIn(tables, way);
    let from = first;
    const givenUp = new Set<unknown>();
    const called: Stop["called"] = new Map();
    let names = new Map(tables.map((table) => [table.name, table.name]));
    for (const [n, place] of rest.entries()) {
      const ends = [from, place] as const;
      const settings = ends.map((end, at): [Place, Settings] => [end, stops[n + at]?.settings ?? []]);
      const riding = under(settings, () =>
        ride(...ends, { owner: `property-${database}-${n}`, assesses: servers.assesses }),
      );
      if (refused.length > 0) {
        await requireRefusal(riding, refused);
        break;
      }
      const report = await riding;
      requireLocale(
        report,
        ends.map((_, at) => stops[n + at]?.locale ?? ""),
        way.slice(n, n + 2),
      );
      const before = names;
      names = new Map([...before].map(([source, here]) => [source, nameIn(report, here)]));
      const passed = way.slice(1, n + 2).map(engineOf);
      const engine = passed[n] ?? origin;
      const itself = n === 0 && origin === "postgres" && engine === "postgres" ? first : undefined;
      await compare(
        { place, engine, origin, passed, names, before, report, givenUp, shown, letters, called },
        tables,
        itself,
      );
      from = place;
    }
    arrived = true;
  } finally {
    for (const place of places)
      await sql(outside(place.server), `DROP DATABASE ${place.database}`).catch((error: Error) => {
        // What went wrong before counts more.
        if (arrived) throw new Error(`the case's database was not dropped: ${error.message}`);
      });
  }
}

const outside = (server: Database): Place => ({ server, database: new URL(server.adminUrl).pathname.slice(1) });

async function newPlace(server: Database, database: string, locale: string): Promise<Place> {
  await sql(outside(server), `CREATE DATABASE ${database} ${locale}`);
  return { server, database };
}

/** Two databases of PostgreSQL sort otherwise: the report says so. */
function requireLocale({ warnings }: CopyReport, [source, target]: readonly string[], ends: readonly Server[]): void {
  if (ends.some((server) => server !== "postgres") || source === target || [source, target].includes("")) return;
  if (!warnings.some((warning) => /^the target database: its locale is /.test(warning)))
    throw new Error(`the report says nothing of the other locale, but ${JSON.stringify(warnings)}`);
}

async function prepare(place: Place, engine: Engine, tables: readonly Table[]): Promise<void> {
  const begin =
    engine === "mysql" ? "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00'" : "SET TimeZone = 'UTC'";
  const steps = [
    typesOf(tables),
    ...tables.map((table) => statementsOf(table, engine)),
    tables.flatMap((table) => foreignKeysOf(table, tables, engine)),
    tables.flatMap(historyOf),
    tables.flatMap((table) => viewsOf(table, engine)),
  ];
  for (const statements of steps.filter((step) => step.length > 0)) {
    await sql(place, [begin, ...statements].join(";\n")).catch((error: Error) => {
      throw new Error(`the source refused its own case: ${error.message}`);
    });
  }
}

/** What only the rows tell, which an assessment does not read, or the object once the target has made it. */
const isOfRows = ({ note = "" }: InventoryEntry): boolean =>
  /\brows?\b|\bvalues?\b|NOT VALID|made it differently/.test(note);

interface Riding {
  owner: string;
  content?: "all" | "data";
  /** Compare with what the assessment says before. */
  assesses: boolean;
}

async function ride(from: Place, to: Place, { owner, content = "all", assesses }: Riding): Promise<CopyReport> {
  const hooks = {
    signal: new AbortController().signal,
    progress: () => undefined,
    measured: () => undefined,
    log: () => undefined,
  };
  const ends = { source: endpoint(from), target: endpoint(to) };
  const options: CopyOptions = { jobs: 2, content };
  const request = { owner, ownerName: "property", ...ends, options, reset: false };
  const assessed = assesses
    ? await assess({ ...ends, options }, { signal: hooks.signal, log: () => undefined })
    : undefined;
  const copied = await copy(request, hooks).catch((error: Error & { code?: string }) => {
    throw Object.assign(new Error(`the copy failed: ${error.code} ${error.message}`), { code: error.code });
  });
  await copied.finish();
  if (assessed === undefined) return copied.report;
  const other = unplanned(assessed.objects, copied.report).filter((entry) => !isOfRows(entry));
  if (other.length > 0)
    throw new Error(`the assessment did not say what became of objects: ${JSON.stringify(other.slice(0, 5))}`);
  // A tinyint(1) becomes a boolean or a smallint by its values, which the assessment does not read; it assumes a boolean.
  const byValues = "a number in a column that is boolean in PostgreSQL";
  const lost = untrue(assessed.objects, copied.report).filter(({ note }) => !note?.includes(byValues));
  if (lost.length > 0)
    throw new Error(
      `the assessment said of objects that are there that they are lost: ${JSON.stringify(lost.slice(0, 5))}`,
    );
  return copied.report;
}

/** Plays the cases `from` to `from + count - 1` of each way. Each failure begins with the command that plays it again. */
export async function playProperty(
  servers: Servers,
  { seed, count, from = 0, names }: { seed: number; count: number; from?: number; names: readonly string[] },
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<{ cases: number; failures: string[] }> {
  const failures: string[] = [];
  let cases = 0;
  for (const name of names) {
    for (let number = from; number < from + count; number++) {
      signal?.throwIfAborted();
      cases += 1;
      await playCase(servers, name, seed, number).catch((error: Error) => {
        const again = `npm run property -- ${name} --seed ${seed} --from ${number} --count 1`;
        failures.push(`${again}: ${error.message}`);
        say(`FAILED ${again}: ${error.message}`);
      });
    }
    say(`${name}: seed ${seed}, cases ${from} to ${from + count - 1}`);
  }
  return { cases, failures };
}
