import type { EngineError } from "../../../contract/index.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import type { DataTable } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { columnAt, isRefusedValue, sqlState } from "../../../postgres/driver/errors.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { reading } from "../../../postgres/source/holding.ts";
import { type PartOptions, planParts, type TablePart } from "../../../postgres/source/parts.ts";
import { indexSettings } from "../../../postgres/target/index-settings.ts";
import { passCopy } from "../../../rows/copy-pipe.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { loadError } from "../../../run/load-error.ts";
import { type Task, together } from "../../../run/pool.ts";
import type { ProgressAccount } from "../../../run/progress.ts";
import { refuseCounts } from "../../../run/row-counts.ts";
import type { Throttle } from "../../../run/throttle.ts";
import type { Build, IndexPlans, TableIndexes } from "../finish/indexes.ts";
import { heaps, relationOf, withLeaves } from "../schema/loaded-tables.ts";
import { failed, hopeless, isTolerable, placement, type TargetFacts } from "./create-objects.ts";
import { finishedMark, partMark } from "./resume.ts";
import { lockOwn, type TableIds } from "./untouched.ts";
import type { CopyWorker } from "./worker.ts";

/** Copies tables, builds their indexes, and counts their rows on both sides, as tasks for the workers. */

interface TableRun {
  fence: Fence<Session>;
  progress: ProgressAccount;
  facts: TargetFacts;
  options: PartOptions;
  /** Without rows the tables get their indexes only. */
  withRows: boolean;
  throttle: Throttle;
  /** Oids of tables whose rows an earlier attempt has left, proven equal. */
  kept: ReadonlySet<number>;
  /** Of the tables that the run made. */
  ids: TableIds;
  /** Of the plan, for the marks of finished tables. */
  digest: string;
  indexes: IndexPlans;
  warn(message: string): void;
  made(build: Build["step"]): void;
  /** The target refused a tolerated step. */
  refused(build: Build["step"], error: unknown): void;
  counted(table: DataTable, rows: { source: number; target: number }): void;
}

/** Up to this size a table is copied in one transaction, indexes included, and shares it with others up to this size together. */
const smallBytes = 16 * 1024 * 1024;
/** Each holds locks until the transaction's end. */
const mostTogether = 25;

/** Rows are let in beside other parts', and no trigger can come until they are all there. */
const bare = { mode: "ROW EXCLUSIVE" } as const;

export const tableName = (table: Pick<DataTable, "schema" | "name">) => fullName(table.schema, table.name);

export function tableTasks(run: TableRun, tables: readonly DataTable[]): Task<CopyWorker>[] {
  const isSmall = (table: DataTable) => table.bytes <= smallBytes || !run.withRows || run.kept.has(table.oid);
  const small = tables.filter(isSmall);
  // Enough groups that no worker waits long for another's last one.
  const most = Math.min(mostTogether, Math.ceil(small.length / (4 * run.options.jobs)));
  const weigh = ({ bytes, oid }: DataTable) => (run.withRows && !run.kept.has(oid) ? bytes : 0);
  return [
    ...tables.filter((table) => !isSmall(table)).flatMap((table) => largeTasks(run, table)),
    ...together(small, { weigh, mostWeight: smallBytes, most }).map((group) => groupTask(run, group)),
  ];
}

function groupTask(run: TableRun, tables: readonly DataTable[]): Task<CopyWorker> {
  const names = tables.map(({ schema, name }) => qualified(schema, name)).join(", ");
  return {
    weight: tables.reduce((sum, { bytes }) => sum + bytes, 0),
    async run(worker) {
      const { target } = worker;
      const steps: Build["step"][] = [];
      const rows = await reading(worker.source, run.withRows ? heaps(tables) : [], async (source) => {
        await fenced(target, run.fence, async () => {
          await lockOwn(target, withLeaves(tables), run.ids, bare);
          steps.push(...(await copySmall(run, { ...worker, source }, tables)));
          if (run.withRows) await target.run(`ANALYZE ${names}`);
        });
        steps.forEach(run.made);
        return run.withRows ? await countBoth({ ...worker, source }, tables) : undefined;
      });
      for (const [at, table] of tables.entries()) finish(run, table, rows?.[at]);
    },
  };
}

