import type { CopyOptions } from "../../contract/index.ts";
import { quotedAccount, readRights } from "../../mysql/catalogue/rights.ts";
import { MysqlError } from "../../mysql/driver/errors.ts";
import { literal } from "../../mysql/driver/names.ts";
import type { Session } from "../../mysql/driver/session.ts";
import { definerMissing, definerNotAllowed, definerRequested, readAccounts } from "../../plan/mysql-mysql/index.ts";
import type { PlannedObject } from "../../plan/types.ts";
import { kindsOf } from "../../report/not-copied.ts";
import type { ReportFinding } from "../finding.ts";

/** Views, routines, triggers and events whose definer the copy cannot keep: they then run with another account's rights. */

const lists = (database: string) => `
  SELECT 'view', TABLE_NAME, DEFINER FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ${database}
  UNION ALL SELECT LOWER(ROUTINE_TYPE), ROUTINE_NAME, DEFINER FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ${database}
  UNION ALL SELECT 'trigger', TRIGGER_NAME, DEFINER FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ${database}
  UNION ALL SELECT 'event', EVENT_NAME, DEFINER FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ${database}`;

/** The objects with what becomes of their definers, as the copy says it. */
export async function withDefiners(
  { source, target, database }: { source: Session; target: Session; database: string },
  { definers = "keep" }: Pick<CopyOptions, "definers">,
  objects: readonly PlannedObject[],
  report: ReportFinding,
): Promise<PlannedObject[]> {
  const rows = await source.query(lists(literal(database)));
  const [[answer] = []] = await target.query("SELECT CURRENT_USER()");
  const self = answer ?? "";
  const others = new Map(
    rows.flatMap(([kind, name, definer]) => (definer === self ? [] : [[`${kind}\0${name}`, definer ?? ""] as const])),
  );
  const accounts = await readAccounts(target);
  const may = await mayNameOthers(target);
  const by = { self };
  const noteOf = (definer: string): string | undefined => {
    if (definers !== "keep") return definerRequested(by, definer);
    if (accounts?.has(definer) === false) return definerMissing(by, definer);
    return may ? undefined : definerNotAllowed(by, definer);
  };
  const lost = new Map<string, PlannedObject[]>();
  const planned = objects.map((object): PlannedObject => {
    const definer = others.get(`${object.kind}\0${object.name}`);
    const note = definer === undefined ? undefined : noteOf(definer);
    if (definer === undefined || note === undefined || !/copied|converted/.test(object.outcome)) return object;
    lost.set(definer, [...(lost.get(definer) ?? []), object]);
    return { ...object, outcome: "converted", note: object.note === undefined ? note : `${object.note}; ${note}` };
  });
  if (definers === "keep")
    for (const [definer, of] of lost)
      report(
        "warning",
        "definer_changes",
        `definer ${definer}`,
        `${kindsOf(of)} would get the definer ${self}, and then run with its rights`,
        accounts?.has(definer) === false
          ? "create the account in the target before the copy"
          : `GRANT ${anyDefiner(target)} ON *.* TO ${quotedAccount(self)}`,
      );
  return planned;
}

const anyDefiner = ({ server: { maria, version } }: Session): string =>
  maria ? "SET USER" : version >= 80_200 ? "SET_ANY_DEFINER" : "SET_USER_ID";

/** True where the server does not tell: the copy tries it. */
async function mayNameOthers(target: Session): Promise<boolean> {
  try {
    const rights = await readRights(target);
    return ["SUPER", "SET USER", "SET_ANY_DEFINER", "SET_USER_ID"].some((right) => rights.everywhere(right));
  } catch (error) {
    if (error instanceof Error && error.cause instanceof MysqlError) return true;
    throw error;
  }
}
