import type { InventoryEntry } from "../contract/index.ts";
import { fullName } from "../contract/text/full-name.ts";
import { printable } from "../contract/text/printable.ts";
import type { PlannedObject } from "../plan/types.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import { isCounted } from "../report/facts.ts";
import { schemaInTarget } from "../run/renamed-schemas.ts";
import { type Comparing, type ObjectsCompared, skippedTables } from "./comparing.ts";
import { type ExpectedObjects, readExpected } from "./expected.ts";
import { compareFound, shortened } from "./found.ts";
import { type InventoryObject, readFound, tableOf } from "./inventory.ts";
import { lostCounters, lostNotNulls } from "./lost.ts";
import { lostDefaults } from "./lost-defaults.ts";
import { isUnmakeable } from "./pairs.ts";
import { readDependents } from "./postgres/objects.ts";

/**
 * Objects across engines (and between schemas of other names) by name, keys and indexes by their columns too: what a copy
 * would make, by its own planners, the target has to have; what it would report is told.
 */
export async function byName(comparing: Comparing): Promise<ObjectsCompared> {
  const { source, target, from, to, paired, options } = comparing;
  const across = from.engine !== to.engine;
  const expected = across ? await readExpected(comparing) : undefined;
  const ours = (await readFound(source.side, from.database)).filter(await selectedBy(comparing));
  const [theirs, extra] = withViewTables(ours, await readFound(target.side, to.database), comparing, expected);
  const outcome = across ? ("converted" as const) : ("copied" as const);
  const gone = (kind: string, name: string): InventoryEntry => ({
    kind,
    name: printable(name),
    outcome: "reported",
    note: `the target has no ${kind} of this name`,
  });
  const pairs = new Map(paired.pairs.map((pair) => [tableOf(pair.source), pair]));
  const asked = new Set<PlannedObject>();
  const planned = (one: InventoryObject) => {
    const plan = expected?.of(one);
    if (plan !== undefined) asked.add(plan);
    return plan;
  };
  const found = compareFound(ours, theirs, pairs, {
    outcome,
    sequences: to.engine === "postgres",
    prefixes: Object.values(options.schemas ?? {}),
    ...(expected === undefined ? {} : { planned }),
  });
  const overlapping = mayOverlap(asked, theirs);
  const none = { entries: [], notes: [] };
  const lost = expected === undefined ? none : await lostNotNulls(comparing, expected);
  const defaults = expected === undefined ? none : await lostDefaults(comparing, expected);
  const uncounted = expected === undefined ? [] : [...(await lostCounters(comparing, expected)), ...defaults.entries];
  const inventory = [
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
    ...found.inventory.map((entry) => ({
      ...entry,
      name: printable(entry.name),
      ...(entry.note === undefined ? {} : { note: printable(entry.note) }),
    })),
    ...lost.entries,
    ...uncounted,
    ...overlapping,
  ];
  const columnless = comparing.selected
    .filter((table) => isUnmakeable(table, to.engine))
    .map(({ name }) => `table ${name.join(".")}: it has no columns, and MySQL has no such tables`);
  const different =
    (across ? found.different : 0) +
    paired.missing.length +
    paired.columns.length +
    lost.entries.length +
    uncounted.length +
    overlapping.length;
  return {
    inventory,
    extra,
    objects: {
      by: "name",
      compared: inventory.filter(isCounted).length,
      different,
      undecided: [],
      not_compared: [notComparedColumns, notComparedDefaults, ...found.notCompared].map(printable),
      notes: [
        ...columnless,
        ...found.notes,
        ...lost.notes,
        ...defaults.notes,
        ...(expected === undefined ? [] : withoutCounterpart(expected, asked)),
      ].map(printable),
    },
  };
}

const notComparedColumns = "types of columns: only the values in them are compared";
const notComparedDefaults =
  "defaults of columns: numbers and plain texts are compared, of others only whether the target has one";

/** Keys over a period, beside which a copy makes an exclusion constraint that the target lacks. */
const mayOverlap = (asked: ReadonlySet<PlannedObject>, theirs: readonly InventoryObject[]): InventoryEntry[] =>
  [...asked].flatMap(({ kind, name, exclusion: constraint }) => {
    if (constraint === undefined || theirs.some((one) => one.kind === "exclusion" && one.name === constraint))
      return [];
    const words = `the target has no exclusion constraint ${constraint}, which keeps the periods apart`;
    return [{ kind, name: printable(name), outcome: "reported" as const, note: printable(words) }];
  });

/** What a copy reports of the source and the comparison by name does not look for: a period, system versioning. */
function withoutCounterpart(expected: ExpectedObjects, asked: ReadonlySet<PlannedObject>): string[] {
  return expected.reported.flatMap((one) =>
    asked.has(one) || one.kind === "default" ? [] : [`${one.kind} ${one.name}: ${shortened(one.note ?? "not copied")}`],
  );
}

/** What stands on a table that is left out is left out too. */
async function selectedBy(comparing: Comparing): Promise<(found: InventoryObject) => boolean> {
  const { source, from } = comparing;
  const left = skippedTables(comparing);
  const without = new Set(left.map(tableOf));
  if (from.engine === "postgres") {
    const names = left.map((name) => fullName(...name));
    for (const name of await readDependents(source.side.sessions[0] as PostgresSession, names)) without.add(name);
  }
  return ({ of, to: referred, schema, name }) =>
    ![of, referred].some((table) => table !== undefined && without.has(tableOf(table))) &&
    !without.has(fullName(schema ?? "", name));
}

/** A materialised view is a table in MySQL: the target's tables that nothing else stands for are looked at as such. */
function withViewTables(
  ours: readonly InventoryObject[],
  theirs: readonly InventoryObject[],
  { paired, from, to, options }: Comparing,
  expected: ExpectedObjects | undefined,
): [InventoryObject[], Comparing["paired"]["extra"]] {
  if (from.engine !== "postgres" || to.engine !== "mysql" || expected === undefined) return [[...theirs], paired.extra];
  const views = ours.filter(({ kind }) => kind === "materialized view");
  const expectedNames = new Set(
    views.flatMap(({ schema, name }) => {
      const prefix = schemaInTarget(options.schemas, schema ?? "", from.engine, to.engine);
      return [name, `${schema}_${name}`, `${prefix}${name}`].map((one) => one.toLowerCase());
    }),
  );
  const isView = ([, table]: readonly [string, string]) => expectedNames.has(table.toLowerCase());
  return [
    [...theirs, ...paired.extra.filter(isView).map(([, name]) => ({ kind: "materialized view", name }))],
    paired.extra.filter((name) => !isView(name)),
  ];
}
