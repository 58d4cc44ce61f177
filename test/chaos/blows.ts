import type { Said } from "./engine-process.ts";

/** What a blow may lead to, and how many landed. */

export const victims = ["worker", "source", "target", "connections"] as const;
export type Victim = (typeof victims)[number];

/** `done`: undisturbed. `unended`: the result was told, and the checkpoint is still there. Else `killed`, `hung` or an error's code. */
export type Outcome = string;

const serverDown = ["connection_lost", "connection_refused", "server_shutdown"];

/** The codes of errors that each blow may end a copy with; each of them can be retried. */
const codes: Readonly<Record<Victim, readonly string[]>> = {
  worker: [],
  source: serverDown,
  target: serverDown,
  connections: ["connection_lost"],
};

/** Why this cannot be what the blow led to, as a sentence, or undefined. `victim` undefined: nothing was struck. */
export function objection(victim: Victim | undefined, outcome: Outcome, said: Said | "killed" | "hung") {
  if (outcome === "hung") return "the copy neither ended nor failed";
  if (outcome === "done") return undefined;
  if (victim === undefined) return "a copy that nobody disturbed failed";
  if (outcome === "unended") return undefined;
  if (outcome === "killed") return victim === "worker" ? undefined : "the worker died";
  if (!codes[victim].includes(outcome)) return `${outcome} is no error that a cut of ${victim} may end in`;
  if (typeof said === "string" || said.ok || !said.retryable) return `${outcome} is not told as retryable`;
  return undefined;
}

/** Blows of a run: `aimed` at a copy; `struck`, while it ran; `landed`, so that it did not come to its end. */
export interface Tally {
  aimed: number;
  struck: number;
  landed: Record<Victim, number>;
}

export const newTally = (): Tally => ({
  aimed: 0,
  struck: 0,
  landed: { worker: 0, source: 0, target: 0, connections: 0 },
});

export const landedOf = ({ landed }: Tally): number => Object.values(landed).reduce((sum, count) => sum + count, 0);

export const tallyWords = (tally: Tally): string => {
  const each = victims.map((victim) => `${victim} ${tally.landed[victim]}`).join(", ");
  return `${tally.aimed} blows aimed, ${tally.struck} struck a running copy, ${landedOf(tally)} landed (${each})`;
};

/** Of so many blows, each victim is hit by some. */
const enoughForEach = 60;

/** A run whose blows miss shows nothing: at least a third must land, and in a long one some on each victim. */
export const tallyFailure = (tally: Tally): string | undefined => {
  if (landedOf(tally) === 0 || landedOf(tally) < tally.aimed / 3) return `too few: ${tallyWords(tally)}`;
  const missed = victims.filter((victim) => tally.landed[victim] === 0);
  return tally.aimed >= enoughForEach && missed.length > 0
    ? `none landed on ${missed.join(", ")}: ${tallyWords(tally)}`
    : undefined;
};
