import type { CopyOptions, MadeObject } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Traits } from "../../../mysql/definitions/dialect.ts";
import { literal, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { refuseOthersWork } from "../../../mysql/fence/others-work.ts";
import { fenceTableName } from "../../../mysql/fence/table.ts";
import { codeInTheWay, refuseReferences } from "../../../mysql/target/name-conflicts.ts";
import { isNamed, refuseUnknownDrops, TargetNotEmptyError } from "../../../run/fence/drop-option.ts";
import { eachOnce } from "../../../run/fence/fence.ts";
import { giveBack } from "../../../run/fence/give-back.ts";
import type { ResumedTables } from "./resume.ts";
import type { CopyRun } from "./run.ts";
import type { SourceTexts } from "./source.ts";

/** The target before the first write: what this owner made earlier is dropped, what others made is respected. */
export interface TargetDatabase extends Traits {
  database: string;
  /** Accounts as `user@host`; undefined where they may not be read. */
  accounts: ReadonlySet<string> | undefined;
  /** The account that we are, as `user@host`. */
  self: string;
  charset: string;
  collation: string;
}

export async function readTarget(session: Session, database: string): Promise<TargetDatabase> {
  const { server } = session;
  const collations = await session.query(
    server.maria && server.version >= 101000
      ? "SELECT FULL_COLLATION_NAME FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY"
      : "SELECT COLLATION_NAME FROM information_schema.COLLATIONS",
  );
  const engines = await session.query(
    "SELECT ENGINE FROM information_schema.ENGINES WHERE SUPPORT IN ('YES', 'DEFAULT')",
  );
  const [[self = ""] = []] = await session.query("SELECT CURRENT_USER()");
  const [[charset, collation] = []] = await session.query(
    `SELECT DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ${literal(database)}`,
  );
  return {
    server,
    database,
    collations: new Set(collations.map(([name]) => name ?? "")),
    engines: new Set(engines.map(([name]) => (name ?? "").toUpperCase())),
    accounts: await readAccounts(session),
    self: self ?? "",
    charset: charset ?? "",
    collation: collation ?? "",
  };
}

/** As `user@host`; undefined where they may not be read. */
export async function readAccounts(session: Session): Promise<ReadonlySet<string> | undefined> {
  try {
    const rows = await session.query("SELECT User, Host FROM mysql.user");
    return new Set(rows.map(([user, host]) => `${user}@${host}`));
  } catch (error) {
    if (errorNumber(error) === undefined) throw error;
    return undefined;
  }
}

interface Clearing {
  /** Names that the copy will give to tables, views, sequences. */
  relations: readonly string[];
  /** Other objects that it will make. */
  others: readonly { kind: string; name: string }[];
  drop: readonly string[];
  content: NonNullable<CopyOptions["content"]>;
  /** All goes that the run made, with whatever stands on it. */
  reset: boolean;
  /** What stays of what this owner made earlier. */
  kept: Pick<ResumedTables, "tables" | "part" | "object">;
  log(message: string): void;
}

export function clearing(
  { request, hooks, catalogue, prefix }: CopyRun,
  source: SourceTexts,
  kept: ResumedTables,
): Clearing {
  return {
    relations: [
      ...catalogue.tables.flatMap(({ name }) => (kept.tables.has(name) ? [] : [prefix + name])),
      ...(prefix === "" ? source.codes.filter(({ kind }) => kind === "view").map(({ name }) => name) : []),
      ...source.sequences.map(({ name }) => name),
    ],
    others: prefix === "" ? source.codes.filter(({ kind }) => kind !== "view") : [],
    drop: request.options.drop ?? [],
    content: request.options.content ?? "all",
    kept,
    reset: request.reset,
    log: (message) => hooks.log("info", message),
  };
}

/**
 * Drops (with content `data`: empties) what the options name. Errors: `target_not_empty` names what stands in the way;
 * until something was made, the fence is taken away again with it.
 */
export async function clearTarget(
  session: Session,
  fence: MysqlFence,
  database: string,
  earlier: readonly MadeObject[],
  { relations, others, drop, content, kept, reset, log }: Clearing,
): Promise<void> {
  const gone = eachOnce([...earlier, ...(await fence.made())]).filter(({ kind, name }) => !kept.object(kind, name));
  if (!reset) await refuseOthersWork(session, fence, database, gone, drop);
  await fence.clean(gone, kept.part);
  const wanted = new Set(relations);
  const there = (
    await session.query(
      `SELECT TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${literal(database)}`,
    )
  ).filter(([name]) => name !== fenceTableName);
  const named = (name: string) => isNamed(drop, database, name);
  const inTheWay = there.filter(([name]) => wanted.has(name ?? ""));
  try {
    const known = [...there.map(([name]) => name ?? ""), ...relations];
    refuseUnknownDrops(
      drop,
      known.map((name) => ({ schema: database, name })),
    );
    if (content === "data") return;
    const refused = inTheWay.filter(([name]) => !named(name ?? "")).map(([name]) => `"${printable(name ?? "")}"`);
    const going = new Set(inTheWay.flatMap(([name]) => (named(name ?? "") ? [name ?? ""] : [])));
    refused.push(...(await codeInTheWay(session, database, others, going)));
    if (refused.length > 0) throw new TargetNotEmptyError(refused);
    await refuseReferences(
      session,
      database,
      inTheWay.map(([name]) => name ?? ""),
    );
  } catch (error) {
    await giveBack(fence)(error);
  }
  for (const [name, type] of inTheWay) {
    await fence.guard(session);
    const what = type === "VIEW" ? "VIEW" : type === "SEQUENCE" ? "SEQUENCE" : "TABLE";
    await session.run(`DROP ${what} ${qualified(database, name ?? "")}`);
    log(`${what.toLowerCase()} ${name ?? ""} was dropped from the target, as options.drop says`);
  }
}
