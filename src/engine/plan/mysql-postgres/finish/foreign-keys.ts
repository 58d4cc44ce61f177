import type { InventoryEntry } from "../../../contract/index.ts";
import { renamed } from "../../../contract/known.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import { schemaRefused, serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { identifier } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { all } from "../copy/sessions.ts";
import type { ForeignKeyPlan } from "../tables/foreign-keys.ts";
import { smallBytes } from "./finish-table.ts";
import type { Finishing } from "./finishing-run.ts";

/** Foreign keys, when all tables stand: added without proof, then proven; one with orphans stays NOT VALID and is reported. */
export async function addForeignKeys(finishing: Finishing, keys: readonly ForeignKeyPlan[]): Promise<void> {
  const added = await add(finishing, keys);
  const batches = [...Map.groupBy(added, ({ table }) => table.name).values()];
  const small = batches.filter(([key]) => (key?.table.source.dataBytes ?? 0) < smallBytes);
  const large = batches.filter((batch) => !small.includes(batch));
  // All keys of a table in one transaction: two that prove keys of one table wait for each other.
  const together = chunks(small, tablesAtOnce).map((some) => some.flat());
  await all([...large.flat().map((key) => [key]), ...together].map((some) => proveSome(finishing, some)));
}

/** What the proof of a key costs beside adding it. */
const provenUnits = ({ table }: ForeignKeyPlan): number => 1 + table.source.dataBytes / 2 ** 20;

/** As they are counted while they are added and proven, for the progress. */
export const unitsOfKeys = (keys: readonly ForeignKeyPlan[]): number =>
  keys.reduce((sum, key) => sum + 1 + provenUnits(key), 0);

const keysAtOnce = 100;
const tablesAtOnce = 20;

const chunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));

function say(
  { inventory, warn }: Finishing,
  key: ForeignKeyPlan,
  outcome: InventoryEntry["outcome"],
  why?: string,
): void {
  if (outcome === "reported" && why !== undefined) warn(why);
  const name = `${key.table.source.name}.${key.source.name}`;
  inventory.push({ kind: "foreign key", name, outcome, ...(why === undefined ? {} : { note: why }) });
}

/** Answers those that stand. */
async function add(finishing: Finishing, keys: readonly ForeignKeyPlan[]): Promise<ForeignKeyPlan[]> {
  const added: ForeignKeyPlan[] = [];
  const run = (session: Writer, some: readonly ForeignKeyPlan[]) =>
    fenced(session, finishing.fence, () => session.run(some.map((key) => key.add).join("; ")));
  await finishing.sessions.use(async (session) => {
    for (const some of chunks(keys, keysAtOnce)) {
      try {
        await run(session, some);
        added.push(...some);
      } catch (error) {
        if (!isRefused(error)) throw error;
        for (const key of some) {
          try {
            await run(session, [key]);
            added.push(key);
          } catch (one) {
            if (!isRefused(one)) throw one;
            const name = `${key.table.source.name}.${key.source.name}`;
            if (finishing.strict) throw schemaRefused(`foreign key ${name}`, one);
            const note = `the target's server did not take it: ${serverMessage(one)}`;
            finishing.inventory.push({ kind: "foreign key", name, outcome: "reported", note, lostKey: true });
          }
        }
      }
      finishing.progress.did(some.length);
    }
  });
  return added;
}

/** Types that do not compare, a referenced index that could not be built: named, never left out in silence. */
const isRefused = (error: unknown): boolean => /^42/.test(sqlState(error) ?? "") && sqlState(error) !== "42501";

async function proveSome(finishing: Finishing, keys: readonly ForeignKeyPlan[]): Promise<void> {
  await proveEach(finishing, keys);
  finishing.progress.did(keys.reduce((sum, key) => sum + provenUnits(key), 0));
}

async function proveEach(finishing: Finishing, keys: readonly ForeignKeyPlan[]): Promise<void> {
  const { sessions, fence } = finishing;
  await sessions.use(async (session) => {
    try {
      await fenced(session, fence, () => session.run(keys.map((key) => key.validate).join("; ")));
      for (const key of keys)
        say(finishing, key, "converted", key.name === key.source.name ? undefined : renamed(key.name));
      return;
    } catch (error) {
      if (sqlState(error) !== "23503") throw error;
      const [only] = keys;
      if (keys.length === 1 && only !== undefined) return reportOrphans(finishing, session, only);
    }
    for (const key of keys) {
      try {
        await fenced(session, fence, () => session.run(key.validate));
        say(finishing, key, "converted", key.name === key.source.name ? undefined : renamed(key.name));
      } catch (error) {
        if (sqlState(error) !== "23503") throw error;
        await reportOrphans(finishing, session, key);
      }
    }
  });
}

async function reportOrphans(finishing: Finishing, session: Writer, key: ForeignKeyPlan): Promise<void> {
  const [row] = await session.query<{ count: number; alike: number }>(key.orphans);
  const { referencedTable } = key.source;
  const alike = Number(row?.alike ?? 0);
  const without = row === undefined ? "some" : Number(row.count) - alike;
  const what = [
    ...(without === 0 ? [] : [`${without} rows of ${key.table.source.name} have no parent in ${referencedTable}`]),
    ...(alike === 0
      ? []
      : [
          `${alike} rows of ${key.table.source.name} write their parent in ${referencedTable} in another case or with other accents: they are equal only in the source's collation (${key.collations.join(", ")}), but PostgreSQL compares exactly; write both alike, then VALIDATE CONSTRAINT`,
        ]),
  ];
  const words = `${what.join("; ")}: the foreign key ${identifier(key.name)} was added NOT VALID`;
  say(finishing, key, "reported", words);
}
