import type { RunCode } from "../contract/codes/index.ts";
import { type CopyHooks, type CopyRequest, EngineError } from "../contract/index.ts";
import type { FoundRun } from "../run/fence/fence.ts";
import { watchBeginning } from "../run/watchdog/beginning.ts";
import { findingText } from "./finding.ts";
import type { Assessment, AssessRequest } from "./index.ts";
import { loginError } from "./login-error.ts";

/**
 * Reports blockers before the first write. Only at a run's beginning: what an earlier attempt made would look like another's tables.
 */
export interface Assessor {
  assess(request: AssessRequest, hooks: Pick<CopyHooks, "signal" | "log">): Promise<Assessment>;
  foundRuns(target: CopyRequest["target"], signal: AbortSignal): Promise<FoundRun[]>;
}

/** What the copy itself would meet at its first step, in the same words. */
const sameForTheCopy: ReadonlySet<string> = new Set<RunCode>([
  "access_denied",
  "address_refused",
  "database_not_found",
  "host_not_found",
  "tls_failed",
  "tls_required",
  "option_unmatched",
  "option_invalid",
  "protocol_error",
  "same_database",
  "target_in_use",
]);

/** A lock that an assessment does not wait for is one that the copy waits for, and tells who holds it. */
const isForTheCopy = ({ code, retryable }: EngineError): boolean =>
  (retryable && code !== "lock_timeout") || sameForTheCopy.has(code);

/** Errors: EngineError with the first blocker's code. Undefined where the run has begun before, or nothing could be learnt. */
export async function assessFirst(
  request: CopyRequest,
  hooks: Pick<CopyHooks, "signal" | "log">,
  { assess, foundRuns }: Assessor,
  found: (assessment: Assessment) => void,
): Promise<void> {
  // A reset that finds nothing to drop is a beginning too, as in a target that was named in place of another one.
  if (request.reset && (request.made ?? []).length > 0) return;
  const beginning = watchBeginning(hooks.signal, request.options.stall_timeout);
  const { signal } = beginning;
  try {
    const runs = await beginning.hear(() => foundRuns(request.target, signal).catch(ofTarget));
    if (runs.some(({ owner }) => owner === request.owner)) return;
    hooks.log("info", "Checking both databases for blockers before the first write");
    // Blockers end the run with all of their words: told twice they would look like two.
    const log: CopyHooks["log"] = (level, words) => void (level === "error" || hooks.log(level, words));
    const assessment = await beginning.hear(() => assess(request, { signal, log }));
    found(assessment);
    refuse(assessment);
  } catch (caught) {
    hooks.signal.throwIfAborted();
    const error = beginning.explain(caught);
    if (error instanceof Blocked) throw new EngineError(error.code, error.message);
    if (error instanceof EngineError && (error.ofLogin || isForTheCopy(error))) throw error;
    const why = error instanceof Error ? error.message : String(error);
    hooks.log("warning", `The check for blockers failed, and the copy starts without it: ${why}`);
  } finally {
    beginning.over();
  }
}

/** Without rights in the target's database no copy can look for its own table either. */
function ofTarget(error: unknown): never {
  throw error instanceof EngineError && error.code === "permission_denied" ? loginError(error) : error;
}

class Blocked extends Error {
  readonly code: RunCode;
  constructor(code: RunCode, message: string) {
    super(message);
    this.code = code;
  }
}

function refuse({ findings }: Assessment): void {
  const blockers = findings.filter((finding) => finding.severity === "blocker");
  const [first] = blockers;
  if (first === undefined) return;
  const said = blockers
    .map((finding) => `${findingText(finding)}${finding.fix === "" ? "" : ` (${finding.fix})`}`)
    .map((words) => words.replaceAll("; nothing was written", ""));
  throw new Blocked(first.code, `nothing was written, since the copy would fail: ${said.join("; ")}`);
}
