import type { Assessor } from "../engine/assess/assess-first.ts";
import type { Finding } from "../engine/assess/finding.ts";
import type { Assessment } from "../engine/assess/index.ts";
import type { RunCode } from "../engine/contract/codes/index.ts";
import type { FoundRun } from "../engine/run/fence/fence.ts";
import { assessmentText } from "./assess-text.ts";
import type { Parsed } from "./command.ts";
import { openBoth } from "./databases.ts";
import { exitCodes } from "./exit.ts";
import { messageWithFlags } from "./flags/messages.ts";
import { placeOf, runOf } from "./identity.ts";
import type { CommandContext, CommandResult } from "./io.ts";
import type { Voice } from "./voice.ts";

/** `rowferry assess SRC DST`: what a copy would meet, whose own leavings are not in its way. A blocker is an answer too, with the exit code of a failure. */
export async function runAssess(
  parsed: Parsed,
  context: CommandContext,
  voice: Voice,
  { assess, foundRuns }: Assessor,
): Promise<CommandResult> {
  const { source, target } = await openBoth(parsed, context, voice);
  voice.log("info", `Assessing a copy of ${placeOf(source)} to ${placeOf(target)}`);
  // Its findings stand in the answer, in their order; told one by one they would be there twice.
  const hooks = { signal: context.signal, log: () => undefined };
  const run = runOf(source, target, parsed.flags.run, parsed.options);
  const assessed = await assess({ source, target, options: parsed.options, owner: run }, hooks);
  const before = (await foundRuns(target, context.signal)).find(({ owner }) => owner === run);
  const found = before === undefined ? assessed : afterRun(assessed, before, run);
  const clean = (words: string) => context.redactor.clean(messageWithFlags(words));
  const findings = found.findings.map((one) => ({
    ...one,
    object: clean(one.object),
    reason: clean(one.reason),
    fix: clean(one.fix),
  }));
  const objects = found.objects.map((one) =>
    one.note === undefined ? one : { ...one, note: messageWithFlags(one.note) },
  );
  const assessment = { ...found, findings, objects };
  return {
    body: { assessment: shown(assessment) },
    text: assessmentText(assessment),
    ...(assessment.ready ? {} : { outcome: "blocked", exitCode: exitCodes.failed }),
  };
}

/** Fields in snake_case, as everything in JSON that the command line prints. */
function shown({ assessedAt, estimate: { latencyMs, ...estimate }, ...rest }: Assessment): object {
  return { ...rest, assessed_at: assessedAt, estimate: { ...estimate, latency_ms: latencyMs } };
}

/** What a run's own leavings look like to a copy that does not know them. */
const leavings = new Set<string>(["target_not_empty", "dependents_exist"] satisfies RunCode[]);

const ofItsOwn = (finding: Finding): Finding => ({
  ...finding,
  severity: "note",
  reason: `${finding.reason}: from an earlier attempt of this copy, unless somebody else made it since`,
  fix: "",
});

/** An assessment of a target that has this run's rows in `_rowferry`: the same copy goes on. */
function afterRun(assessed: Assessment, { finished }: FoundRun, run: string): Assessment {
  const findings: Finding[] = [
    ...assessed.findings.filter(({ code }) => !leavings.has(code)),
    ...assessed.findings.filter(({ code }) => leavings.has(code)).map(ofItsOwn),
    {
      severity: "note",
      code: "run_started",
      object: `run ${run}`,
      reason: finished
        ? "this copy is finished and verified, and its tables are in the target"
        : "this copy was started before, and its tables are in the target: the same command resumes it",
      fix: finished ? "the same command prints its report" : "to start again, drop its tables with rowferry reset",
    },
  ];
  return { ...assessed, findings, ready: findings.every(({ severity }) => severity !== "blocker") };
}
