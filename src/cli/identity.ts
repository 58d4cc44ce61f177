import { createHash } from "node:crypto";
import type { CopyOptions, Endpoint } from "../engine/contract/index.ts";
import { UsageError } from "./exit.ts";

/**
 * The name of a run: the same source, target and selection are the same run, so that the same command resumes it, on
 * another machine too. Another selection is another run: it would drop what the first one copied.
 */
export function runOf(
  source: Endpoint,
  target: Endpoint,
  named: string | undefined,
  { include, exclude }: Pick<CopyOptions, "include" | "exclude"> = {},
): string {
  if (named !== undefined) return namedRun(named);
  const sorted = (patterns: readonly string[] = []) => [...new Set(patterns)].sort();
  const selection = include === undefined && exclude === undefined ? [] : [[sorted(include), sorted(exclude)]];
  const place = ({ engine, host, port, database }: Endpoint) => [engine, host.toLowerCase(), port, database];
  const digest = createHash("sha256").update(JSON.stringify([place(source), place(target), ...selection]));
  return `cli-${digest.digest("hex").slice(0, 24)}`;
}

export function namedRun(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw new UsageError("--run is a name of at most 64 letters, digits, dots, hyphens and underscores");
}

/** A database without its password, as a URL. */
export const placeOf = ({ engine, host, port, database, user }: Endpoint): string =>
  `${engine}://${encodeURIComponent(user)}@${host.includes(":") ? `[${host}]` : host}:${port}/${encodeURIComponent(database)}`;

/** Words for the error that somebody meets when this run's `_rowferry` is in the way. */
export const runName = (run: string, source: Endpoint, target: Endpoint): string =>
  `rowferry's run ${run} (${placeOf(source)} to ${placeOf(target)})`;
