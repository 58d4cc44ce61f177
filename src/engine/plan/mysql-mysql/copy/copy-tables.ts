import type { InventoryEntry } from "../../../contract/index.ts";
import { type KnownEntry, lostIndex } from "../../../contract/known.ts";
import { lostDigitsMessage, minusZeroMessage } from "../../../mysql/driver/changed-numbers.ts";
import { qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { fenced, type MysqlFence } from "../../../mysql/fence/fence.ts";
import { markShapes, partOf } from "../../../mysql/fence/others-work.ts";
import { priorityOf, splitTable, type TablePart } from "../../../mysql/source/split.ts";
import { kind } from "../../../rows/mysql-to-load/rows.ts";
import { createBlockPool } from "../../../run/memory/block-pool.ts";
import { type Task, together, workOff } from "../../../run/pool.ts";
import type { ProgressAccount } from "../../../run/progress.ts";
import type { Throttle } from "../../../run/throttle.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { createBrokenChecks } from "./broken-checks.ts";
import { copyPart, copyTogether, type LoadedRows } from "./copy-part.ts";
import { buildIndexes, isUnique, nameOfIndex } from "./create-tables.ts";
import { type KeptTable, markFinished } from "./resume.ts";

/** All tables, N streams at a time: made, filled part by part, indexed as soon as their rows are there, and counted on both sides. */
interface TablesWork {
  database: string;
  targetDatabase: string;
  workers: readonly CopyWorker[];
  fence: MysqlFence;
  progress: ProgressAccount;
  throttle: Throttle;
  content: "all" | "schema" | "data";
  /** `on_object_error: fail` */
  strict: boolean;
  /** Largest first. `make` makes the table, or answers with the plan for the one that is there. */
  tables: readonly {
    name: string;
    bytes: number;
    /** Of a table that an earlier attempt has finished, and that is equal: its rows are only counted. */
    kept: KeptTable | undefined;
    make(writer: Session): Promise<TablePlan>;
    /** What gives an equal plan: of very many tables, none is kept. */
    again(plan: TablePlan): () => TablePlan;
  }[];
  /** The first error: what else runs is to be ended. */
  failed(error: unknown): void;
}

interface CopyWorker {
  reader: Session;
  writer: Session;
}

export interface DoneTable {
  /** Made anew each time. */
  readonly plan: TablePlan;
  rows: { source: number; target: number };
  /** Indexes that the target refused, and checks that rows break. */
  entries: KnownEntry[];
  /** What its values had to give up. */
  warnings: string[];
  /** shapeOf, when it was finished. */
  shape?: string | undefined;
}

/** Data of a table, at most, that is copied together with others; and of all of them. */
const smallBytes = 1 << 20;
const togetherBytes = 8 << 20;
const mostTogether = 25;

type Wanted = TablesWork["tables"][number];

export async function copyTables(work: TablesWork): Promise<Map<string, DoneTable>> {
  const { progress, fence, content, targetDatabase } = work;
  const pool = createBlockPool();
  const checks = createBrokenChecks(fence, targetDatabase);
  const done = new Map<string, DoneTable>();
  /** Of each column that is loaded, how many values changed in its parts. */
  const changes = new WeakMap<TablePlan, readonly number[]>();
  const againOf = new Map(work.tables.map(({ name, again }) => [name, again]));

  const warningsOf = (plan: TablePlan, changed = changes.get(plan) ?? []): string[] =>
    plan.columns.flatMap(({ name }, at) => {
      const count = changed[at] ?? 0;
      const message = plan.kinds[at] === kind.document ? lostDigitsMessage : minusZeroMessage;
      return count === 0 ? [] : [message(`${work.database}.${plan.source.name}.${name}`, count)];
    });

  const counts = async (session: Session, tables: readonly string[]): Promise<number[]> => {
    const sql = tables.map((from, at) => `SELECT ${at}, COUNT(*)${from}`).join(" UNION ALL ");
    const rows = new Map((await session.query(sql)).map(([at, rows]) => [Number(at), Number(rows)]));
    return tables.map((_, at) => rows.get(at) ?? Number.NaN);
  };
  const fromSource = ({ select, source }: TablePlan) =>
    select.slice(select.lastIndexOf(` FROM ${qualified(work.database, source.name)}`));
  const fromTarget = ({ name, history }: TablePlan) =>
    ` FROM ${qualified(targetDatabase, name)}${history ? " FOR SYSTEM_TIME ALL" : ""}`;

  const countBoth = async (
    { reader, writer }: CopyWorker,
    plan: TablePlan,
    meanwhile: () => Promise<InventoryEntry[]>,
  ) => {
    if (content === "schema") return { entries: await meanwhile(), rows: { source: 0, target: 0 } };
    const source = reader.query(`SELECT ${priorityOf(plan.source)}COUNT(*)${fromSource(plan)}`);
    // At the same time, and both awaited: either side may be lost meanwhile.
    const [[[rows] = []], entries] = await Promise.all([source, meanwhile()]);
    const [target = Number.NaN] = await counts(writer, [fromTarget(plan)]);
    return { entries, rows: { source: Number(rows), target } };
  };

  const settle = (plan: TablePlan, found: Omit<DoneTable, "plan">) => {
    const again = againOf.get(plan.source.name);
    if (again !== undefined) done.set(plan.source.name, doneTable(again(plan), found));
    progress.settle(plan.source.name, found.rows.target);
    progress.state(plan.source.name, "done");
  };

  const markMade = async (writer: Session, plans: readonly TablePlan[]) => {
    if (content !== "all" || plans.length === 0) return;
    const tables = plans.map(({ name, later }) => ({ name, later: later.flat() }));
    await fenced(writer, fence, () => markShapes(writer, fence, targetDatabase, tables));
  };

  const partDone = (writer: Session, { name }: TablePlan, part: TablePart, rows: number) =>
    fence.partDone(writer, partOf(name, part.name), rows);

  /** The mark of a table that is finished with its only part, and its shape then. */
  const whole = (writer: Session, plan: TablePlan, part: TablePart) => {
    const finished: { shape?: string | undefined } = {};
    return {
      finished,
      mark: async ({ rows, changed }: LoadedRows) => {
        if (checks.has(plan)) return partDone(writer, plan, part, rows);
        const marking = { plan, rows, entries: [], warnings: warningsOf(plan, changed), content };
        finished.shape = await markFinished(writer, fence, targetDatabase, marking);
      },
    };
  };

  const finish = (
    plan: TablePlan,
    bytes: number,
    marked: { shape?: string | undefined } | undefined,
  ): Task<CopyWorker> => ({
    weight: bytes / 2,
    async run(worker) {
      const { name } = plan.source;
      const { writer } = worker;
      progress.state(name, "indexing");
      const found = await countBoth(worker, plan, async () => {
        if (content === "data") return [];
        const refused = await buildIndexes(writer, fence, targetDatabase, plan, work.strict);
        return [...refused.map((one) => refusedIndex(name, one)), ...(await checks.settle(writer, plan))];
      });
      const { entries, rows } = found;
      const warnings = warningsOf(plan);
      const marking = { plan, rows: rows.target, entries, warnings, content };
      const shape = marked === undefined ? await markFinished(writer, fence, targetDatabase, marking) : marked.shape;
      settle(plan, { ...found, warnings, shape });
    },
  });

  const partWork = (worker: CopyWorker, plan: TablePlan, part: TablePart, alone: boolean) => ({
    ...worker,
    plan,
    part,
    fence,
    pool,
    database: targetDatabase,
    throttle: work.throttle,
    present: content === "data",
    checks: content === "data" ? undefined : checks,
    alone: alone && plan.translated.options.some(({ value }) => value === "InnoDB"),
    kept: ({ changed }: LoadedRows) => {
      const before = changes.get(plan);
      changes.set(plan, before === undefined ? changed : changed.map((count, at) => count + (before[at] ?? 0)));
    },
    progress: (rows: number, size: number) => progress.add(plan.source.name, rows, size),
  });

  const copyParts = ({ name, bytes }: Wanted, plan: TablePlan, parts: readonly TablePart[]): Task<CopyWorker>[] => {
    // Then there is nothing to be done after its rows.
    const once = parts.length === 1 && plan.later.length === 0;
    let left = parts.length;
    progress.state(name, "copying");
    return parts.map((part) => ({
      weight: bytes / parts.length,
      async run(worker: CopyWorker) {
        const { finished, mark } = whole(worker.writer, plan, part);
        await copyPart({
          ...partWork(worker, plan, part, parts.length === 1),
          mark: once ? mark : ({ rows }) => partDone(worker.writer, plan, part, rows),
        });
        return --left === 0 ? [finish(plan, bytes, once && !checks.has(plan) ? finished : undefined)] : [];
      },
    }));
  };

  const make = async ({ writer }: CopyWorker, table: Wanted): Promise<TablePlan> => {
    const plan = await table.make(writer);
    if (content === "all" && checks.atOnce(plan)) await checks.allow(writer, plan);
    return plan;
  };

  const begin = (table: Wanted): Task<CopyWorker> => ({
    weight: table.bytes,
    async run(worker) {
      if (table.kept !== undefined) {
        const { entries, warnings } = table.kept;
        const plan = table.kept.plan();
        settle(plan, { ...(await countBoth(worker, plan, async () => entries)), warnings });
        return [];
      }
      const plan = await make(worker, table);
      await markMade(worker.writer, [plan]);
      if (content === "schema") return [finish(plan, table.bytes, {})];
      return copyParts(table, plan, await splitTable(worker.reader, work.database, plan.source));
    },
  });

  /** Small tables: all made, then filled in one transaction, then counted at once. */
  const beginTogether = (tables: readonly Wanted[]): Task<CopyWorker> => ({
    weight: tables.reduce((sum, { bytes }) => sum + bytes, 0),
    async run(worker) {
      const { reader, writer } = worker;
      const small: { plan: TablePlan; part: TablePart; mark(loaded: LoadedRows): Promise<void>; finished: object }[] =
        [];
      const others: Task<CopyWorker>[] = [];
      for (const table of tables) {
        const plan = await make(worker, table);
        const parts = await splitTable(reader, work.database, plan.source);
        const [part] = parts;
        const simple = parts.length === 1 && plan.later.length === 0 && !plan.history && priorityOf(plan.source) === "";
        if (part === undefined || !simple) {
          await markMade(writer, [plan]);
          others.push(...copyParts(table, plan, parts));
        } else small.push({ plan, part, ...whole(writer, plan, part) });
      }
      if (small.length === 0) return others;
      await markMade(
        writer,
        small.map(({ plan }) => plan),
      );
      for (const { plan } of small) progress.state(plan.source.name, "copying");
      const works = small.map(({ plan, part, mark }) => ({ ...partWork(worker, plan, part, true), mark }));
      await copyTogether(writer, fence, works);
      for (const { plan } of small) if (checks.has(plan)) others.push(finish(plan, plan.source.dataBytes, undefined));
      const filled = small.filter(({ plan }) => !checks.has(plan));
      if (filled.length === 0) return others;
      const plans = filled.map(({ plan }) => plan);
      const [source, target] = await Promise.all([
        counts(reader, plans.map(fromSource)),
        counts(writer, plans.map(fromTarget)),
      ]);
      for (const [at, { plan, finished }] of filled.entries()) {
        const rows = { source: source[at] ?? Number.NaN, target: target[at] ?? Number.NaN };
        settle(plan, { ...finished, entries: [], warnings: warningsOf(plan), rows });
      }
      return others;
    },
  });

  const isSmall = ({ kept, bytes }: Wanted) => content !== "schema" && kept === undefined && bytes < smallBytes;
  const small = work.tables.filter(isSmall);
  const groups = together(small, {
    weigh: ({ bytes }) => bytes,
    mostWeight: togetherBytes,
    // Some for everyone.
    most: Math.max(1, Math.min(mostTogether, Math.ceil(small.length / work.workers.length / 2))),
  });
  const tasks = [...work.tables.filter((table) => !isSmall(table)).map(begin), ...groups.map(beginTogether)];
  await workOff(work.workers, tasks, work.failed);
  return done;
}

/** Outside of what sees a plan, which its getter would keep. */
const doneTable = (again: () => TablePlan, found: Omit<DoneTable, "plan">): DoneTable => ({
  get plan() {
    return again();
  },
  ...found,
});

const refusedIndex = (table: string, { text, why }: { text: string; why: string }): KnownEntry => ({
  kind: "index",
  name: `${table}.${nameOfIndex(text)}`,
  ...lostIndex(`the target's server did not take it: ${why}`, isUnique(text)),
  definition: text,
});
