import { EngineError } from "../../../contract/index.ts";
import { engineName, mysqlEngine } from "../../../contract/text/engine-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import { literal, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { fenced, type MysqlFence } from "../../../mysql/fence/fence.ts";
import { markShapes } from "../../../mysql/fence/others-work.ts";
import { fenceTableName } from "../../../mysql/fence/table.ts";
import { createMarkedTable } from "../../../mysql/target/create.ts";
import { refuseReferences } from "../../../mysql/target/name-conflicts.ts";
import { isNamed, TargetNotEmptyError } from "../../../run/fence/drop-option.ts";
import { leniently, tooWide } from "../columns/row-size.ts";
import type { Relation, TargetFacts } from "../columns/scheme.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** The target before the first write: what is there, what it can do, and what of it has to go. */

/** Errors: `unsupported_version`. */
export function refuseOldTarget({ server }: Pick<Session, "server">): void {
  if (server.version >= (server.maria ? 100_300 : 80_023)) return;
  throw new EngineError(
    "unsupported_version",
    `the target is ${engineName(mysqlEngine(server))} ${server.versionText}: ${server.maria ? "MariaDB 10.3" : "MySQL 8.0.23"} is the oldest that can be copied into`,
  );
}

/** `ours`: names of tables that this owner made, which do not count as there. */
export async function readFacts(
  session: Session,
  database: string,
  ours: ReadonlySet<string> = new Set(),
): Promise<TargetFacts> {
  refuseOldTarget(session);
  const { maria, version } = session.server;
  const [[fold, zero] = []] = await session.query("SELECT @@lower_case_table_names, '-0' * 1e0");
  const others = ([name]: readonly (string | null)[]) => name !== fenceTableName && !ours.has(name ?? "");
  const relations = await session.query(
    `SELECT TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${literal(database)}`,
  );
  const constraints = await session.query(
    `SELECT TABLE_NAME, CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS
      WHERE CONSTRAINT_SCHEMA = ${literal(database)} AND CONSTRAINT_TYPE IN ('FOREIGN KEY', 'CHECK')`,
  );
  return {
    maria,
    version,
    database,
    exact: fold === "0",
    unsignedZero: zero === "0",
    relations: relations
      .filter(others)
      .map(([name, type]) => ({ name: name ?? "", kind: type === "VIEW" || type === "SEQUENCE" ? type : "TABLE" })),
    constraints: constraints.filter(others).map(([table, name]) => ({ table: table ?? "", name: name ?? "" })),
  };
}

/** The facts when these relations are gone. */
export function withoutRelations(facts: TargetFacts, gone: readonly Relation[]): TargetFacts {
  const names = new Set(gone.map(({ name }) => name));
  return {
    ...facts,
    relations: facts.relations.filter(({ name }) => !names.has(name)),
    constraints: facts.constraints.filter(({ table }) => !names.has(table)),
  };
}

/** What of the target stands in the way and may be dropped. Errors: `target_not_empty` names the first tables that may not. */
export function relationsToDrop(
  { relations, database, exact }: TargetFacts,
  wanted: readonly string[],
  drop: readonly string[],
): Relation[] {
  const fold = (name: string) => (exact ? name : name.toLowerCase());
  const names = new Set(wanted.map(fold));
  const inTheWay = relations.filter(({ name }) => names.has(fold(name)));
  const refused = inTheWay.filter(({ name }) => !isNamed(drop, database, name));
  if (refused.length > 0) throw new TargetNotEmptyError(refused.map(({ name }) => `"${printable(name)}"`));
  return inTheWay;
}

/** Drops what the options name, but nothing that a foreign key of another table refers to. Errors: `dependents_exist`. */
export async function dropNamed(
  session: Session,
  fence: MysqlFence,
  database: string,
  doomed: readonly Relation[],
  log: (message: string) => void,
): Promise<void> {
  await refuseReferences(
    session,
    database,
    doomed.map(({ name }) => name),
  );
  for (const { name, kind } of doomed) {
    await fence.guard(session);
    await session.run(`DROP ${kind} ${qualified(database, name)}`);
    log(`${kind.toLowerCase()} ${name} of the target was dropped, as options.drop says`);
  }
}

export const targetName = (plan: Pick<TablePlan, "load" | "name">): [string, string] => [plan.load.database, plan.name];

export const makePlanned = (session: Session, fence: MysqlFence, plan: TablePlan): Promise<void> =>
  leniently(session, plan.wide, () =>
    createMarkedTable(session, fence, targetName(plan), (comment) => plan.create(comment)),
  ).catch((error: unknown) => {
    throw tooWide(error, plan.source) ?? error;
  });

export const markMade = (session: Session, fence: MysqlFence, plans: readonly TablePlan[]): Promise<void> =>
  fenced(session, fence, async () => {
    for (const plan of plans)
      await markShapes(session, fence, plan.load.database, [
        { name: plan.name, later: [...plan.later, ...plan.functional].map(({ sql }) => sql) },
      ]);
  });

/** Empty again, in another shape: the table is dropped and made. */
export async function remakePlanned(session: Session, fence: MysqlFence, plan: TablePlan): Promise<void> {
  await fence.guard(session);
  await session.run(`DROP TABLE ${qualified(...targetName(plan))}`);
  await makePlanned(session, fence, plan);
}
