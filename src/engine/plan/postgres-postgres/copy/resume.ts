import type { Hash } from "node:crypto";
import { counted } from "../../../../guard/text.ts";
import { EngineError, type MadeObject } from "../../../contract/index.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { readInventory, thingKey } from "../../../postgres/catalogue/inventory.ts";
import type { DataTable } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { sqlState } from "../../../postgres/driver/errors.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { refuseOthersWork } from "../../../postgres/fence/others-work.ts";
import { countedKind } from "../../../report/not-copied.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { refuseTouched as refuseTouchedBy } from "../../../run/fence/others-work.ts";
import { formatTable } from "../../../verify/checksum/messages.ts";
import type { AfterPlan } from "../finish/indexes.ts";
import { heaps, keyOf, withLeaves } from "../schema/loaded-tables.ts";
import type { Stages } from "../schema/plan.ts";
import { compareValues } from "./compare-values.ts";
import { areThere, isShapeMark, lockOwn, refuseTouched, type TableIds, tableIds } from "./untouched.ts";
import type { CopyWorker } from "./worker.ts";

/**
 * What an earlier attempt of this run left in the target: a table is kept only if it was finished under the same plan and its
 * rows are proven equal to this attempt's snapshot by hashes. The objects that stand before the data are kept as a whole,
 * when the plan is the same; all else is dropped, and the tables that are not kept are emptied. Only what is the run's own by
 * its id, and stands as it was made, is kept or emptied (untouched.ts).
 */

export interface Resumed {
  /** Oids of tables whose rows are there. */
  kept: ReadonlySet<number>;
  /** The objects before the data are there. */
  hasSchema: boolean;
  /** For the report; undefined for a first attempt. */
  tables: { kept: string[]; copied_again: string[] } | undefined;
}

export const fresh: Resumed = { kept: new Set(), hasSchema: false, tables: undefined };

/** The same for two attempts exactly when each would make the same objects and copy the same columns. */
export function planDigest(steps: Hash, tables: readonly DataTable[]): string {
  const hash = steps.copy();
  for (const { schema, name, columns, extension, leaves } of tables)
    hash.update(`\0\0${JSON.stringify([schema, name, columns, extension, ...(leaves ?? []).map(({ oid }) => oid)])}`);
  return hash.digest("hex").slice(0, 32);
}

type Named = Pick<DataTable, "schema" | "name">;

/** Marks of the fence's parts. */
export const schemaMark = (digest: string) => `schema:${digest}`;
export const finishedMark = (digest: string, table: Named) => `finished:${digest}:${keyOf(table)}`;
export const partMark = ({ schema, name }: Named, part: string) => `part:${JSON.stringify([schema, name, part])}`;

/** Tables in which rows of this run's may stand, as `["schema","name"]`. */
export async function startedTables(fence: Fence<Session>): Promise<Set<string>> {
  const parts = await fence.parts();
  return new Set(
    parts.flatMap(({ part }) => {
      if (!part.startsWith("part:")) return [];
      const [schema, name] = JSON.parse(part.slice("part:".length)) as [string, string, string];
      return [keyOf({ schema, name })];
    }),
  );
}

interface ResumeRun {
  fence: Fence<Session>;
  target: Session;
  workers: readonly CopyWorker[];
  signal: AbortSignal;
  digest: string;
  steps: Stages;
  tables: readonly DataTable[];
  after: AfterPlan;
  /** Tables of the user's, which are never emptied here. */
  dataOnly: boolean;
  /** options.drop. */
  drop?: readonly string[] | undefined;
  log(message: string): void;
}

/** Errors: `target_not_empty` and `target_changed`, where others changed what an earlier attempt had made. */
export async function resume(run: ResumeRun): Promise<Resumed> {
  const { fence, digest, tables, log } = run;
  const made = await fence.made();
  const marks = new Set((await fence.parts()).map(({ part }) => part));
  if (made.length === 0 && marks.size === 0) return fresh;
  const startAgain = async (words: string): Promise<Resumed> => {
    if (!run.dataOnly) await refuseOthersWork(run.target, fence, made, run);
    log(words);
    await fence.clean(made);
    return fresh;
  };
  if (!run.dataOnly && !marks.has(schemaMark(digest)))
    return startAgain(`Dropping ${counted(made.length, "object")} that an earlier attempt had made in the target`);
  const finished = tables.filter((table) => marks.has(finishedMark(digest, table)) && table.extension === undefined);
  const before = keptObjects({ steps: run.steps, after: undefined }, []);
  const whole = run.dataOnly || (await areThere(run.target, ours(made, before)));
  const equal = whole ? await provenEqual(run, finished) : undefined;
  if (equal === undefined)
    return startAgain(
      "The tables and objects of an earlier attempt in the target cannot be kept; they are dropped and created again",
    );
  const kept = finished.filter((table) => equal.has(table.oid));
  const keptMarks = new Set(kept.map((table) => finishedMark(digest, table)));
  if (!run.dataOnly) {
    const keys = new Set(withLeaves(kept).map(keyOf));
    await refuseTouched(run.target, withLeaves(tables), tableIds(made), marks);
    const emptied = made.filter(({ kind, name }) => kind !== "table" || !keys.has(JSON.stringify(name.slice(0, 2))));
    await refuseOthersWork(run.target, fence, emptied, { drop: run.drop, emptied: true });
  }
  const stays = keptObjects(run, kept);
  const gone = made.filter((object) => !stays.has(objectKey(object)));
  log(
    kept.length === 0
      ? "The earlier attempt has no complete table that is equal to the source: all tables are copied again"
      : `The earlier attempt had completed ${countedKind(finished.length, "table")}: ${kept.length} ${kept.length === 1 ? "is" : "are"} kept, since the values are equal to the source's`,
  );
  if (gone.length > 0) log(`Dropping ${countedKind(gone.length, "object")} that the earlier attempt had made`);
  const begun = kept.map((table) => `part:${keyOf(table).slice(0, -1)},`);
  await fence.clean(
    gone,
    (part) =>
      part === schemaMark(digest) ||
      keptMarks.has(part) ||
      isShapeMark(part) ||
      run.dataOnly ||
      begun.some((start) => part.startsWith(start)),
  );
  if (!run.dataOnly) {
    const standing = { ids: tableIds(made), marks };
    await refuseTouched(run.target, withLeaves(tables), standing.ids, marks);
    await emptyTables(run, heaps(tables.filter(({ oid }) => !equal.has(oid))), standing);
    await keepWhatIsThere(run, kept);
  }
  const names = (some: readonly DataTable[]) => some.map(({ schema, name }) => formatTable([schema, name])).sort();
  return {
    kept: equal,
    hasSchema: true,
    tables: { kept: names(kept), copied_again: names(finished.filter(({ oid }) => !equal.has(oid))) },
  };
}

