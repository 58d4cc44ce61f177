import { assessFirst } from "../engine/assess/assess-first.ts";
import { findingText } from "../engine/assess/finding.ts";
import type { Assessment } from "../engine/assess/index.ts";
import type { RunCode } from "../engine/contract/codes/index.ts";
import { type CopyReport, EngineError } from "../engine/contract/index.ts";
import { hasReached } from "../engine/contract/phase.ts";
import { cleanReport } from "../engine/report/clean.ts";
import { reportSummary } from "../engine/report/text.ts";
import { counted } from "../guard/text.ts";
import type { Parsed } from "./command.ts";
import { openBoth } from "./databases.ts";
import type { CliEngine } from "./engine.ts";
import { commandFailure, ResultNotWritten } from "./exit.ts";
import { messageWithFlags, withFlags } from "./flags/messages.ts";
import { placeOf, runName, runOf } from "./identity.ts";
import type { CommandContext, CommandResult } from "./io.ts";
import { openReports, type Reports } from "./report-file.ts";
import type { Voice } from "./voice.ts";

/** `rowferry copy SRC DST`: looks what stands in the way, copies, verifies, stores the report, and only then removes the checkpoint. */
export async function runCopy(
  parsed: Parsed,
  context: CommandContext,
  voice: Voice,
  engine: Pick<CliEngine, "copy" | "assess" | "foundRuns">,
): Promise<CommandResult> {
  const { flags } = parsed;
  const files = { reports: flags.report ?? [], pages: flags.page ?? [] };
  const reports = await openReports(files, context.io);
  try {
    return await copyInto(reports, parsed, context, voice, engine);
  } finally {
    await reports.close();
  }
}

async function copyInto(
  reports: Reports,
  parsed: Parsed,
  context: CommandContext,
  voice: Voice,
  engine: Pick<CliEngine, "copy" | "assess" | "foundRuns">,
): Promise<CommandResult> {
  const { options, flags } = parsed;
  const { source, target } = await openBoth(parsed, context, voice);
  const run = runOf(source, target, flags.run, options);
  voice.log("info", `Copying ${placeOf(source)} to ${placeOf(target)} as run ${run}`);
  if (!(flags.report ?? []).some(isJson))
    voice.log("info", "To be able to reset the copy once it is complete, add --report FILE.json");
  try {
    const request = { owner: run, ownerName: runName(run, source, target), source, target, options, reset: false };
    const hooks = { ...voice, signal: context.signal };
    // What it warns of the copy tells again, once it knows more.
    const assess: CliEngine["assess"] = (asked, { signal }) =>
      engine.assess({ ...asked, unmeasured: true }, { signal, log: () => undefined });
    let assessed: Assessment | undefined;
    await assessFirst(request, hooks, { ...engine, assess }, (found) => {
      assessed = found;
    }).catch((error: unknown) => {
      throw Object.assign(error as Error, blockerLines(assessed));
    });
    const copied = await engine.copy(request, hooks);
    const report = withFlags(cleanReport(copied.report, context.redactor));
    // Stored before the checkpoint goes: what is lost here, the same command gets again without copying.
    const failed = await reports.write(report, `${placeOf(source)} to ${placeOf(target)}`);
    if (failed.length > 0)
      throw new ResultNotWritten(
        `the copy is complete and verified, but the report could not be written to ${failed.join(", nor to ")}; it is printed on stdout instead, and the same command writes it again without copying`,
        { run, report },
      );
    return {
      body: { run, report },
      text: `${reportSummary(report, { stored: (flags.report ?? []).length > 0 })}\n${storedIn(report, flags.report ?? [])}`,
      finish: copied.finish,
    };
  } catch (error) {
    if (error instanceof EngineError && error.report !== undefined)
      await storeDifferent(error.report, {
        reports,
        context,
        voice,
        place: `${placeOf(source)} to ${placeOf(target)}`,
      });
    advise(error, { run, target: placeOf(target), voice });
    throw Object.assign(error instanceof Error ? error : new Error(String(error)), { run });
  }
}

/** What was compared and found different is the reason to want the report. */
async function storeDifferent(
  found: CopyReport,
  { reports, context, voice, place }: { reports: Reports; context: CommandContext; voice: Voice; place: string },
): Promise<void> {
  const failed = await reports.write(withFlags(cleanReport(found, context.redactor)), place);
  if (failed.length > 0) voice.log("error", `The report could not be written to ${failed.join(", nor to ")}`);
}

const isJson = (path: string) => !/\.(html?|md)$/i.test(path);

const ofEarlierCopy =
  "If an earlier copy made them: rowferry reset TARGET, with --report FILE.json where that copy was complete.";

/** What stands in the way, one after the other as assess lists it; nothing where no blocker was found. */
function blockerLines(assessed: Assessment | undefined): { shown?: string } {
  const blockers = assessed?.findings.filter(({ severity }) => severity === "blocker") ?? [];
  if (blockers.length === 0) return {};
  const lines = blockers.flatMap(({ fix, ...finding }) => [
    `  ${messageWithFlags(findingText(finding))}`,
    ...(fix === "" ? [] : [`    → ${messageWithFlags(fix.replace(/; nothing was written$/, ""))}`]),
  ]);
  if (blockers.some(({ code }) => code === "target_not_empty")) lines.push(`  ${ofEarlierCopy}`);
  return { shown: `nothing was written: ${counted(blockers.length, "blocker")}\n${lines.join("\n")}` };
}

function storedIn({ made }: CopyReport, reports: readonly string[]): string {
  const json = reports.find(isJson);
  if (made.length === 0) return "";
  return json === undefined
    ? "\nWithout --report FILE.json the list of what was made is not kept, and a later reset cannot know it.\n"
    : `\nThe report is in ${json}; to drop what the copy made: rowferry reset TARGET --report ${json}\n`;
}

/** Of these nothing was made: they come before the first write. */
const beforeAnyWrite: ReadonlySet<string> = new Set<RunCode>([
  "option_unmatched",
  "option_invalid",
  "unsupported_option",
  "unsupported_version",
  "same_database",
  "target_not_empty",
  "target_in_use",
  "schema_differs",
]);

/** What a person can do now. A run that has written nothing yet leaves nothing to speak of. */
function advise(error: unknown, { run, target, voice }: { run: string; target: string; voice: Voice }): void {
  const { code, retryable } = commandFailure(error);
  if (!hasReached(voice.reached()) || beforeAnyWrite.has(code)) return;
  if (error instanceof ResultNotWritten) return;
  if (code === "superseded") {
    voice.log("info", "Wait until the other one ends: the same command here would take over from it.");
    return;
  }
  const again = retryable
    ? "Run the same command again to resume: finished tables are kept if they are still equal to the source."
    : "Once the cause is fixed, run the same command again: tables that were finished are kept if they are still as in the source.";
  voice.log("info", `${again} To drop what was made: rowferry reset ${target} --run ${run}`);
}
