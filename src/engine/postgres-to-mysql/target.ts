import { type CopyOptions, EngineError } from "../contract.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { makeTable } from "../mysql/making.ts";
import { literal, qualified } from "../mysql/names.ts";
import type { Session } from "../mysql/session.ts";
import { printable } from "../postgres/names.ts";
import type { TablePlan } from "./plan.ts";
import type { TargetFacts } from "./scheme.ts";

/** The target before the first write: what is there, what it can do. */

export async function readFacts(session: Session, database: string): Promise<TargetFacts> {
  const { maria, version } = session.server;
  const oldest = maria ? 100_300 : 80_023;
  if (version < oldest)
    throw new EngineError(
      "unsupported_version",
      `the target is ${maria ? "MariaDB" : "MySQL"} ${session.server.versionText}: ${maria ? "MariaDB 10.3" : "MySQL 8.0.23"} is the oldest that can be copied into`,
    );
  const [[fold] = []] = await session.query("SELECT @@lower_case_table_names");
  const relations = await session.query(
    `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${literal(database)}`,
  );
  const constraints = await session.query(
    `SELECT CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ${literal(database)} AND CONSTRAINT_TYPE IN ('FOREIGN KEY', 'CHECK')`,
  );
  return {
    maria,
    version,
    database,
    exact: fold === "0",
    relations: relations.map(([name]) => name ?? ""),
    constraints: constraints.map(([name]) => name ?? ""),
  };
}

/**
 * What of the target stands in the way and may be dropped. Errors: `target_not_empty` names the first tables that may
 * not, `option_unmatched` names of `drop` that are no table of the target.
 */
export function tablesToDrop(
  { relations, database, exact }: TargetFacts,
  wanted: readonly string[],
  drop: CopyOptions["drop"] = [],
): string[] {
  const fold = (name: string) => (exact ? name : name.toLowerCase());
  const names = new Set(wanted.map(fold));
  const inTheWay = relations.filter((name) => names.has(fold(name)));
  const named = (name: string) => drop.some((one) => one === name || one === `${database}.${name}`);
  const lost = drop.filter((one) => !relations.some((name) => one === name || one === `${database}.${name}`));
  if (lost.length > 0)
    throw new EngineError(
      "option_unmatched",
      `options.drop names what is no table of the target: ${lost
        .slice(0, 5)
        .map((one) => JSON.stringify(one))
        .join(", ")}`,
    );
  const refused = inTheWay.filter((name) => !named(name));
  if (refused.length > 0) {
    const words = refused.slice(0, 20).map((name) => `"${printable(name)}"`);
    throw new EngineError(
      "target_not_empty",
      `the target database has tables of the same name already: ${words.join(", ")}${refused.length > 20 ? ` and ${refused.length - 20} more` : ""}; drop them, name them in options.drop, or name an empty database`,
    );
  }
  return inTheWay;
}

export const nameOf = (plan: TablePlan): [string, string] => [plan.load.database, plan.name];

export const makePlanned = (session: Session, fence: MysqlFence, plan: TablePlan): Promise<void> =>
  makeTable(session, fence, nameOf(plan), (comment) => plan.create(comment));

/** Empty again, in another shape: the table is dropped and made. */
export async function remakePlanned(session: Session, fence: MysqlFence, plan: TablePlan): Promise<void> {
  await fence.guard(session);
  await session.run(`DROP TABLE ${qualified(...nameOf(plan))}`);
  await makePlanned(session, fence, plan);
}
