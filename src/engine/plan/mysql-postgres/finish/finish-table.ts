import { EngineError, type InventoryEntry } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import { isRefusal, schemaRefused, serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { type CheckPlan, checkEntry } from "../columns/checks.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { buildIndexes } from "./build-indexes.ts";
import type { Finishing } from "./finishing-run.ts";

/** Marks a table as finished, with what became known while it was; in the transaction that finishes it. */
type MarkFinished = () => { mark: string; rows: number };

/** A table below this many bytes in the source is finished in one transaction: what it costs is its commits. */
export const smallBytes = 16 * 1024 * 1024;
/** The bytes are an estimate. */
const smallRows = 100_000;

/** `rows`: that were copied. `done` is undefined where no row is, and there is nothing to analyse. What the server says of a statement does not tell the table, so the error does. */
export async function finishTable(
  finishing: Finishing,
  plan: TablePlan,
  rows: number,
  done: MarkFinished | undefined,
): Promise<void> {
  try {
    await finish(finishing, plan, rows, done);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "database_error") throw error;
    const words = `finishing table ${printable(plan.source.name)}: ${error.message}`;
    throw new EngineError(error.code, words, { retryable: error.retryable, cause: error.cause });
  }
}

async function finish(
  finishing: Finishing,
  plan: TablePlan,
  rows: number,
  done: MarkFinished | undefined,
): Promise<void> {
  const { sessions, fence } = finishing;
  const isSmall = rows < smallRows && plan.source.dataBytes < smallBytes;
  if (isSmall && (await finishAtOnce(finishing, plan, done))) return;
  const built = await buildIndexes(finishing, plan);
  await sessions.use(async (session) => {
    await fenced(session, fence, async () => {
      for (const index of built) {
        if (index.constraint !== undefined) await session.run(index.constraint);
        if (index.comment !== undefined) await session.run(index.comment);
      }
    });
    await addChecks(finishing, plan, session);
    await fenced(session, fence, async () => {
      await fence.record(session, plan.madeAfter);
      if (plan.after.length > 0) await session.run(plan.after.join("; "));
      await markDone(finishing, session, done);
    });
    if (done !== undefined) await session.run(analyze(finishing, plan));
  });
}

const analyze = ({ scheme }: Finishing, plan: TablePlan) => `ANALYZE ${qualified(scheme.schema, plan.name)}`;

async function markDone({ fence }: Finishing, session: Writer, done: MarkFinished | undefined): Promise<void> {
  if (done === undefined) return;
  const { mark, rows } = done();
  await fence.partDone(session, mark, rows);
}

/** False: something of it cannot be, and nothing was done. */
async function finishAtOnce(finishing: Finishing, plan: TablePlan, done: MarkFinished | undefined): Promise<boolean> {
  const { sessions, fence, inventory } = finishing;
  const statements = [
    ...plan.indexes.flatMap(({ create, folded, apart }) => [create, folded?.create, apart?.create]),
    ...plan.indexes.flatMap(({ constraint, comment }) => [constraint, comment]),
    ...plan.checks.flatMap(({ add, validate }) => [add, validate]),
    ...plan.after,
    done === undefined ? undefined : analyze(finishing, plan),
  ].filter((sql) => sql !== undefined);
  const before = inventory.length;
  inventory.push(...plan.checks.map((check) => checkEntry(plan.source.name, check, "converted")));
  try {
    await sessions.use((session) =>
      fenced(session, fence, async () => {
        await fence.record(session, plan.madeAfter);
        await session.run(statements.join("; "));
        await markDone(finishing, session, done);
      }),
    );
    return true;
  } catch (error) {
    // Keys too long, values doubled, checks broken: one by one it is found out which, and said.
    if (!/^23/.test(sqlState(error) ?? "") && !isRefusal(error)) throw error;
    inventory.length = before;
    return false;
  }
}

/**
 * Adds the checks, then proves them; one that rows break stays NOT VALID. One that cannot be made is reported, and one that
 * has no result for a row is taken away again and reported: it would fail where the source's does not.
 */
async function addChecks(finishing: Finishing, plan: TablePlan, session: Writer): Promise<void> {
  const say = (check: CheckPlan, outcome: InventoryEntry["outcome"], more: Partial<InventoryEntry> = {}) => {
    finishing.inventory.push({ ...checkEntry(plan.source.name, check, outcome), ...more });
    if (more.note !== undefined) finishing.warn(`check ${plan.source.name}.${check.name}: ${more.note}`);
  };
  for (const check of plan.checks) {
    const { name, add, validate, drop, definition } = check;
    try {
      await fenced(session, finishing.fence, () => session.run(add));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (finishing.strict) throw schemaRefused(`check ${plan.source.name}.${name}`, error);
      say(check, "reported", { note: `it could not be made: ${serverMessage(error)}`, definition });
      continue;
    }
    try {
      if (validate !== undefined) await fenced(session, finishing.fence, () => session.run(validate));
      say(check, "converted");
    } catch (error) {
      if (isRefusal(error)) {
        if (finishing.strict) throw schemaRefused(`check ${plan.source.name}.${name}`, error);
        await fenced(session, finishing.fence, () => session.run(drop));
        say(check, "reported", { note: `PostgreSQL cannot compute it for a row: ${serverMessage(error)}`, definition });
        continue;
      }
      if (sqlState(error) !== "23514") throw error;
      say(check, "reported", { note: "rows of the source break it: it was added NOT VALID", definition });
    }
  }
}
