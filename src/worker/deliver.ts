import { backoff, sleep } from "./backoff.ts";
import type { OperatorResponse } from "./operator-client.ts";

/**
 * Repeats a call until the operator has answered it. Undefined: the signal or the deadline ended it, and nothing is known.
 * `tell` hears of each failure that begins or changes, not of each repetition.
 */
export async function untilDelivered<T>(
  call: (signal: AbortSignal) => Promise<OperatorResponse<T>>,
  signal: AbortSignal,
  random: () => number,
  tell: (why: string) => void,
): Promise<Exclude<OperatorResponse<T>, { kind: "unreachable" }> | undefined> {
  const wait = backoff(250, 10_000, random);
  let told = "";
  while (!signal.aborted) {
    const answer = await call(signal);
    if (answer.kind !== "unreachable") return answer;
    if (answer.why !== told && !signal.aborted) tell(answer.why);
    told = answer.why;
    await sleep(wait(), signal);
  }
  return undefined;
}
