import { ArchiveError } from "../../cluster/index.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { findMigration } from "./find.ts";
import { archivedReport, type LargeText, type ReportOwner } from "./view/archive.ts";
import { shownState } from "./view/shown.ts";

/**
 * The verification report of the last completed run, as the engine wrote it (docs/report.md): its JSON, to be read piece by piece; names in it
 * are data, byte for byte. Throws Problem `state_conflict` before there is one, `not_found` where it was deleted or changed, or is too large to be kept or served,
 * `other_team`, `unavailable` where it is in a bucket that does not answer.
 */
export async function readReportOf(world: World, caller: Caller, id: string): Promise<LargeText> {
  const migration = await findMigration(world, caller, id);
  return reportOf(world, caller, migration, { noun: "run", state: shownState(migration) });
}

/** Likewise of a migration or a restore in this state, which `noun` names. */
export async function reportOf(
  world: World,
  caller: Caller,
  of: ReportOwner,
  { noun, state }: { noun: "run" | "restore"; state: string | undefined },
): Promise<LargeText> {
  const place = reportPlace(state, of.status);
  if (state !== "completed" && (state !== "failed" || place === undefined))
    throw new Problem(
      "state_conflict",
      state === "failed"
        ? `There is no report: the ${noun} failed${noun === "run" ? ", and none completed before" : ""}. Its \`error\` and its log have the cause.`
        : "The report is not available yet. It is available when the status is `completed`.",
    );
  const text = await archivedReport(world, caller, of, place).catch((error: unknown) => {
    throw error instanceof ArchiveError ? new Problem("not_found", error.message, { cause: error }) : error;
  });
  if (text === undefined)
    throw new Problem("not_found", `The report of this ${noun} was deleted, or is too large to be kept or served.`);
  return text;
}

/**
 * Name of the report to show. After a run that failed, such as a reset that could drop nothing, it is that of the last completed run,
 * whose copy may still be in the target.
 */
export function reportPlace(state: string | undefined, status: ReportOwner["status"] = {}): string | undefined {
  return state === "failed" ? status.madeIn : status.report?.configMap;
}
