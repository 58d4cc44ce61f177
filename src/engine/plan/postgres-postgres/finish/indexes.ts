import type { MadeObject } from "../../../contract/index.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { identifier, qualified } from "../../../postgres/driver/names.ts";
import { createPacked, createPackedGroups, type Packed } from "../../../run/memory/packed.ts";
import { createRecent } from "../../../run/memory/recent.ts";
import { firstStatementEnd, type Step } from "../schema/entries.ts";

/**
 * Indexes and keys of plain tables, taken out of the order so that all of a table's are built at once after its last
 * part: a primary key is built as a unique index and then made the key, which costs nothing.
 */

export interface Build {
  step: Step;
  /** The index, which is there before the key that it is made for. */
  made: MadeObject;
  /** CREATE INDEX; several of one table run at the same time. */
  statement: string;
  /** What it costs in comparison: the source's size of it, more where texts are compared by a collation. */
  cost: number;
}

export interface TableIndexes {
  builds: Build[];
  /** Run one after the other when all builds are done: they lock the table for themselves. */
  ties: { step: Step; statement: string }[];
}

export interface ForeignKey {
  step: Pick<Step, "kind" | "name">;
  table: string;
  /** The constraint's name, quoted. */
  constraint: string;
  /** Of the table in the source: what has to be read. */
  bytes: number;
}

export interface AfterPlan {
  indexes: IndexPlans;
  /** The rest in order. */
  rest: Packed<Step>;
  /** Added without a look at the rows, then validated in parallel. */
  foreignKeys: ForeignKey[];
}

/** By the table's oid in the source. */
export interface IndexPlans {
  /** New objects each time. */
  of(oid: number): TableIndexes;
  replace(oid: number, plan: TableIndexes): void;
}

interface Key {
  oid: number;
  table: number;
  schema: string;
  relation: string;
  name: string;
  /** `x`: an exclusion constraint. */
  type: "p" | "u" | "x";
  indexOid: number;
  index: string;
  deferrable: boolean;
  deferred: boolean;
}

/** Sorts the steps after the data. `tables` are the oids of those that are copied by the run, in the order of copying. */
export async function planAfter(
  source: Session,
  steps: Iterable<Step>,
  tables: ReadonlySet<number>,
): Promise<AfterPlan> {
  const plainKeys = source.version >= 180_000 ? "AND NOT con.conperiod" : "";
  const keys = await source.query<Key>(
    `SELECT con.oid::int8 AS oid, con.conrelid::int8 AS table, n.nspname AS schema, c.relname AS relation, con.conname AS name,
            con.contype::text AS type, con.conindid::int8 AS "indexOid", pg_catalog.pg_get_indexdef(con.conindid) AS index,
            con.condeferrable AS deferrable, con.condeferred AS deferred
       FROM pg_catalog.pg_constraint con
       JOIN pg_catalog.pg_class c ON c.oid = con.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE (con.contype IN ('p', 'u') ${plainKeys} OR con.contype = 'x' AND con.conparentid = 0) AND c.relkind = 'r'`,
  );
  const sizes = await source.query<{ oid: number; table: number; cost: number }>(
    `SELECT i.indexrelid::int8 AS oid, i.indrelid::int8 AS table,
            pg_catalog.pg_relation_size(i.indexrelid) * CASE WHEN i.indcollation::text ~ '[1-9]' THEN 3 ELSE 1 END AS cost
       FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
      WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND c.oid >= 16384`,
  );
  const enforced = source.version >= 180_000 ? "AND con.conenforced" : "";
  const links = await source.query<{ oid: number; schema: string; relation: string; name: string; bytes: number }>(
    `SELECT con.oid::int8 AS oid, n.nspname AS schema, c.relname AS relation, con.conname AS name, pg_catalog.pg_relation_size(c.oid) AS bytes
       FROM pg_catalog.pg_constraint con
       JOIN pg_catalog.pg_class c ON c.oid = con.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_catalog.pg_class f ON f.oid = con.confrelid
      WHERE con.contype = 'f' AND con.convalidated ${enforced} AND c.relkind = 'r' AND f.relkind = 'r'`,
  );
  const keyOf = new Map(keys.map((key) => [key.oid, key]));
  const indexOf = new Map(sizes.map((index) => [index.oid, index]));
  const linkOf = new Map(links.map((link) => [link.oid, link]));

  const indexes = createIndexPlans(tables);
  const plan: AfterPlan = { indexes, rest: createPacked(), foreignKeys: [] };
  for (const step of steps) {
    const { kind: entryKind, oid, create } = step.entry;
    const end = firstStatementEnd(create);
    const tail = create.slice(end + 1).trim();
    const key = entryKind === "CONSTRAINT" ? keyOf.get(oid) : undefined;
    const index = entryKind === "INDEX" ? indexOf.get(oid) : undefined;
    const link = entryKind === "FK CONSTRAINT" ? linkOf.get(oid) : undefined;
    if (key?.type === "x" && tables.has(key.table)) {
      indexes.add(key.table, { step, tie: create });
    } else if (key !== undefined && tables.has(key.table)) {
      const cost = indexOf.get(key.indexOid)?.cost ?? 0;
      const build = { step, made: madeIndex(key.schema, key.name), statement: key.index, cost };
      indexes.add(key.table, { build, tie: `${tieStatement(key)};\n${tail}` });
    } else if (index !== undefined && tables.has(index.table)) {
      const made = step.made ?? madeIndex(step.entry.schema ?? "", step.entry.tag);
      const build = { step, made, statement: create.slice(0, end), cost: index.cost };
      indexes.add(index.table, tail === "" ? { build } : { build, tie: tail });
    } else if (link !== undefined && tail === "") {
      const table = qualified(link.schema, link.relation);
      const { kind, name } = step;
      plan.foreignKeys.push({ step: { kind, name }, table, constraint: identifier(link.name), bytes: link.bytes });
      plan.rest.push({ ...step, entry: { ...step.entry, create: `${create.slice(0, end)} NOT VALID;` } });
    } else plan.rest.push(step);
  }
  return plan;
}

