import { EngineError } from "../engine/contract/index.ts";
import type { Unreachable } from "../requests/prober.ts";
import type { ProcessEnd } from "./process.ts";
import type { ProbeCall } from "./protocol.ts";
import { ownFault, type UnreachableSide } from "./unreachable.ts";

/** The side whose words fit a probe of one database. */
export const sideOf = (kind: ProbeCall["kind"]): UnreachableSide => (kind === "target" ? "target" : "source");

/** Of a server that was not reached, or said nothing. */
export const overdue = (side: UnreachableSide) =>
  new EngineError("connection_timeout", `the ${side} database did not answer in time: check host, port and firewall`, {
    side,
  });

export const tooSlow = () =>
  new EngineError(
    "probe_timeout",
    "the databases are too slow for the time limit of a probe: try again when they have less load, or run rowferry assess, which has no limit",
  );

/** What a caller is told of a probe that had to be killed. */
export function unreachableResponse(
  kind: ProbeCall["kind"],
  { why, reached }: ProcessEnd,
): { unreachable: Unreachable[] } {
  const sides: UnreachableSide[] = kind === "preflight" ? ["source", "target"] : [sideOf(kind)];
  const silent = sides.filter((side) => !reached.has(side));
  if (why === "deadline" && silent.length > 0)
    return { unreachable: silent.map((side) => toldOf(overdue(side), side)) };
  // One that is reached is asked nothing before the other is.
  const suspects = silent.length === 0 ? sides : silent;
  const words = {
    deadline: tooSlow(),
    memory: {
      code: "probe_too_large",
      message:
        "what the server answers is larger than a probe takes: run rowferry assess beside the database, or name fewer tables with options.include",
    },
    crash: ownFault,
    left: { code: "cancelled", message: "the caller went away" },
  };
  return { unreachable: suspects.map((side) => toldOf(words[why], side)) };
}

const toldOf = ({ code, message }: Pick<Unreachable, "code" | "message">, side: UnreachableSide): Unreachable => ({
  ...{ side, code, message },
});
