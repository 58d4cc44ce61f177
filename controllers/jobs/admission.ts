import type { Candidate } from "./candidate.ts";

/** How many runs there may be at the same time: in all, in one namespace, and of one Account over all of its teams. */
export interface RunLimits extends Record<"cluster" | "namespace" | "account", number> {
  /**
   * Of those in all, the last ones, which only an owner without a run gets: a run may take days, and a few owners would else hold all
   * of them against one who comes later. None if absent.
   */
  reserved?: number;
  /** From one source's server, and into one target's: any number if absent or 0. Only runs that name their servers count. */
  source?: number;
  target?: number;
}

/** Of whom the limits are. */
export interface Line {
  limits: RunLimits;
  /** Whether a namespace is a Team's. */
  isTeam: (namespace: string) => boolean;
}

/** Whether one takes a slot, or waits for one; undefined: neither. */
export type Standing = "runs" | "waits" | undefined;

/**
 * The Account that made it through the API. The label counts in a Team's namespace alone, where the API writes it: elsewhere `kubectl`
 * could write anybody's name, and use up that one's share.
 */
const accountOf = ({ namespace, account }: Candidate, isTeam: Line["isTeam"]): string | undefined =>
  isTeam(namespace) ? account : undefined;

/** Runs that somebody asked for, and those that a schedule started. */
export type Origin = "asked" | "scheduled";
export const origins = ["asked", "scheduled"] as const;

/** Whose turn it is of the two: a thousand backups that are due at midnight do not hold up what a person waits for. */
export const firstOf = (running: Readonly<Record<Origin, number>>): readonly [Origin, Origin] =>
  running.asked <= running.scheduled ? ["asked", "scheduled"] : ["scheduled", "asked"];

/** Whose run it is: the Account's, else the namespace's. */
export function ownerOf(candidate: Candidate, isTeam: Line["isTeam"]): { name: string; isAccount: boolean } {
  const account = accountOf(candidate, isTeam);
  return account === undefined
    ? { name: `namespace ${candidate.namespace}`, isAccount: false }
    : { name: `account ${account}`, isAccount: true };
}

/** A server that a run uses, and which of the two it is of it. */
export interface Use {
  scope: "source" | "target";
  name: string;
}

const none: readonly Use[] = [];

/** In Teams' namespaces the API names servers, and nobody else can use up a server's share there. */
export function usesOf({ servers, namespace }: Candidate, { limits, isTeam }: Line): readonly Use[] {
  if (servers === undefined || !(limits.source || limits.target)) return none;
  const by = isTeam(namespace) ? "team" : "other";
  return (["source", "target"] as const).flatMap((scope) => {
    const name = servers[scope];
    return name === undefined || !limits[scope] ? [] : [{ scope, name: `${scope} ${by} ${name}` }];
  });
}

/**
 * Milliseconds until the place of one that waits is looked at again: the farther back, the longer, up to two minutes. Each run that
 * is asked for moves many of those behind it, and to save every move of thousands would burden all that watch them; nobody's
 * start waits for it.
 */
export const untilNextLook = (position: number): number => Math.min(5000 * Math.max(1, position / 8), 120_000);
