import type { TableName } from "../checksum/side.ts";
import type { CopyOptions, Endpoint, InventoryEntry } from "../contract.ts";
import type { Session as MysqlSession } from "../mysql/session.ts";
import { readTarget } from "../mysql-to-mysql/target.ts";
import type { Session as PostgresSession } from "../postgres/connection.ts";
import { printable } from "../postgres/names.ts";
import { compareFound, readFound, tableOf } from "./inventory.ts";
import { pairChecks } from "./mysql-crossing.ts";
import { readMysqlObjects, writeAlike } from "./mysql-objects.ts";
import { addMysqlRights } from "./mysql-rights.ts";
import type { Paired } from "./pairs.ts";
import { readDependents, readPostgresObjects } from "./postgres-objects.ts";
import { addRights } from "./postgres-rights.ts";
import { type Compared, compareSeen } from "./same-engine.ts";
import type { Opened, OpenedTable } from "./sides.ts";

/**
 * Everything but the rows: within one engine by all that the catalogues tell of each object, across engines (and between
 * schemas of other names) by name, and keys and indexes by their columns.
 */
export interface ObjectsCompared {
  inventory: InventoryEntry[];
  objects: {
    /** How they were compared. */
    by: "definition" | "name";
    compared: number;
    /** By definition: that the target lacks, has otherwise, or has alone on a table of the source. By name: that it lacks. */
    different: number;
    /** By definition: that servers of these versions write in texts of their own, which differ. */
    undecided: string[];
    /** What the target cannot have as the source has it (owners, rights, what its server does not know), and is no difference. */
    notes: string[];
  };
}

export interface Comparing {
  source: Opened;
  target: Opened;
  from: Endpoint;
  to: Endpoint;
  schemas: CopyOptions["schemas"];
  paired: Paired;
  /** Tables of the source that the options leave in. */
  selected: readonly OpenedTable[];
}

export async function compareObjects(comparing: Comparing): Promise<ObjectsCompared> {
  const { from, to, schemas } = comparing;
  const renamed = Object.entries(schemas ?? {}).some(([one, other]) => one !== other);
  if (from.engine === "mysql" && to.engine === "mysql") return byDefinition(await mysqlObjects(comparing));
  if (from.engine === "postgres" && to.engine === "postgres" && !renamed)
    return byDefinition(await postgresObjects(comparing));
  const inventory = await byName(comparing);
  const different = inventory.filter(({ outcome }) => outcome === "reported").length;
  return { inventory, objects: { by: "name", compared: inventory.length, different, undecided: [], notes: [] } };
}

const byDefinition = ({ inventory, different, undecided, notes }: Compared): ObjectsCompared => ({
  inventory,
  objects: { by: "definition", compared: inventory.length, different, undecided, notes },
});

const withNotes = (compared: Compared, notes: readonly string[]): Compared => ({
  ...compared,
  notes: [...compared.notes, ...notes],
});

const leftOut = ({ source, selected }: Comparing): TableName[] =>
  source.tables.flatMap((table) => (selected.includes(table) ? [] : [table.name]));

async function postgresObjects(comparing: Comparing): Promise<Compared> {
  const sessions = [comparing.source, comparing.target].map(({ side }) => side.sessions[0] as PostgresSession);
  const [source, target] = sessions as [PostgresSession, PostgresSession];
  const left = await readDependents(
    source,
    leftOut(comparing).map((name) => name.join(".")),
  );
  const [ours, theirs] = await Promise.all([readPostgresObjects(source), readPostgresObjects(target)]);
  const alike = Math.floor(source.version / 10_000) === Math.floor(target.version / 10_000);
  const kept = ours.filter(
    ({ kind, name, of }) => !(of !== undefined && left.has(of)) && !left.has(name) && !left.has(`${kind} ${name}`),
  );
  const notes = await addRights([source, target], kept, theirs);
  return withNotes(compareSeen(kept, theirs, alike), notes);
}

async function mysqlObjects(comparing: Comparing): Promise<Compared> {
  const { source, target, from, to, paired, selected } = comparing;
  const [ours, theirs] = [source, target].map(({ side }) => side.sessions[0] as MysqlSession) as [
    MysqlSession,
    MysqlSession,
  ];
  const left = new Set(leftOut(comparing).map(([, table]) => table));
  const own = new Map(selected.map(({ name: [, table] }) => [table, table]));
  const there = new Map(paired.pairs.map((pair) => [pair.target[1], pair.source[1]]));
  const crossing = ours.server.maria !== theirs.server.maria;
  const shared = { shownDatabase: from.database, crossing };
  const toward = crossing ? { toward: await readTarget(theirs, to.database) } : {};
  const [one, other] = await Promise.all([
    readMysqlObjects(ours, { ...shared, ...toward, database: from.database, tables: own, left }),
    readMysqlObjects(theirs, { ...shared, database: to.database, tables: there, left: new Set() }),
  ]);
  if (crossing) pairChecks(one.seen, other.seen);
  const named = (names: ReadonlyMap<string, string>) =>
    new Map([...names].map(([table, name]) => [table, `${from.database}.${name}`]));
  const notes = await addMysqlRights(
    { ...one, session: ours, database: from.database, tables: named(own) },
    { ...other, session: theirs, database: to.database, tables: named(there) },
    crossing,
  );
  return withNotes(compareSeen(one.seen, other.seen, writeAlike(ours.server, theirs.server)), notes);
}

async function byName(comparing: Comparing): Promise<InventoryEntry[]> {
  const { source, target, from, to, paired, schemas } = comparing;
  const [ours, theirs] = await Promise.all([
    readFound(source.side, from.database),
    readFound(target.side, to.database),
  ]);
  const across = from.engine !== to.engine;
  const left = leftOut(comparing);
  const without = new Set(left.map(tableOf));
  if (from.engine === "postgres") {
    const names = left.map((name) => name.join("."));
    for (const name of await readDependents(source.side.sessions[0] as PostgresSession, names)) without.add(name);
  }
  // What stands on a table that is left out is left out too.
  const isSelected = ({ of, to: referred, schema, name }: (typeof ours)[number]) =>
    ![of, referred].some((table) => table !== undefined && without.has(tableOf(table))) &&
    !without.has(`${schema}.${name}`);
  const outcome = across ? ("converted" as const) : ("copied" as const);
  const gone = (kind: string, name: string): InventoryEntry => ({
    kind,
    name: printable(name),
    outcome: "reported",
    note: `the target has no ${kind} of this name`,
  });
  const pairs = new Map(paired.pairs.map((pair) => [tableOf(pair.source), pair]));
  return [
    ...paired.pairs.flatMap((pair): InventoryEntry[] => [
      { kind: "table", name: printable(pair.source.join(".")), outcome },
      ...pair.columns.map(
        (column): InventoryEntry => ({
          kind: "column",
          name: printable(`${pair.source.join(".")}.${column.source}`),
          outcome,
        }),
      ),
    ]),
    ...paired.missing.map((name) => gone("table", name.join("."))),
    ...paired.columns.map((name) => gone("column", name)),
    ...compareFound(ours.filter(isSelected), theirs, pairs, { outcome, prefixes: Object.values(schemas ?? {}) }).map(
      (entry) => ({
        ...entry,
        name: printable(entry.name),
        ...(entry.note === undefined ? {} : { note: printable(entry.note) }),
      }),
    ),
  ];
}
