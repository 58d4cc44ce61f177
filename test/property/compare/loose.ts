import type { InventoryEntry } from "../../../src/engine/contract/index.ts";
import { isPostgres, sql } from "../../chaos/contents.ts";
import type { Column, Table } from "../table.ts";
import { checkViolations, differs, insertion, isLost, isNamedLast, literal, notCopied } from "./said.ts";
import type { Found, Stop } from "./stop.ts";

/** Constraints that are not enforced, or not valid: they refuse no more and no fewer rows than in the source. */

export const isKeyLost = (stop: Stop, references: NonNullable<Column["references"]>): boolean =>
  references.loose !== undefined &&
  isLost(
    stop,
    references,
    references.constraint,
    /constraint|foreign|check/,
    (entry) => isAbsent(entry) && isNamedLast(entry.name, references.constraint),
  );

/** A key that rows of the source break is reported, and there. A check may have the key's name in its own. */
const isAbsent = (entry: InventoryEntry): boolean =>
  notCopied(entry) &&
  !/^CHECK/i.test(entry.definition ?? "") &&
  !/was added (?:without a check|NOT VALID)/.test(entry.note ?? "");

/** A check that is not enforced lets every row pass and is in the catalogue; one that is not valid refuses new rows. */
export async function compareLoose(stop: Stop, table: Table, found: Found): Promise<void> {
  const loose = table.checks.filter((check) => check.loose !== undefined);
  const kept = loose.filter((check) => !isLost(stop, check, check.name, /check|constraint/, notCopied));
  const idle = kept.filter((check) => check.loose === "NOT ENFORCED");
  if (idle.length > 0) {
    const [row] = await sql(
      stop.place,
      isPostgres(stop.place)
        ? `SELECT count(*)::text FROM pg_constraint WHERE contype = 'c' AND NOT conenforced AND conrelid = E${literal(found.from)}::regclass`
        : `SELECT count(*) FROM information_schema.TABLE_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() AND CONSTRAINT_TYPE = 'CHECK' AND ENFORCED = 'NO' AND TABLE_NAME = ${literal(found.name)}`,
    );
    if (Number(row?.[0]) !== idle.length)
      throw differs(stop, table, idle[0]?.name ?? "", `${row?.[0]} checks that are not enforced, not ${idle.length}`);
  }
  if (table.rows.length === 0) return;
  for (const { name, loose: way, refused } of kept) {
    const error = await sql(stop.place, insertion(stop, table, found, refused)).then(
      () => undefined,
      (failure: { code?: unknown; errno?: unknown }) => failure,
    );
    const violated = checkViolations.includes(error?.errno ?? error?.code);
    if (error !== undefined && !violated) throw error;
    if (violated !== (way === "NOT VALID"))
      throw differs(stop, table, name, `check ${JSON.stringify(name)} (${way}) and the number ${refused}: ${error}`);
  }
}