/** In the open, guarded transaction: all rows, then all indexes. Returns the steps made. */
async function copySmall(run: TableRun, worker: CopyWorker, tables: readonly DataTable[]): Promise<Build["step"][]> {
  const { target } = worker;
  const made: TableBuild[][] = [];
  for (const table of tables) {
    const { builds, ties } = indexesOf(run, table);
    run.progress.state(tableName(table), "copying");
    const parts = run.withRows && !run.kept.has(table.oid) ? planParts(table, run.options) : [];
    for (const part of parts) await copyPart(run, worker, part);
    await run.fence.record(target, [...builds.map((build) => build.made), ...recorded(ties.map(({ step }) => step))]);
    if (parts.length > 0) await run.fence.partDone(target, finishedMark(run.digest, table), 0);
    made.push([...builds, ...ties]);
  }
  const refused = await runTogether(run, target, made);
  return made.flat().flatMap(({ step }) => (refused.has(step) ? [] : [step]));
}

function largeTasks(run: TableRun, table: DataTable): Task<CopyWorker>[] {
  const parts = planParts(table, run.options);
  let left = parts.length;
  return parts.map((part) => ({
    weight: table.bytes,
    async run(worker) {
      run.progress.state(tableName(table), "copying");
      await reading(worker.source, heaps([table]), (source) =>
        fenced(worker.target, run.fence, async () => {
          await lockOwn(worker.target, withLeaves([table]), run.ids, bare);
          await copyPart(run, { ...worker, source }, part);
        }),
      );
      return --left === 0 ? indexTasks(run, table) : [];
    },
  }));
}

/** Over any other task: the table has just been written and lies in the caches, so its indexes come before other tables. */
const first = 2 ** 52;

function indexTasks(run: TableRun, table: DataTable): Task<CopyWorker>[] {
  const { builds, ties } = indexesOf(run, table);
  run.progress.state(tableName(table), "indexing");
  const settings = indexSettings({ bytes: table.bytes, builds: builds.length, jobs: run.options.jobs });
  const refused = new Set<Build["step"]>();
  let rows = 0;
  let left = builds.length + 1;
  const end: Task<CopyWorker> = {
    weight: first,
    async run({ target }) {
      await fenced(target, run.fence, async () => {
        await run.fence.record(target, recorded(ties.map(({ step }) => step)));
        await runAll(run, target, ties, refused);
        await run.fence.partDone(target, finishedMark(run.digest, table), rows);
      });
      for (const { step } of ties) if (!refused.has(step)) run.made(step);
      await target.run(`ANALYZE ${qualified(table.schema, table.name)}`);
      finish(run, table, rows);
    },
  };
  const next = () => (--left === 0 ? [end] : []);
  return [
    ...builds.map((build) => ({
      weight: first + build.cost,
      async run({ target }: CopyWorker) {
        await fenced(target, run.fence, async () => {
          await run.fence.record(target, [build.made]);
          await runFor(run, target, { ...build, statement: `${settings}${build.statement}` });
        }).then(
          () => run.made(build.step),
          (error: unknown) => {
            if (!isTolerable(build.step, error)) throw error;
            refused.add(build.step);
            run.refused(build.step, error);
          },
        );
        return next();
      },
    })),
    {
      // A reader beside the last builds, which leave a worker idle.
      weight: first - 1,
      async run(worker) {
        const counts = await reading(worker.source, heaps([table]), (source) =>
          countBoth({ ...worker, source }, [table]),
        );
        rows = counts[0] ?? 0;
        return next();
      },
    },
  ];
}

function indexesOf(run: TableRun, table: DataTable): TableIndexes {
  const all = heaps([table]).map(({ oid }) => run.indexes.of(oid));
  return { builds: all.flatMap(({ builds }) => builds), ties: all.flatMap(({ ties }) => ties) };
}

const recorded = (steps: readonly Build["step"][]) => steps.flatMap(({ made }) => (made === undefined ? [] : [made]));

type TableBuild = Pick<Build, "step" | "statement">;

/** Statements in one text, each with the settings that it needs where they are other than those before it. */
function textOf(run: TableRun, all: readonly TableBuild[]): string {
  let settings = "";
  const statements = all.map(({ step, statement }) => {
    const wanted = placement(run, { ...step, entry: { ...step.entry, accessMethod: "" } });
    const text = `${wanted === settings ? "" : wanted}${statement}`;
    settings = wanted;
    return text;
  });
  return statements.join("\n;");
}

const guarded = (run: TableRun, target: Session, all: readonly TableBuild[]) =>
  target.run(`SAVEPOINT build; ${textOf(run, all)}\n; RELEASE SAVEPOINT build`);
const undo = (target: Session) => target.run("ROLLBACK TO SAVEPOINT build; RELEASE SAVEPOINT build");

