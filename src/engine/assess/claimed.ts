import { readOthersClaims as ofMysql } from "../mysql/fence/claim-rows.ts";
import { readOthersClaims as ofPostgres } from "../postgres/fence/claim-rows.ts";
import { everything, type NameClaim, takenName } from "../run/fence/claims.ts";
import { claimedByOther, type OthersClaim, targetInUse } from "../run/fence/fence.ts";
import type { OpenedDatabase } from "../run/open-database.ts";
import type { ReportFinding } from "./finding.ts";
import { shortList } from "./mysql/index.ts";
import { reportRefused } from "./name-conflicts.ts";

/** What other runs that go on in the target, or wait to be gone on with, keep for themselves there. */
export type Claimed = readonly OthersClaim[];

/** In the schema or database that is connected to: an assessment does not look where else. */
const table = "_rowferry";

/** A run that claims everything is a blocker whatever is copied. */
export async function readClaimed(
  target: OpenedDatabase,
  database: string,
  owner: string | undefined,
  report: ReportFinding,
): Promise<Claimed> {
  if (owner === undefined) return [];
  let claimed: Claimed = [];
  await reportRefused(report, "_rowferry", async () => {
    claimed =
      target.engine === "mysql"
        ? await ofMysql(target.session, database, owner)
        : await ofPostgres(target.session, owner);
    const whole = claimed.find(({ kind }) => kind === everything.kind);
    if (whole !== undefined) throw targetInUse({ ...whole, table });
  });
  return claimed;
}

/** Blockers for what the copy makes and another run has claimed. Answers what is left. */
export function reportClaimed<Wanted extends NameClaim>(
  claimed: Claimed,
  wanted: readonly Wanted[],
  report: ReportFinding,
): Wanted[] {
  const taken = new Map(claimed.map((one) => [takenName(one), one]));
  const theirs = wanted.flatMap((one) => taken.get(takenName(one)) ?? []);
  for (const owner of new Set(theirs.map((one) => one.owner))) {
    const some = theirs.filter((one) => one.owner === owner);
    const { reason, fix } = claimedByOther({ table, owner, ownerName: some[0]?.ownerName });
    report("blocker", "target_in_use", shortList(some.map(({ name }) => name)), reason, fix);
  }
  return wanted.filter((one) => !taken.has(takenName(one)));
}
