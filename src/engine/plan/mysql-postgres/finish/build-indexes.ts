import { lostIndex } from "../../../contract/known.ts";
import { isRefusal, schemaRefused, serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { indexSettings } from "../../../postgres/target/index-settings.ts";
import { duplicateKey } from "../../../run/load-error.ts";
import { lostKeyMessages } from "../../lost-keys.ts";
import type { IndexPlan } from "../columns/column-plan.ts";
import { all } from "../copy/sessions.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { Finishing } from "./finishing-run.ts";

/** Builds a table's indexes at once; one that cannot be is named, and replaced where another keeps what it forbids. */

/** Answers those that stand as they were planned. */
export async function buildIndexes(finishing: Finishing, plan: TablePlan): Promise<IndexPlan[]> {
  const { sessions, jobs } = finishing;
  const built: IndexPlan[] = [];
  const { dataBytes: bytes, columns } = plan.source;
  const settings = indexSettings({ bytes, builds: plan.indexes.length, jobs });
  const texts = new Set(columns.filter(({ characterSet }) => characterSet !== null).map(({ name }) => name));
  // Texts take several times as long as numbers: begun last, they would leave the other streams without work.
  const cost = ({ source: { parts } }: IndexPlan) =>
    parts.reduce((sum, { column }) => sum + (column === null || texts.has(column) ? 3 : 1), 0);
  await all([
    ...plan.indexes
      .toSorted((a, b) => cost(b) - cost(a))
      .map((index) =>
        sessions.use(async (session) => {
          if (await build(finishing, plan, index, session, settings)) built.push(index);
        }),
      ),
    ...plan.indexes.flatMap((index) =>
      index.folded === undefined ? [] : [sessions.use((session) => buildFolded(finishing, plan, index, session))],
    ),
    ...plan.indexes.flatMap((index) =>
      index.apart === undefined ? [] : [sessions.use((session) => keepApart(finishing, plan, index, session))],
    ),
  ]);
  return plan.indexes.filter((index) => built.includes(index));
}

type Writer = Parameters<Parameters<Finishing["sessions"]["use"]>[0]>[0];

async function build(
  finishing: Finishing,
  plan: TablePlan,
  index: IndexPlan,
  session: Writer,
  settings: string,
): Promise<boolean> {
  const table = plan.source.name;
  const { name, unique } = index.source;
  const { create, hashed } = index;
  try {
    if (create !== undefined) await fenced(session, finishing.fence, () => session.run(`${settings}${create}`));
    return true;
  } catch (error) {
    // A key that is too long for a page, a type without an order, an expression that a row's value has no result in.
    if (!isRefusal(error)) {
      if (sqlState(error) !== "23505") throw error;
      throw duplicateKey(table, serverMessage(error), error);
    }
    const what = name === "PRIMARY" ? "primary key" : unique ? "unique index" : "index";
    if (hashed !== undefined && sqlState(error) === "54000") {
      await fenced(session, finishing.fence, () => session.run(hashed.create));
      finishing.warn(`${what} ${table}.${name} is ${hashed.words}`);
      finishing.inventory.push({ kind: "index", name: `${table}.${name}`, outcome: "converted", note: hashed.words });
      return false;
    }
    if (finishing.strict) throw schemaRefused(`${what} ${table}.${name}`, error);
    const why = unique ? "it could not be built" : `index ${table}.${name} could not be built`;
    const entry = { kind: "index", name: `${table}.${name}`, ...lostIndex(`${why}: ${serverMessage(error)}`, unique) };
    finishing.inventory.push(entry);
    finishing.warn(lostKeyMessages([entry])[0] ?? `${entry.note}`);
    return false;
  }
}

/** Rows that are equal here and not in the source, or keys too long for it: the plain index is all there is. */
async function buildFolded(finishing: Finishing, plan: TablePlan, index: IndexPlan, session: Writer): Promise<void> {
  const { folded, source } = index;
  if (folded === undefined) return;
  try {
    await fenced(session, finishing.fence, () => session.run(folded.create));
  } catch (error) {
    if (sqlState(error) !== "23505" && !isRefusal(error)) throw error;
    const name = `${plan.source.name}.${source.name}`;
    const note = `${folded.lost}; another index that folds them could not be built: ${serverMessage(error)}`;
    finishing.warn(`unique index ${name}: ${note}`);
    finishing.inventory.push({ kind: "index", name, outcome: "converted", note });
  }
}

/** Rows that MariaDB took while it did not check them. */
async function keepApart(finishing: Finishing, plan: TablePlan, index: IndexPlan, session: Writer): Promise<void> {
  const { apart, source } = index;
  if (apart === undefined) return;
  try {
    await fenced(session, finishing.fence, () => session.run(apart.create));
  } catch (error) {
    if (sqlState(error) !== "23P01" && !isRefusal(error)) throw error;
    const name = `${plan.source.name}.${source.name}`;
    const note = `${apart.lost}; an exclusion constraint could not be made: ${serverMessage(error)}`;
    finishing.warn(`unique index ${name}: ${note}`);
    finishing.inventory.push({ kind: "index", name, outcome: "reported", note });
  }
}