/** As runAll, of several tables in one round trip; table by table when the server refuses any, so that its words are of one. */
async function runTogether(
  run: TableRun,
  target: Session,
  tables: readonly (readonly TableBuild[])[],
): Promise<ReadonlySet<Build["step"]>> {
  const refused = new Set<Build["step"]>();
  const all = tables.flat();
  if (tables.length > 1 && all.length > 0) {
    try {
      await guarded(run, target, all);
      return refused;
    } catch (error) {
      const state = sqlState(error);
      if (state === undefined || hopeless.test(state)) throw failedAll(target, all, error);
      await undo(target);
    }
  }
  for (const some of tables) await runAll(run, target, some, refused);
  return refused;
}

/**
 * In the open transaction, in one round trip; one after the other when the server refuses any. Answers the tolerated steps
 * that it refused, with those given; what is said of an index goes with it.
 */
async function runAll(
  run: TableRun,
  target: Session,
  all: readonly TableBuild[],
  refused = new Set<Build["step"]>(),
): Promise<ReadonlySet<Build["step"]>> {
  const wanted = all.filter(({ step }) => !refused.has(step));
  if (wanted.length === 0) return refused;
  try {
    await guarded(run, target, wanted);
    return refused;
  } catch (error) {
    const state = sqlState(error);
    if (state === undefined || !wanted.some(({ step }) => step.tolerated)) throw failedAll(target, wanted, error);
    await undo(target);
  }
  for (const one of wanted) {
    if (refused.has(one.step)) continue;
    try {
      await guarded(run, target, [one]);
    } catch (error) {
      if (!isTolerable(one.step, error)) throw failed(target, one.step, error);
      await undo(target);
      refused.add(one.step);
      run.refused(one.step, error);
    }
  }
  return refused;
}

/** The server's words name the index, or the key. */
function failedAll(target: Session, all: readonly Pick<Build, "step">[], error: unknown): EngineError {
  const [only, ...more] = all.map(({ step }) => step);
  if (only === undefined || more.length === 0) return failed(target, only ?? { kind: "indexes", name: "" }, error);
  const names = all
    .map(({ step }) => step.name)
    .slice(0, 5)
    .join(", ");
  return failed(target, { kind: "indexes and keys", name: names }, error);
}

async function runFor(run: TableRun, target: Session, one: TableBuild): Promise<void> {
  try {
    await target.run(textOf(run, [one]));
  } catch (error) {
    throw failed(target, one.step, error);
  }
}

/** In the open, guarded transaction. */
async function copyPart(run: TableRun, { source, target, pool }: CopyWorker, part: TablePart): Promise<void> {
  const name = tableName(part.table);
  try {
    const moved = (rows: number, bytes: number) => run.progress.add(name, rows, bytes);
    const rows = await passCopy(source, part.out, target, part.into, pool, moved, run.throttle);
    await run.fence.partDone(target, partMark(part.table, part.name), rows);
  } catch (error) {
    const column = columnAt(error, part.table.columns)?.name;
    throw loadError(error, { table: name, column, isValue: isRefusedValue });
  }
}

/** The tables' numbers of rows on both sides, the source's inside the snapshot. Errors: `row_count_mismatch`. */
async function countBoth({ source, target }: CopyWorker, tables: readonly DataTable[]): Promise<number[]> {
  const sum = (table: DataTable) =>
    `(SELECT pg_catalog.count(*) FROM ${relationOf(table)} ${table.extension?.condition ?? ""})`;
  const count = async (session: Session, ofTable: (table: DataTable) => string) => {
    const counts = tables.map((table, at) => `SELECT ${at}::int8 AS at, ${ofTable(table)} AS rows`);
    const rows = await session.query<{ at: number; rows: number }>(counts.join(" UNION ALL "));
    return rows.sort((a, b) => a.at - b.at).map(({ rows }) => rows);
  };
  const [there, here] = await Promise.all([
    count(source, (table) => heaps([table]).map(sum).join(" + ")),
    count(target, sum),
  ]);
  const counts = tables.map((table, at) => ({
    name: tableName(table),
    source: there[at] ?? Number.NaN,
    target: here[at],
  }));
  refuseCounts(counts);
  return here;
}

/** `rows` are undefined if not counted. */
function finish(run: TableRun, table: DataTable, rows: number | undefined): void {
  if (rows !== undefined) {
    run.counted(table, { source: rows, target: rows });
    run.progress.settle(tableName(table), rows);
  }
  run.progress.state(tableName(table), "done");
}
