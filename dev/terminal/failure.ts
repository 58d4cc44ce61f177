// An error for the person at the terminal: what is wrong, and what to do next.
import { isStopped } from "./run.ts";

export class Failure extends Error {
  /** One or two sentences in the imperative. */
  readonly next: string;
  constructor(message: string, next: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Failure";
    this.next = next;
  }
}

export const failure = (message: string, next: string, options?: ErrorOptions): Failure =>
  new Failure(message, next, options);

/** What a failed or interrupted command could not remove. It is shown also after an interrupt. */
export class CleanupFailed extends Failure {}

/**
 * Cleans up after `error`, and rejects with it; where that fails too, with a CleanupFailed that has both. `what`: what is left,
 * as a sentence without its full stop; `next`: how to remove it.
 */
export const afterFailure = async (
  error: unknown,
  what: string,
  next: string,
  clean: () => Promise<unknown>,
): Promise<never> => {
  try {
    await clean();
  } catch (failed) {
    const message = (one: unknown): string => (one instanceof Error ? one.message : String(one));
    const first = isStopped(error) ? "" : `, after: ${message(error)}`;
    throw new CleanupFailed(`${what}: ${message(failed)}${first}`, next);
  }
  throw error;
};

/** Throws where something failed: how many, and the first. `repeat`: how to repeat one, as the next step. */
export const throwIfAny = (failures: readonly string[], repeat: string): void => {
  const [first] = failures;
  if (first === undefined) return;
  const line = first.split("\n")[0] ?? "";
  throw failure(
    failures.length === 1 ? `1 failure: ${line}` : `${failures.length} failures, the first: ${line}`,
    repeat,
  );
};

/** The next step after ENOSPC and EDQUOT. */
export const diskFull = "Free space on the disk (`df -h` shows which one is full), then run the command again.";

/** The next step that an error or one of its causes names, or that follows from the system's code. */
export const nextStep = (error: unknown): string | undefined => {
  if (error instanceof Failure) return error.next;
  if (!(error instanceof Error)) return undefined;
  if (["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")) return diskFull;
  return error.cause === undefined ? undefined : nextStep(error.cause);
};
