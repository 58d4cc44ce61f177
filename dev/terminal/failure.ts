// An error for the person at the terminal: what is wrong, and what to do next.

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
