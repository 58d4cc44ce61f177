import type { Assessment, AssessRequest } from "../engine/assess.ts";
import type { CopyHooks } from "../engine/contract.ts";
import { durationText, sizeText } from "../guard/words.ts";
import type { Parsed } from "./command.ts";
import { openBoth } from "./databases.ts";
import { exitCodes } from "./exit.ts";
import { wordsWithFlags } from "./flag-words.ts";
import { placeOf } from "./identity.ts";
import type { Context } from "./io.ts";
import type { Answer } from "./main.ts";
import type { Voice } from "./voice.ts";

/** `rowferry assess SRC DST`: what a copy would meet. A blocker is an answer too, with the exit code of a failure. */
export async function runAssess(
  parsed: Parsed,
  context: Context,
  voice: Voice,
  assess: (request: AssessRequest, hooks: Pick<CopyHooks, "signal" | "log">) => Promise<Assessment>,
): Promise<Answer> {
  const { source, target } = await openBoth(parsed, context, voice);
  voice.log("info", `Assessing a copy of ${placeOf(source)} to ${placeOf(target)}`);
  // Its findings stand in the answer, in their order; told one by one they would be there twice.
  const hooks = { signal: context.signal, log: () => undefined };
  const found = await assess({ source, target, options: parsed.options }, hooks);
  const clean = (words: string) => context.redactor.clean(wordsWithFlags(words));
  const findings = found.findings.map((one) => ({ ...one, reason: clean(one.reason), mend: clean(one.mend) }));
  const objects = found.objects.map((one) =>
    one.note === undefined ? one : { ...one, note: wordsWithFlags(one.note) },
  );
  const assessment = { ...found, findings, objects };
  return {
    body: { assessment },
    text: textOf(assessment),
    ...(assessment.ready ? {} : { outcome: "blocked", exitCode: exitCodes.failed }),
  };
}

const marks = { blocker: "BLOCKER", warning: "warning", note: "note" } as const;
const number = (value: number) => value.toLocaleString("en-US");
const mostNamed = 20;

function textOf({ ready, source, target, findings, objects, estimate, samples }: Assessment): string {
  const { least, most } = estimate.seconds;
  const lost = objects.filter(({ outcome }) => outcome === "reported");
  const become = (["copied", "converted", "reported", "not_applicable"] as const)
    .map((outcome) => [outcome, objects.filter((one) => one.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${number(count)} ${outcome.replace("_", " ")}`);
  const named = lost
    .slice(0, mostNamed)
    .map(({ kind, name, note }) => `  ${kind} ${name}${note === undefined ? "" : `: ${note}`}`);
  const free = target.free === null ? "" : `, ${sizeText(target.free)} free`;
  return `${[
    ready ? "Ready: nothing that was found stands in the way." : "Not ready: see the blockers.",
    "",
    `  Source     ${source.engine} ${source.version}: ${sizeText(source.size)}, ${number(source.tables)} tables, about ${number(source.rows)} rows`,
    `  Target     ${target.engine} ${target.version}: ${target.empty ? "empty" : "not empty"}${free}`,
    `  Estimate   ${durationText(least)} to ${durationText(most)} (${estimate.basis})`,
    `  Objects    ${become.join(", ") || "none"}`,
    ...(samples.length === 0 ? [] : [`  Looked at  ${samples.join("; ")}`]),
    ...(findings.length === 0 ? [] : [""]),
    ...findings.map(
      ({ severity, object, reason, mend }) =>
        `${marks[severity].padEnd(8)} ${object}: ${reason}${mend === "" ? "" : `\n         → ${mend}`}`,
    ),
    ...(lost.length === 0 ? [] : ["", "Would not be carried over:", ...named]),
    ...(lost.length > mostNamed ? [`  and ${number(lost.length - mostNamed)} more (--json)`] : []),
  ].join("\n")}\n`;
}
