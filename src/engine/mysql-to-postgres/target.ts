import { EngineError, type MadeObject } from "../contract.ts";
import type { Fence } from "../fence.ts";
import type { SourceTable } from "../mysql/catalogue.ts";
import type { Session as Writer } from "../postgres/connection.ts";
import { engineError } from "../postgres/errors.ts";
import { fenced } from "../postgres/fence.ts";
import { printable } from "../postgres/names.ts";
import type { TablePlan } from "./plan.ts";

/** The target before the first write: what this owner made earlier is dropped, what others made is respected. */
export interface Target {
  versionText: string;
  /** Names of relations and types that are in the schema already. */
  taken: string[];
}

export const targetSchema = "public";

/**
 * Errors: `target_not_empty` names the tables that stand in the way; `target_encoding`. Until something was made,
 * the fence is taken away again with the error.
 */
export async function prepareTarget(
  session: Writer,
  fence: Fence<Writer>,
  tables: readonly SourceTable[],
  earlier: readonly MadeObject[],
): Promise<Target> {
  const made = [...earlier, ...(await fence.made())];
  // Also the parts and the result of an earlier attempt: a new snapshot begins from nothing.
  await fence.clean(made);
  try {
    const [server] = await session.query<{ version: string; encoding: string }>(
      "SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding",
    );
    if (server?.encoding !== "UTF8") {
      throw new EngineError(
        "target_encoding",
        `the target database is encoded in ${server?.encoding}: create one with ENCODING 'UTF8', which holds every text`,
      );
    }
    const rows = await session.query<{ name: string; relation: boolean }>(
      `SELECT relname AS name, relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AS relation FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
       UNION ALL SELECT typname, false FROM pg_type WHERE typnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)
       UNION ALL SELECT proname, false FROM pg_proc WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`,
      [targetSchema],
    );
    const wanted = new Set(tables.map(({ name }) => name));
    const there = rows.filter(({ name, relation }) => relation && wanted.has(name)).map(({ name }) => name);
    if (there.length > 0) {
      const names = there
        .slice(0, 20)
        .map((name) => `"${printable(name)}"`)
        .join(", ");
      throw new EngineError(
        "target_not_empty",
        `the target database has tables of the same name already: ${names}${there.length > 20 ? ` and ${there.length - 20} more` : ""}; drop them or name an empty database`,
      );
    }
    return { versionText: server.version, taken: rows.map(({ name }) => name) };
  } catch (error) {
    await fence.drop();
    throw error;
  }
}

/** In transactions of some hundred statements: each object takes locks. */
const batch = 100;

export async function makeTables(session: Writer, fence: Fence<Writer>, plans: readonly TablePlan[]): Promise<void> {
  for (let start = 0; start < plans.length; start += batch) {
    const some = plans.slice(start, start + batch);
    await fenced(session, fence, async () => {
      await fence.record(
        session,
        some.flatMap(({ made }) => made),
      );
      for (const plan of some) await make(session, plan);
    });
  }
}

export async function remakeTable(
  session: Writer,
  fence: Fence<Writer>,
  before: TablePlan,
  after: TablePlan,
): Promise<void> {
  await fenced(session, fence, async () => {
    await fence.record(session, after.made);
    await session.run(before.drop.join("; "));
    await make(session, after);
  });
}

async function make(session: Writer, plan: TablePlan): Promise<void> {
  try {
    await session.run(plan.create.join("; "));
  } catch (error) {
    const cause = error instanceof EngineError ? error.cause : error;
    throw engineError(cause, session.place, `creating table ${printable(plan.name)}`);
  }
}
