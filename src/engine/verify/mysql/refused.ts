import type { SourceTable } from "../../mysql/catalogue/catalogue.ts";
import { endOfDefault, positionOf } from "../../mysql/definitions/definition.ts";
import { qualified } from "../../mysql/driver/names.ts";
import type { Session } from "../../mysql/driver/session.ts";
import { errorNumber } from "../../mysql/driver/write-session.ts";
import type { ComparedObject } from "../same-engine.ts";
import type { Crossing } from "./crossing.ts";

/**
 * Checks and defaults that the other kind of server has no words for: a copy reports them, and so the target's lack of them
 * is no difference. The target is asked by a query that reads no row.
 */
export interface UntranslatedObject {
  kind: "check" | "column";
  /** As the object is named. */
  name: string;
  table: string;
  /** In the words that a copy gives to the target; undefined: it gives none. */
  expression: string | undefined;
  /** Why a check is not in the target. */
  why: string;
}

const notTaken = "the target's server does not take its expression";

/** Of the source's table `table`, whose objects are named `of.…`. */
export function untranslatedOf(
  { translated }: Crossing,
  { checks }: SourceTable,
  table: string,
  of: string,
): UntranslatedObject[] {
  return (translated?.items ?? []).flatMap(({ source, text }): UntranslatedObject[] => {
    const { kind, name } = source;
    if ((kind === "period" || kind === "check") && text === undefined) {
      const why = translated?.notes.find(({ item }) => item === source)?.note ?? notTaken;
      // MariaDB tells a period's order as a check.
      const called = kind === "period" ? checks.find(({ period }) => period === name)?.name : name;
      return [{ kind: "check", name: `${of}.${called ?? name}`, table, expression: undefined, why }];
    }
    if (text === undefined) return [];
    const at = kind === "check" ? positionOf(text, " CHECK ") : kind === "column" ? positionOf(text, " DEFAULT (") : -1;
    if (at < 0) return [];
    const start = at + (kind === "check" ? " CHECK " : " DEFAULT ").length;
    const expression = kind === "check" ? text.slice(start) : text.slice(start, endOfDefault(text, start));
    return [{ kind: kind === "check" ? "check" : "column", name: `${of}.${name}`, table, expression, why: notTaken }];
  });
}

/** `tables`: the source's → the target's. */
export async function excuseRefused(
  doubts: readonly UntranslatedObject[],
  ours: readonly ComparedObject[],
  theirs: readonly ComparedObject[],
  target: { session: Session; database: string; tables: ReadonlyMap<string, string> },
): Promise<void> {
  const there = new Map(theirs.map((one) => [`${one.kind} ${one.name}`, one]));
  for (const { kind, name, table, expression, why } of doubts) {
    const one = ours.find((seen) => seen.kind === kind && seen.name === name);
    const other = there.get(`${kind} ${name}`);
    const given = target.tables.get(table);
    if (one === undefined || given === undefined) continue;
    if (kind === "check" ? other !== undefined : defaultOf(other) !== "") continue;
    if (expression !== undefined && !(await refuses(target.session, expression, qualified(target.database, given))))
      continue;
    if (kind === "check") one.may = why;
    // Listed as undecided then: who looks finds that there is none.
    for (const particular of one.aspects)
      if (kind === "column" && particular.aspect === "default") particular.settled = false;
  }
}

const defaultOf = (seen: ComparedObject | undefined): string =>
  seen?.aspects.find(({ aspect }) => aspect === "default")?.value ?? "";

async function refuses(session: Session, expression: string, table: string): Promise<boolean> {
  try {
    await session.query(`SELECT ${expression.replace(/\) NOT ENFORCED\s*$/, ")")} FROM ${table} LIMIT 0`);
    return false;
  } catch (error) {
    if (errorNumber(error) === undefined) throw error;
    return true;
  }
}
