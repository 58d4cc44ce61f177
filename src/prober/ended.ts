import type { Unreachable } from "../requests/prober.ts";
import type { ProcessEnd } from "./process.ts";
import type { ProbeCall } from "./protocol.ts";
import type { UnreachableSide } from "./unreachable.ts";

/** The side whose words fit a probe of one database. */
export const sideOf = (kind: ProbeCall["kind"]): UnreachableSide => (kind === "target" ? "target" : "source");

/** What a caller is told of a probe that had to be killed. */
export function unreachableResponse(
  kind: ProbeCall["kind"],
  { why, reached }: ProcessEnd,
): { unreachable: Unreachable[] } {
  const sides: UnreachableSide[] = kind === "preflight" ? ["source", "target"] : [sideOf(kind)];
  const silent = sides.filter((side) => !reached.has(side));
  if (why === "deadline" && silent.length > 0)
    return {
      unreachable: silent.map((side) => ({
        side,
        code: "connection_timeout",
        message: `the ${side} database did not answer in time: check host, port and firewall`,
      })),
    };
  // One that is reached is asked nothing before the other is.
  const suspects = silent.length === 0 ? sides : silent;
  const words = {
    deadline: [
      "probe_timeout",
      "the databases are too slow for the time limit of a probe: try again when they have less load, or run rowferry assess, which has no limit",
    ],
    memory: [
      "probe_too_large",
      "what the server answers is larger than a probe takes: run rowferry assess beside the database, or name fewer tables with options.include",
    ],
    crash: ["internal_error", "asking the database met an error of Rowferry's own"],
    left: ["cancelled", "the caller went away"],
  } as const satisfies Record<ProcessEnd["why"], readonly [code: string, message: string]>;
  const [code, message] = words[why];
  return { unreachable: suspects.map((side) => ({ side, code, message })) };
}
