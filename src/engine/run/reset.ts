import { counted } from "../../guard/text.ts";
import { type CopyHooks, type Endpoint, EngineError, type MadeObject, type StatedPlace } from "../contract/index.ts";
import { printable } from "../contract/text/printable.ts";
import { openFence as openMysql } from "../mysql/fence/fence.ts";
import { readFence as readMysql } from "../mysql/fence/read.ts";
import { refuseOthersObjects } from "../postgres/fence/droppable.ts";
import { openFence as openPostgres } from "../postgres/fence/fence.ts";
import { readFence as readPostgres } from "../postgres/fence/read.ts";
import { type Cleaned, eachOnce, type Fence, type FoundRun } from "./fence/fence.ts";
import { elsewhere, otherPlace, readPlace } from "./target-place.ts";
import { reportLockWaits } from "./watchdog/lock-waits.ts";

/**
 * Drops from a target exactly what a run made there: by its own record in `_rowferry`, and by the list of a report for
 * a run that was completed. An object goes only if it still has the name and the identity that were recorded, and
 * never with what others made on it.
 */
export interface ResetRequest {
  /** The run; its copy, if it still runs, is superseded and ends. */
  owner: string;
  ownerName: string;
  target: Endpoint;
  /** The list of a completed run's report; `_rowferry` has one of its own. */
  made?: readonly MadeObject[];
  /** Where that list was made, from the same report. */
  madeIn?: StatedPlace;
}

export interface Reset extends Pick<Cleaned, "dropped" | "absent"> {
  /** What was left in the target, and why, in words: a sentence for each. */
  left: string[];
}

/** Errors: EngineError `target_in_use` (another run claims some of it), `dependents_exist`, `permission_denied`, `nothing_to_reset`, `other_database`. */
export const reset = (request: ResetRequest, hooks: Pick<CopyHooks, "signal" | "log">): Promise<Reset> =>
  reportLockWaits(hooks.log, () => resetTarget(request, hooks));

async function resetTarget(request: ResetRequest, { signal, log }: Pick<CopyHooks, "signal" | "log">): Promise<Reset> {
  const { owner, ownerName, target, made = [] } = request;
  await refuseElsewhere(request, signal);
  const runs = await foundRuns(target, signal);
  const there = runs.find((run) => run.owner === owner);
  if (there === undefined && made.length === 0)
    throw new EngineError(
      "nothing_to_reset",
      `${runs.length === 0 ? "the target has no table _rowferry: no run" : `the target's table _rowferry has nothing of ${printable(ownerName)}: that run`} is unfinished there; what a completed run made is listed in its report`,
    );
  if (target.engine === "postgres") await refuseOthersObjects(target, [...made, ...(there?.made ?? [])], signal);
  const left: string[] = [];
  const warn = (message: string) => {
    left.push(message);
    log("warning", message);
  };
  const fence = await open(target, { owner, ownerName, signal, made, warn });
  try {
    const all = eachOnce([...made, ...(await fence.made())]);
    // A run that made nothing has filled tables that were there. In MySQL their rows are on the list.
    if (target.engine === "postgres" && all.length === 0 && (await fence.parts()).length > 0) warn(rowsLeft);
    log("info", `Looking in the target for ${counted(all.length, "object")} on the list of the run`);
    const { dropped, absent } = await claimed(fence, all).catch(async (error: unknown) => {
      // The list is the caller's, and a table made for this reset alone would only stand in the way.
      if (there === undefined) await fence.drop().catch(() => undefined);
      throw error;
    });
    await fence.drop();
    return { dropped, absent, left };
  } finally {
    await fence.close();
  }
}

const rowsLeft =
  "rows that this run copied into tables that it did not make are left in the target: empty these tables yourself";

/** Of a list that is not of this target. Errors: `other_database`. */
export async function refuseElsewhere(
  { target, made = [], madeIn = {} }: Pick<ResetRequest, "target" | "made" | "madeIn">,
  signal: AbortSignal,
): Promise<void> {
  if (made.length === 0) return;
  const other = otherDatabase(target, made);
  const why =
    other === undefined
      ? elsewhere(madeIn, await readPlace(target, signal))
      : `the list is of what was made in database ${printable(other)}, not in ${printable(target.database)}: name that one`;
  if (why !== undefined) throw otherPlace(why);
}

/**
 * The database that a list of a MySQL target's objects is of, where that is not the target's; PostgreSQL's names have none.
 * A difference in case alone is the server's to judge (mysql/fence/drop.ts).
 */
export function otherDatabase(
  { engine, database }: Pick<Endpoint, "engine" | "database">,
  made: readonly MadeObject[],
): string | undefined {
  if (engine !== "mysql") return undefined;
  return made.map(({ name: [first = ""] }) => first).find((name) => name.toLowerCase() !== database.toLowerCase());
}

interface Opening {
  owner: string;
  ownerName: string;
  signal: AbortSignal;
  made: readonly MadeObject[];
  warn(message: string): void;
}

/** A reset asks nothing of a fence that takes a connection, so that both engines' are alike to it. */
type Cleaner = Pick<Fence<never>, "made" | "parts" | "claim" | "clean" | "drop" | "close">;

/** What a completed run made may be what another one fills by now. */
async function claimed(fence: Cleaner, all: readonly MadeObject[]): Promise<Cleaned> {
  await fence.claim([], all);
  return fence.clean(all);
}

const open = (target: Endpoint, options: Opening): Promise<Cleaner> =>
  target.engine === "mysql" ? openMysql(target, options) : openPostgres(target, options);

/** The runs of a target's `_rowferry`. Changes nothing and disturbs no running copy. */
export const foundRuns = (target: Endpoint, signal: AbortSignal): Promise<FoundRun[]> =>
  target.engine === "mysql" ? readMysql(target, signal) : readPostgres(target, signal);
