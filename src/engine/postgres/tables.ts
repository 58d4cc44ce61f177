import { EngineError } from "../contract.ts";
import type { Fence } from "../fence.ts";
import type { ProgressAccount } from "../progress.ts";
import { failed, placement, type TargetFacts } from "./apply.ts";
import type { Session } from "./connection.ts";
import { fenced } from "./fence.ts";
import type { Build, TableIndexes } from "./indexes.ts";
import { printable, qualified } from "./names.ts";
import { type Part, type PartOptions, planParts } from "./parts.ts";
import { type Pool, passCopy } from "./pass.ts";
import type { Table } from "./source.ts";
import type { Task } from "./work.ts";

/** Copies tables, builds their indexes, and counts their rows on both sides, as tasks for the workers. */

export interface Worker {
  source: Session;
  target: Session;
  pool: Pool;
}

export interface TableRun {
  fence: Fence<Session>;
  progress: ProgressAccount;
  facts: TargetFacts;
  options: PartOptions;
  indexes: Map<number, TableIndexes>;
  warn(message: string): void;
  made(build: Build["step"]): void;
  counted(table: Table, rows: { source: number; target: number }): void;
}

/** Up to this size a table is one task and one transaction, indexes included. */
const smallBytes = 16 * 1024 * 1024;

export const tableName = (table: Pick<Table, "schema" | "name">) => `${table.schema}.${table.name}`;

export function tableTasks(run: TableRun, tables: readonly Table[]): Task<Worker>[] {
  return tables.flatMap((table) => (table.bytes <= smallBytes ? [smallTask(run, table)] : largeTasks(run, table)));
}

function smallTask(run: TableRun, table: Table): Task<Worker> {
  const { builds, ties } = indexesOf(run, table);
  const parts = planParts(table, run.options);
  return {
    weight: table.bytes,
    async run(worker) {
      run.progress.state(tableName(table), "copying");
      await fenced(worker.target, run.fence, async () => {
        for (const part of parts) await copyPart(run, worker, part);
        await run.fence.record(
          worker.target,
          recorded([...builds.map(({ step }) => step), ...ties.map(({ step }) => step)]),
        );
        for (const build of builds) await runFor(run, worker.target, build);
        for (const tie of ties) await runFor(run, worker.target, tie);
      });
      for (const { step } of [...builds, ...ties]) run.made(step);
      await settle(run, worker, table);
      return [];
    },
  };
}

function largeTasks(run: TableRun, table: Table): Task<Worker>[] {
  const parts = planParts(table, run.options);
  let left = parts.length;
  return parts.map((part) => ({
    weight: table.bytes,
    async run(worker) {
      run.progress.state(tableName(table), "copying");
      await fenced(worker.target, run.fence, () => copyPart(run, worker, part));
      return --left === 0 ? indexTasks(run, table) : [];
    },
  }));
}

function indexTasks(run: TableRun, table: Table): Task<Worker>[] {
  const { builds, ties } = indexesOf(run, table);
  run.progress.state(tableName(table), "indexing");
  // The table has just been written and lies in the caches: its indexes come before other tables.
  const last: Task<Worker> = {
    weight: Number.MAX_SAFE_INTEGER,
    async run(worker) {
      if (ties.length > 0) {
        await fenced(worker.target, run.fence, async () => {
          await run.fence.record(worker.target, recorded(ties.map(({ step }) => step)));
          for (const tie of ties) await runFor(run, worker.target, tie);
        });
      }
      for (const { step } of ties) run.made(step);
      await settle(run, worker, table);
      return [];
    },
  };
  let left = builds.length;
  if (left === 0) return [last];
  return builds.map((build) => ({
    weight: Number.MAX_SAFE_INTEGER,
    async run({ target }) {
      await fenced(target, run.fence, async () => {
        await run.fence.record(target, recorded([build.step]));
        await runFor(run, target, build);
      });
      run.made(build.step);
      return --left === 0 ? [last] : [];
    },
  }));
}

const indexesOf = (run: TableRun, table: Table): TableIndexes => run.indexes.get(table.oid) ?? { builds: [], ties: [] };

const recorded = (steps: readonly Build["step"][]) => steps.flatMap(({ made }) => (made === undefined ? [] : [made]));

async function runFor(run: TableRun, target: Session, { step, statement }: Build): Promise<void> {
  try {
    await target.run(`${placement(run, { ...step, entry: { ...step.entry, accessMethod: "" } })}${statement}`);
  } catch (error) {
    throw failed(target, step, error);
  }
}

/** In the open, guarded transaction. */
async function copyPart(run: TableRun, { source, target, pool }: Worker, part: Part): Promise<void> {
  const name = tableName(part.table);
  try {
    const rows = await passCopy(source, part.out, target, part.into, pool, (rows, bytes) =>
      run.progress.add(name, rows, bytes),
    );
    await run.fence.partDone(target, part.name, rows);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new EngineError(error.code, `copying ${printable(part.name)}: ${error.message}`, {
      retryable: error.retryable,
      cause: error,
    });
  }
}

/** Statistics for the planner, and the count of both sides: the source's inside the snapshot. */
async function settle(run: TableRun, { source, target }: Worker, table: Table): Promise<void> {
  const name = qualified(table.schema, table.name);
  const condition = table.extension?.condition ?? "";
  const count = async (session: Session) => {
    const [row] = await session.query<{ rows: number }>(
      `SELECT pg_catalog.count(*) AS rows FROM ONLY ${name} ${condition}`,
    );
    return row?.rows ?? -1;
  };
  const counting = count(source);
  const [there] = await Promise.all([counting, target.run(`ANALYZE ${name}`)]);
  const here = await count(target);
  if (there !== here) {
    throw new EngineError(
      "count_mismatch",
      `table ${printable(tableName(table))} has ${there} rows in the source and ${here} in the target: nothing else may write to the target while it is copied; reset and run again`,
    );
  }
  run.counted(table, { source: there, target: here });
  run.progress.settle(tableName(table), here);
  run.progress.state(tableName(table), "done");
}