/** A build with what is said of it when it is done, or such a statement alone. */
type Planned = { build: Build; tie?: string } | { step: Step; tie: string };

/** Tables whose indexes are kept, and read, together: neighbours in the order of copying. */
const together = 64;
/** Of such groups, unpacked. */
const atHand = 4;

/** A database may have very many indexes: they are kept as packed.ts does it. */
function createIndexPlans(tables: ReadonlySet<number>) {
  const places = new Map([...tables].map((oid, at) => [oid, at]));
  const groupOf = (oid: number) => Math.floor((places.get(oid) ?? 0) / together);
  const packed = createPackedGroups<[number, Planned]>();
  const replaced = new Map<number, TableIndexes>();
  const groups = createRecent((group: number) => Map.groupBy(packed.of(group), ([oid]) => oid), atHand);
  return {
    /** Before the first look. */
    add: (oid: number, planned: Planned) => packed.add(groupOf(oid), [oid, planned]),
    of(oid: number): TableIndexes {
      const known = replaced.get(oid);
      if (known !== undefined) return known;
      const all = (groups(groupOf(oid)).get(oid) ?? []).map(([, planned]) => planned);
      return {
        builds: all.flatMap((one) => ("build" in one ? [one.build] : [])),
        ties: all.flatMap((one) => {
          const step = "build" in one ? one.build.step : one.step;
          return one.tie === undefined ? [] : [{ step, statement: one.tie }];
        }),
      };
    },
    replace: (oid: number, plan: TableIndexes) => void replaced.set(oid, plan),
  };
}

const madeIndex = (schema: string, name: string): MadeObject => ({ kind: "index", name: [schema, name] });

function tieStatement({ schema, relation, name, type, deferrable, deferred }: Key): string {
  const what = type === "p" ? "PRIMARY KEY" : "UNIQUE";
  const when = deferrable ? ` DEFERRABLE${deferred ? " INITIALLY DEFERRED" : ""}` : "";
  return `ALTER TABLE ONLY ${qualified(schema, relation)} ADD CONSTRAINT ${identifier(name)} ${what} USING INDEX ${identifier(name)}${when}`;
}
