import type { InventoryEntry } from "../contract.ts";
import type { Fence } from "../fence.ts";
import type { Session as Writer } from "../postgres/connection.ts";
import { serverWords, sqlState } from "../postgres/errors.ts";
import { fenced } from "../postgres/fence.ts";
import { identifier, qualified } from "../postgres/names.ts";
import { buildIndexes } from "./building.ts";
import type { ForeignKeyPlan } from "./foreign-keys.ts";
import type { TablePlan } from "./plan.ts";
import type { Scheme } from "./scheme.ts";
import { all, type Sessions } from "./sessions.ts";

/** What follows a table's data: its indexes at once, then constraints, sequence values, triggers, statistics; at the end foreign keys. */
export interface Finishing {
  scheme: Scheme;
  sessions: Sessions<Writer>;
  fence: Fence<Writer>;
  /** Entries that became known here; they stand for the plan's of the same kind and name. */
  inventory: InventoryEntry[];
  warn(message: string): void;
}

/** `done`: what marks the table as finished, in the transaction that finishes it. */
export async function finishTable(
  finishing: Finishing,
  plan: TablePlan,
  done: { mark: string; rows: number } | undefined,
): Promise<void> {
  const { sessions, fence } = finishing;
  const built = await buildIndexes(finishing, plan);
  await sessions.use(async (session) => {
    await fenced(session, fence, async () => {
      for (const index of built) {
        if (index.constraint !== undefined) await session.run(index.constraint);
        if (index.comment !== undefined) await session.run(index.comment);
      }
      await fence.record(session, plan.madeAfter);
      if (plan.after.length > 0) await session.run(plan.after.join("; "));
      if (done !== undefined) await fence.partDone(session, done.mark, done.rows);
    });
    await addChecks(finishing, plan, session);
    await session.run(`ANALYZE ${qualified(finishing.scheme.schema, plan.name)}`);
  });
}

/** Adds the checks, then proves them; one that rows break stays NOT VALID, one that cannot be made is reported. */
async function addChecks(finishing: Finishing, plan: TablePlan, session: Writer): Promise<void> {
  const say = (name: string, outcome: InventoryEntry["outcome"], more: Partial<InventoryEntry> = {}) => {
    finishing.inventory.push({ kind: "check", name: `${plan.source.name}.${name}`, outcome, ...more });
    if (more.note !== undefined) finishing.warn(`check ${plan.source.name}.${name}: ${more.note}`);
  };
  for (const { name, add, validate, definition } of plan.checks) {
    try {
      await fenced(session, finishing.fence, () => session.run(add));
    } catch (error) {
      if (!/^42/.test(sqlState(error) ?? "") || sqlState(error) === "42501") throw error;
      say(name, "reported", { note: `it could not be made: ${serverWords(error)}`, definition });
      continue;
    }
    try {
      if (validate !== undefined) await fenced(session, finishing.fence, () => session.run(validate));
      say(name, "converted");
    } catch (error) {
      if (sqlState(error) !== "23514") throw error;
      say(name, "reported", { note: "rows of the source break it: it was added NOT VALID", definition });
    }
  }
}

/** Adds every foreign key, then proves them; one with orphans stays NOT VALID and is reported. */
export async function addForeignKeys(finishing: Finishing, keys: readonly ForeignKeyPlan[]): Promise<void> {
  const { sessions, fence, inventory, warn } = finishing;
  const say = (key: ForeignKeyPlan, outcome: InventoryEntry["outcome"], note?: string) =>
    inventory.push({
      kind: "foreign key",
      name: `${key.table.source.name}.${key.source.name}`,
      outcome,
      ...(note === undefined ? {} : { note }),
    });
  const added: ForeignKeyPlan[] = [];
  await sessions.use(async (session) => {
    for (const key of keys) {
      try {
        await fenced(session, fence, () => session.run(key.add));
        added.push(key);
      } catch (error) {
        // Types that do not compare, a referenced index that could not be built: named, never left out in silence.
        if (!/^42/.test(sqlState(error) ?? "") || sqlState(error) === "42501") throw error;
        const why = `foreign key ${key.table.source.name}.${key.source.name} could not be made: ${serverWords(error)}`;
        warn(why);
        say(key, "reported", why);
      }
    }
  });
  await all(
    added.map((key) =>
      sessions.use(async (session) => {
        try {
          await fenced(session, fence, () => session.run(key.validate));
          say(key, "converted", key.name === key.source.name ? undefined : `as ${key.name}`);
        } catch (error) {
          if (sqlState(error) !== "23503") throw error;
          const [row] = await session.query<{ count: number }>(key.orphans);
          const why = `${row?.count ?? "some"} rows of ${key.table.source.name} have no parent in ${key.source.referencedTable}: the foreign key ${identifier(key.name)} was added NOT VALID`;
          warn(why);
          say(key, "reported", why);
        }
      }),
    ),
  );
}
