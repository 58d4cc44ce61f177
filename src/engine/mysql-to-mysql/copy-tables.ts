import type { InventoryEntry } from "../contract.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { createPool } from "../mysql/loader.ts";
import { qualified } from "../mysql/names.ts";
import type { Session } from "../mysql/session.ts";
import { priorityOf, splitTable } from "../mysql/split.ts";
import { type Task, workOff } from "../postgres/work.ts";
import type { ProgressAccount } from "../progress.ts";
import type { Throttle } from "../throttle.ts";
import { copyPart } from "./copying.ts";
import { buildIndexes } from "./making.ts";
import type { TablePlan } from "./plan.ts";
import { markFinished } from "./resume.ts";

/** All tables, N streams at a time: made, filled part by part, indexed as soon as their rows are there, and counted on both sides. */
export interface TablesWork {
  database: string;
  targetDatabase: string;
  workers: readonly Worker[];
  fence: MysqlFence;
  progress: ProgressAccount;
  throttle: Throttle;
  content: "all" | "schema" | "data";
  /** Largest first. `make` makes the table, or answers with the plan for the one that is there. */
  tables: readonly {
    name: string;
    bytes: number;
    /** Of a table that an earlier attempt has finished, and that is equal: its rows are only counted. */
    kept: { plan: TablePlan; entries: InventoryEntry[] } | undefined;
    make(writer: Session): Promise<TablePlan>;
  }[];
  /** The first error: what else runs is to be ended. */
  failed(error: unknown): void;
}

export interface Worker {
  reader: Session;
  writer: Session;
}

export interface DoneTable {
  plan: TablePlan;
  rows: { source: number; target: number };
  /** Indexes that the target refused. */
  entries: InventoryEntry[];
}

export async function copyTables(work: TablesWork): Promise<Map<string, DoneTable>> {
  const { progress, fence, content } = work;
  const pool = createPool();
  const done = new Map<string, DoneTable>();
  const count = async (session: Session, sql: string) => Number((await session.query(sql))[0]?.[0]);

  const countBoth = async ({ reader, writer }: Worker, plan: TablePlan, meanwhile: () => Promise<InventoryEntry[]>) => {
    if (content === "schema") return { entries: await meanwhile(), rows: { source: 0, target: 0 } };
    const from = plan.select.slice(plan.select.lastIndexOf(` FROM ${qualified(work.database, plan.source.name)}`));
    // At the same time, and both awaited: either side may be lost meanwhile.
    const [source, entries] = await Promise.all([
      count(reader, `SELECT ${priorityOf(plan.source)}COUNT(*)${from}`),
      meanwhile(),
    ]);
    const target = `SELECT COUNT(*) FROM ${qualified(work.targetDatabase, plan.name)}${plan.history ? " FOR SYSTEM_TIME ALL" : ""}`;
    return { entries, rows: { source, target: await count(writer, target) } };
  };

  const settle = (plan: TablePlan, found: Omit<DoneTable, "plan">) => {
    done.set(plan.source.name, { plan, ...found });
    progress.settle(plan.source.name, found.rows.target);
    progress.state(plan.source.name, "done");
  };

  const finish = (plan: TablePlan, bytes: number, marked: boolean): Task<Worker> => ({
    weight: bytes / 2,
    async run(worker) {
      const { name } = plan.source;
      const { writer } = worker;
      progress.state(name, "indexing");
      const found = await countBoth(worker, plan, async () =>
        content === "data"
          ? []
          : (await buildIndexes(writer, fence, work.targetDatabase, plan)).map((refused) =>
              refusedIndex(name, refused),
            ),
      );
      if (!marked)
        await markFinished(writer, fence, work.targetDatabase, {
          plan,
          rows: found.rows.target,
          entries: found.entries,
          content,
        });
      settle(plan, found);
      return [];
    },
  });

  const begin = ({ name, bytes, kept, make }: TablesWork["tables"][number]): Task<Worker> => ({
    weight: bytes,
    async run(first) {
      const { reader, writer } = first;
      if (kept !== undefined) {
        settle(kept.plan, await countBoth(first, kept.plan, async () => kept.entries));
        return [];
      }
      const plan = await make(writer);
      if (content === "schema") return [finish(plan, bytes, true)];
      const parts = await splitTable(reader, work.database, plan.source);
      // Then there is nothing to be done after its rows.
      const whole = parts.length === 1 && plan.later.length === 0;
      let left = parts.length;
      progress.state(name, "copying");
      return parts.map((part) => ({
        weight: bytes / parts.length,
        async run(worker: Worker) {
          await copyPart({
            ...worker,
            plan,
            part,
            fence,
            pool,
            database: work.targetDatabase,
            throttle: work.throttle,
            alone: parts.length === 1 && plan.translated.options.some(({ value }) => value === "InnoDB"),
            mark: (rows) =>
              whole
                ? markFinished(worker.writer, fence, work.targetDatabase, { plan, rows, entries: [], content })
                : fence.partDone(worker.writer, part.name, rows),
            progress: (rows, size) => progress.add(name, rows, size),
          });
          return --left === 0 ? [finish(plan, bytes, whole)] : [];
        },
      }));
    },
  });

  await workOff(work.workers, work.tables.map(begin), work.failed);
  return done;
}

const refusedIndex = (table: string, { text, why }: { text: string; why: string }): InventoryEntry => ({
  kind: "index",
  name: `${table}.${/`((?:[^`]|``)*)`/.exec(text)?.[1] ?? ""}`,
  outcome: "reported",
  note: `the target's server did not take it: ${why}`,
  definition: text,
});
