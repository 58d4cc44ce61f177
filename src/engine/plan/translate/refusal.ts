/** What cannot be proven equal is refused by an error that the API turns into a reason; callers never see it thrown. */

class Refusal extends Error {}

/** Ends the translation. `reason` is read by a person after "not translated: ". */
export function refuse(reason: string): never {
  throw new Refusal(reason);
}

/** Collects what a person may accept: the draft that is shown with a refusal differs from the source only in these. */
export interface Doubts {
  /** In a draft the doubt is noted and translation goes on; else it is refused. */
  doubt(reason: string): void;
}

export const strict: Doubts = { doubt: refuse };

export function lenient(): Doubts & { reasons: string[] } {
  const reasons: string[] = [];
  return {
    reasons,
    doubt(reason) {
      if (!reasons.includes(reason)) reasons.push(reason);
    },
  };
}

/**
 * Runs a translation; a refusal is its other result, and so is a fault of the translator's own: it costs its one object
 * and never the run, and its reason, which callers log and report, says what it is.
 */
export function attempt<Result>(work: () => Result): Result | { reason: string } {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return { reason: error.message };
    return { reason: `Rowferry's translator failed, which is a fault of its own: ${told(error)}` };
  }
}

/** With its place among the translator's files. */
function told(error: unknown): string {
  if (!(error instanceof Error)) return "it threw what is no error";
  const [, place] = /[\\/]translate[\\/]([^\s()]+:\d+):\d+/.exec(error.stack ?? "") ?? [];
  return `${error.name}: ${error.message}${place === undefined ? "" : ` (${place})`}`;
}
