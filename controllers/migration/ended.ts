import type { Job } from "../../src/resources/objects.ts";
import { annotatedAttempt, attemptAnnotation, attemptOf, mostRuns } from "../../src/resources/run.ts";
import { withLog } from "../jobs/conclude.ts";
import { isFinished } from "../jobs/observed.ts";
import { expiry } from "./expiry.ts";
import type { Observed } from "./observed.ts";
import type { Act, Plan } from "./plan.ts";
import { retention } from "./retention.ts";
import { resetDone } from "./run.ts";
import { type ControllerStatus, controllerPart } from "./status.ts";

/** What is left to do about a Migration that has ended. Pure. */

/** The controller's part as it stands, brought up to the present generation. */
export function carried({ migration }: Observed): ControllerStatus {
  const done = resetDone(migration.status);
  return {
    ...controllerPart(migration.status),
    observedGeneration: migration.metadata.generation,
    ...(done > 0 ? { resetDone: done } : {}),
  };
}

/** Jobs that are neither finished nor being deleted. */
export const activeJobs = ({ jobs }: Observed): Job[] =>
  jobs.filter((job) => !isFinished(job) && job.metadata.deletionTimestamp === undefined);

export const stop = (job: Job): Act => ({ kind: "delete-job", name: job.metadata.name, uid: job.metadata.uid ?? "" });

/** A worker that failed ends by itself; a Job that still makes pods after so long is stopped. Milliseconds. */
const patience = 60_000;

function urls({ migration, urlsKept }: Observed, now: Date): Partial<Plan> {
  const left = expiry(migration, urlsKept, now);
  if (left === undefined) return {};
  return "due" in left ? { act: { kind: "expire-urls", of: left.due } } : { lookAgain: left.wait };
}

/** Of two times to look again the first; an act comes before both. */
const sooner = (plan: Partial<Plan>, wait: number | undefined): Partial<Plan> =>
  wait === undefined || plan.act !== undefined
    ? plan
    : { ...plan, lookAgain: Math.min(wait, plan.lookAgain ?? Number.POSITIVE_INFINITY) };

/** Nothing more to do, but for the generation that may have moved and a Job that does not end. */
export function ended(observed: Observed, now: Date): Plan {
  const { migration } = observed;
  const status = carried(observed);
  const [active] = activeJobs(observed);
  const since = now.getTime() - Date.parse(status.finishedAt ?? "");
  const left = retention(observed, now);
  if (active === undefined && left !== undefined && "why" in left) {
    const events: Plan["events"] = observed.isRemoved ? [{ type: "Normal", reason: "Deleted", note: left.why }] : [];
    return { status, events, ...(observed.isRemoved ? {} : { act: { kind: "remove" } }) };
  }
  const rest: Partial<Plan> =
    active === undefined
      ? sooner(urls(observed, now), left !== undefined && "wait" in left ? left.wait : undefined)
      : since > patience
        ? { act: stop(active) }
        : { lookAgain: patience - since + 1000 };
  const conditions = (status.conditions ?? []).map((condition) => ({
    ...condition,
    observedGeneration: migration.metadata.generation,
  }));
  const ignored = ignoredAttempt(observed);
  const log = ignored
    ? withLog(migration.status, status.run ?? 1, [{ level: "warning", message: ignored.note }], now)
    : status.log;
  return {
    ...rest,
    status: { ...status, conditions, ...(log ? { log } : {}) },
    events: ignored ? [{ type: "Warning", ...ignored }] : [],
  };
}

/** Why a raised attempt starts no run; each is said once. */
function ignoredAttempt({ migration }: Observed): { reason: string; note: string } | undefined {
  const { metadata, status } = migration;
  const annotated = annotatedAttempt(migration);
  if (annotated === "invalid") {
    const given = JSON.stringify(metadata.annotations?.[attemptAnnotation]?.slice(0, 40));
    const note = `The annotation ${attemptAnnotation} is ignored: ${given} is no whole number from 1 to ${mostRuns}.`;
    const isSaid = status?.log?.some(({ message }) => message === note) ?? false;
    return isSaid ? undefined : { reason: "AttemptInvalid", note };
  }
  if (status?.state !== "completed" || attemptOf(migration) <= (status.attempt ?? 0)) return undefined;
  const isBySpec = annotated === undefined || annotated < migration.spec.attempt;
  const raised = isBySpec ? "spec.attempt" : `annotation ${attemptAnnotation}`;
  const note = `The Migration is completed, so that a raised ${raised} changes nothing: raise spec.reset to copy again.`;
  const isSaid = isBySpec
    ? status.observedGeneration === metadata.generation
    : (status.log?.some(({ message }) => message === note) ?? false);
  return isSaid ? undefined : { reason: "AttemptIgnored", note };
}