/** Undefined: a table is not there any more, or may not be read (forced-rows.ts, where the attempt came to that). */
async function provenEqual(run: ResumeRun, tables: readonly DataTable[]): Promise<Set<number> | undefined> {
  if (tables.length === 0) return new Set();
  try {
    const { differences } = await compareValues(run.workers, tables, { signal: run.signal });
    const differing = new Set(differences.map(({ source }) => source));
    return new Set(
      tables.flatMap(({ oid, schema, name }) => (differing.has(formatTable([schema, name])) ? [] : [oid])),
    );
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const isHidden = error.code === "permission_denied" && error.side === "target" && !run.dataOnly;
    if (error.code === "table_missing" || isHidden) return undefined;
    throw error;
  }
}

const objectKey = ({ kind, name }: MadeObject) => JSON.stringify([kind, name]);
const ours = (made: readonly MadeObject[], keys: ReadonlySet<string>) =>
  made.filter((object) => keys.has(objectKey(object)));

/** The objects before the data, and the indexes and keys of the kept tables. */
function keptObjects(
  { steps, after }: { steps: Stages; after: AfterPlan | undefined },
  kept: readonly DataTable[],
): Set<string> {
  const staying = new Set<string>();
  const add = ({ made }: { made: MadeObject | undefined }) => {
    if (made !== undefined) staying.add(objectKey(made));
  };
  for (const step of steps.before) add(step);
  for (const { oid } of after === undefined ? [] : heaps(kept)) {
    const { builds = [], ties = [] } = after?.indexes.of(oid) ?? {};
    builds.forEach(add);
    for (const { step } of ties) add(step);
  }
  return staying;
}

const batch = 500;

async function emptyTables(
  { fence, target }: ResumeRun,
  tables: readonly DataTable[],
  { ids, marks }: { ids: TableIds; marks: ReadonlySet<string> },
): Promise<void> {
  const plain = tables.filter(({ extension }) => extension === undefined);
  for (let start = 0; start < plain.length; start += batch) {
    const some = plain.slice(start, start + batch);
    const list = some.map(({ schema, name }) => `ONLY ${qualified(schema, name)}`);
    await fenced(target, fence, async () => {
      await lockOwn(target, some, ids, { mode: "ACCESS EXCLUSIVE", marks });
      await refuseReferring(target, some);
      await target.run(`TRUNCATE ${list.join(", ")}`);
    });
  }
  for (const { schema, name, extension } of tables) {
    if (extension === undefined) continue;
    await fenced(target, fence, () =>
      target.run(`DELETE FROM ONLY ${qualified(schema, name)} ${extension.condition}`),
    ).catch((error: unknown) => {
      if (sqlState(error) !== "42P01") throw error;
    });
  }
}

/** The run's own foreign keys are not there yet. Errors: `target_changed` names those of others, for which a table cannot be emptied. */
async function refuseReferring(target: Session, tables: readonly DataTable[]): Promise<void> {
  const found = await target.query<{ key: string; by: string; table: string }>(
    `WITH own AS (SELECT c.oid FROM pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(schema text, name text)
         JOIN pg_catalog.pg_namespace n ON n.nspname = r.schema JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = r.name)
     SELECT o.conname AS key, ${nameOf("o.conrelid")} AS by, ${nameOf("o.confrelid")} AS table
       FROM pg_catalog.pg_constraint o WHERE o.contype = 'f' AND o.confrelid IN (SELECT oid FROM own) AND o.conrelid NOT IN (SELECT oid FROM own) ORDER BY 3, 1`,
    [JSON.stringify(tables.map(({ schema, name }) => ({ schema, name })))],
  );
  refuseTouchedBy(found.map(({ key, by, table }) => ({ name: table, others: [`foreign key ${key} of ${by}`] })));
}

const nameOf = (oid: string): string =>
  `(SELECT n.nspname || '.' || c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ${oid})`;

/** An index of a partition went with the partitioned table's: what is there need not be built, the rest has to be. */
async function keepWhatIsThere({ target, after }: ResumeRun, kept: readonly DataTable[]): Promise<void> {
  const there = new Set((await readInventory(target, new Set())).map(thingKey));
  for (const { oid } of heaps(kept)) {
    const plan = after.indexes.of(oid);
    after.indexes.replace(oid, {
      builds: plan.builds.filter(({ made }) => !there.has(thingKey({ kind: made.kind, name: fullName(...made.name) }))),
      ties: plan.ties.filter(({ step }) => !there.has(thingKey(step))),
    });
  }
}
