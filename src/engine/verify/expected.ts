import { fullName } from "../contract/text/full-name.ts";
import { readCatalogue } from "../mysql/catalogue/catalogue.ts";
import type { Session as MysqlSession } from "../mysql/driver/session.ts";
import { selectedCatalogue } from "../mysql/source/selected.ts";
import { type ObservedType, planCopy as planPostgres, readTraits, targetSchema } from "../plan/mysql-postgres/index.ts";
import {
  choose,
  mostColumns,
  planCopy as planMysql,
  readPlanTarget,
  readThings,
} from "../plan/postgres-mysql/index.ts";
import { outcomesOf, type Plan, type PlannedObject } from "../plan/types.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import { createSelection } from "../run/selection.ts";
import { type Comparing, pairedColumns } from "./comparing.ts";
import type { InventoryObject } from "./inventory.ts";

/** What a copy to another engine would make of each object of the source, by its own planners. */
export interface ExpectedObjects {
  /** Undefined: they do not know it. */
  of(found: InventoryObject): PlannedObject | undefined;
  /** Of a column: what is told of its default, or of what computes it. */
  ofColumn(
    kind: "default" | "generated column",
    schema: string,
    table: string,
    column: string,
  ): PlannedObject | undefined;
  /** All that a copy reports, since the target does not have it as the source does. */
  reported: readonly PlannedObject[];
  /** Columns that count up in the source and will in the target; of the source's names. */
  counters: readonly { schema: string; table: string; column: string }[];
}

type Expecting = Pick<Comparing, "source" | "target" | "from" | "to" | "options" | "paired">;

export const readExpected = (expecting: Expecting): Promise<ExpectedObjects> =>
  expecting.from.engine === "mysql" ? fromMysql(expecting) : fromPostgres(expecting);

async function fromMysql(expecting: Expecting): Promise<ExpectedObjects> {
  const { source, target, from, options } = expecting;
  const session = source.side.sessions[0] as MysqlSession;
  const writer = target.side.sessions[0] as PostgresSession;
  const { database } = from;
  const selection = createSelection(options);
  const whole = await readCatalogue(session, database, (table) => selection.has(database, table));
  const { catalogue } = selectedCatalogue(whole, database, selection);
  const tables = catalogue.tables.filter(({ name }) => name !== "_rowferry");
  const plan = await planPostgres(
    { session, database, catalogue: { ...catalogue, tables } },
    {
      options,
      schema: targetSchema(options, database),
      forced: new Map(),
      observedTypes: widened(expecting),
      ...(await readTraits(writer)),
    },
  );
  const planned = [...outcomesOf(plan)];
  const byName = index(planned);
  return {
    of({ kind, of, name }) {
      if (of === undefined) return byName.get(keyOf(kind, name));
      if (kind === "primary key") return byName.get(keyOf("index", `${of[1]}.PRIMARY`));
      const own = `${of[1]}.${name}`;
      // Those that are not reported are made once the rows are there.
      const made: PlannedObject | undefined = kind === "check" ? { kind, name: own, outcome: "converted" } : undefined;
      return byName.get(keyOf(kind, own)) ?? made;
    },
    ofColumn: (kind, _, table, column) => byName.get(keyOf(kind, `${table}.${column}`)),
    reported: planned.filter(isReported),
    counters: countersOf(plan),
  };
}

/** A TINYINT(1) that no value proved to be a boolean is a smallint in the target. */
function widened(expecting: Expecting): (table: string) => ReadonlyMap<string, ObservedType> {
  const found = new Map<string, Map<string, ObservedType>>();
  for (const { pair, column, one, other } of pairedColumns(expecting)) {
    if (one.engine !== "mysql" || !/^tinyint\(1\)/i.test(one.full) || other.name !== "int2") continue;
    const [, table] = pair.source;
    found.set(table, (found.get(table) ?? new Map()).set(column.source, { wide: 1, nullable: false }));
  }
  return (table) => found.get(table) ?? new Map();
}

async function fromPostgres({ source, target, to, options }: Expecting): Promise<ExpectedObjects> {
  const session = source.side.sessions[0] as PostgresSession;
  const writer = target.side.sessions[0] as MysqlSession;
  const selection = createSelection(options);
  const things = await readThings(session, options, {
    isTable: ({ schema, name, columns }) =>
      name === "_rowferry" || (columns.length > mostColumns && selection.has(schema, name)),
    isSequence: ({ name }) => /^_rowferry/.test(name),
  });
  const chosen = choose(things.tables, { options }, things.views);
  const facts = await readPlanTarget(writer, { exact: target.exact, database: to.database }, chosen);
  const plan = planMysql({ session, chosen, things }, facts, options);
  const objects = [...outcomesOf(plan)];
  const byName = index(objects);
  return {
    of({ kind, of, name, schema, index }) {
      if (of === undefined) {
        const own = schema == null ? name : fullName(schema, name);
        // A routine has its arguments in its name.
        return (
          byName.get(keyOf(kind, own)) ?? objects.find((one) => one.kind === kind && one.name.startsWith(`${own}(`))
        );
      }
      const [within, table] = of;
      if (kind === "primary key" || kind === "index")
        return byName.get(keyOf("index", fullName(within, index ?? name)));
      return (
        byName.get(keyOf("constraint", `${fullName(within, table)} ${name}`)) ??
        byName.get(keyOf(kind, `${fullName(within, table)} ${name}`))
      );
    },
    ofColumn: (kind, schema, table, column) => byName.get(keyOf(kind, `${fullName(schema, table)}.${column}`)),
    reported: objects.filter(isReported),
    counters: countersOf(plan),
  };
}

const countersOf = ({ tables }: Plan) =>
  Array.from(tables, ({ source: [schema, table], counter }) =>
    counter === undefined ? [] : [{ schema, table, column: counter }],
  ).flat();

const isReported = ({ outcome }: PlannedObject) => outcome === "reported";
const keyOf = (kind: string, name: string) => `${kind}\0${name}`;
const index = (planned: readonly PlannedObject[]) => new Map(planned.map((one) => [keyOf(one.kind, one.name), one]));
