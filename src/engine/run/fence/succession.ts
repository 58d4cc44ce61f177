import { EngineError } from "../../contract/index.ts";

/** One worker of a run after another, where the engines share a rule: a worker's sessions, and the end of its predecessor's. */

export const superseded = (): EngineError =>
  new EngineError("superseded", "the same run was started again elsewhere and has taken over the target");

/** Milliseconds for which a predecessor's sessions are waited for. */
export const predecessorPatienceMs = 60_000;
const lookEveryMs = 20;

export const stillAlive = (cause?: unknown): EngineError =>
  new EngineError("predecessor_alive", "sessions of an earlier attempt of this run could not be ended on the target", {
    retryable: true,
    cause,
  });

/** Calls `end` until it answers that no session is left. `why`: one could not be ended. Errors: `predecessor_alive`. */
export async function endAll(
  end: () => Promise<{ left: number; why?: unknown }>,
  patienceMs: number = predecessorPatienceMs,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { left, why } = await end();
    if (left === 0) return;
    if (performance.now() > deadline) throw stillAlive(why);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

/** The fence's own session is idle for hours and may be lost: its work is repeatable, so it is tried twice. */
export function ownSession<S extends { end(): Promise<void> }>(first: S, open: () => Promise<S>) {
  let session: S | undefined = first;
  const close = async () => {
    await session?.end();
    session = undefined;
  };
  return {
    current: (): S | undefined => session,
    close,
    async use<T>(work: (session: S) => Promise<T>): Promise<T> {
      try {
        session ??= await open();
        return await work(session);
      } catch (error) {
        if (!(error instanceof EngineError) || error.code !== "connection_lost") throw error;
        await close();
        session = await open();
        return work(session);
      }
    },
  };
}
