import { fullName } from "../contract/text/full-name.ts";
import type { Session as MysqlSession } from "../mysql/driver/session.ts";
import { readTarget } from "../plan/mysql-mysql/index.ts";
import { otherLocale } from "../postgres/catalogue/locale.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import { isCounted } from "../report/facts.ts";
import { renamedSchemas } from "../run/renamed-schemas.ts";
import { byName } from "./by-name.ts";
import { type Comparing, type ObjectsCompared, skippedTables } from "./comparing.ts";
import { pairChecks } from "./mysql/crossing.ts";
import { readMysqlObjects, writeAlike } from "./mysql/objects.ts";
import { excuseRefused } from "./mysql/refused.ts";
import { addMysqlRights } from "./mysql/rights.ts";
import { enforcement } from "./postgres/aspects.ts";
import { compareLargeObjects } from "./postgres/large-objects.ts";
import { readDependents, readPostgresObjects } from "./postgres/objects.ts";
import { addRights } from "./postgres/rights.ts";
import { staleViewNotes } from "./postgres/stale-views.ts";
import { type Compared, type ComparedObject, compareSeen } from "./same-engine.ts";
import { refuseUnreadableSequences } from "./unreadable.ts";

/**
 * Everything but the rows: within one engine by all that the catalogues tell of each object, across engines by what a copy
 * would make of it (by-name.ts).
 */
export async function compareObjects(comparing: Comparing): Promise<ObjectsCompared> {
  const { from, to, options } = comparing;
  const renamed = renamedSchemas(options.schemas).length > 0;
  if (from.engine === "mysql" && to.engine === "mysql") return byDefinition(comparing, await mysqlObjects(comparing));
  if (from.engine === "postgres" && to.engine === "postgres" && !renamed)
    return byDefinition(comparing, await postgresObjects(comparing));
  return byName(comparing);
}

const byDefinition = (
  { paired }: Comparing,
  { inventory, different, undecided, notes }: Compared,
): ObjectsCompared => ({
  inventory,
  extra: paired.extra,
  objects: {
    by: "definition",
    compared: inventory.filter(isCounted).length,
    different,
    undecided,
    not_compared: [],
    notes,
  },
});

const withNotes = (compared: Compared, notes: readonly string[]): Compared => ({
  ...compared,
  notes: [...compared.notes, ...notes],
});

async function postgresObjects(comparing: Comparing): Promise<Compared> {
  const sessions = [comparing.source, comparing.target].map(({ side }) => side.sessions[0] as PostgresSession);
  const [source, target] = sessions as [PostgresSession, PostgresSession];
  const skipped = new Set(skippedTables(comparing).map((name) => fullName(...name)));
  const dependents = await readDependents(source, [...skipped]);
  const large = await compareLargeObjects(source, target);
  const [ours, theirs] = await Promise.all([
    readPostgresObjects(source, large.unequal, [...skipped]),
    readPostgresObjects(target, large.unequal, [...skipped]),
  ]);
  const alike = Math.floor(source.version / 10_000) === Math.floor(target.version / 10_000);
  // A view that the target has all the same must be that of the source.
  const views = new Set(theirs.flatMap(({ kind, name }) => (viewKinds.has(kind) ? [name] : [])));
  const left = new Set([...dependents].filter((name) => skipped.has(name) || !views.has(name)));
  const kept = ours.filter(
    ({ kind, name, of }) => !(of !== undefined && left.has(of)) && !left.has(name) && !left.has(`${kind} ${name}`),
  );
  await refuseUnreadableSequences(source, "source", kept, theirs);
  await refuseUnreadableSequences(target, "target", theirs, kept);
  const notes = await addRights([source, target], kept, theirs, large.unequal);
  notes.push(...settleSwitchedOn(kept, theirs));
  notes.push(...(await staleViewNotes(source, target, left)));
  const locale = await otherLocale(source, target);
  if (locale !== undefined) notes.push(`the target database: ${locale}`);
  const compared = compareSeen(kept, theirs, alike);
  return withNotes({ ...compared, inventory: [...compared.inventory, ...large.entries] }, notes);
}

const viewKinds = new Set(["view", "materialized view"]);

/** Foreign keys that do not look in the source, and do in the target: only a superuser can switch one off, so a copy reports them. */
function settleSwitchedOn(ours: readonly ComparedObject[], theirs: readonly ComparedObject[]): string[] {
  const there = new Map(theirs.flatMap((one) => (one.kind === "constraint" ? [[one.name, one]] : [])));
  return ours.flatMap((one) => {
    const of = ({ aspects }: ComparedObject) => aspects.find(({ aspect }) => aspect === enforcement);
    const [state, other] = one.kind === "constraint" ? [of(one), there.get(one.name)] : [];
    const found = other && of(other);
    if (!state?.value.startsWith("off") || found?.value !== "on") return [];
    const note = `constraint ${one.name} is ${state.value} in the source, and on in the target`;
    state.value = found.value;
    return [note];
  });
}

async function mysqlObjects(comparing: Comparing): Promise<Compared> {
  const { source, target, from, to, paired, selected } = comparing;
  const [ours, theirs] = [source, target].map(({ side }) => side.sessions[0] as MysqlSession) as [
    MysqlSession,
    MysqlSession,
  ];
  const left = new Set(skippedTables(comparing).map(([, table]) => table));
  const own = new Map(selected.map(({ name: [, table] }) => [table, table]));
  const there = new Map(paired.pairs.map((pair) => [pair.target[1], pair.source[1]]));
  const crossing = ours.server.maria !== theirs.server.maria;
  const shared = { shownDatabase: from.database, crossing };
  const toward = crossing ? { toward: await readTarget(theirs, to.database) } : {};
  const [one, other] = await Promise.all([
    readMysqlObjects(ours, { ...shared, ...toward, database: from.database, tables: own, left }),
    readMysqlObjects(theirs, { ...shared, database: to.database, tables: there, left: new Set() }),
  ]);
  if (crossing) {
    pairChecks(one.seen, other.seen);
    const tables = new Map(paired.pairs.map((pair) => [pair.source[1], pair.target[1]]));
    await excuseRefused(one.doubts, one.seen, other.seen, { session: theirs, database: to.database, tables });
  }
  const named = (names: ReadonlyMap<string, string>) =>
    new Map([...names].map(([table, name]) => [table, `${from.database}.${name}`]));
  const notes = await addMysqlRights(
    { ...one, session: ours, database: from.database, tables: named(own) },
    { ...other, session: theirs, database: to.database, tables: named(there) },
    crossing,
  );
  return withNotes(compareSeen(one.seen, other.seen, writeAlike(ours.server, theirs.server)), notes);
}
