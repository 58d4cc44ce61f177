import type { Assessment, AssessRequest } from "../engine/assess.ts";
import type { CopyHooks } from "../engine/contract.ts";
import { assessmentText } from "./assess-text.ts";
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
    text: assessmentText(assessment),
    ...(assessment.ready ? {} : { outcome: "blocked", exitCode: exitCodes.failed }),
  };
}
