import { withConditions } from "../../src/resources/conditions.ts";
import type { KubeObject, NetworkPolicy, ResourceQuota, RoleBinding } from "../../src/resources/objects.ts";
import { namespaceOf, type Team } from "../../src/resources/team.ts";
import { sameQuantities } from "../jobs/quantity.ts";
import {
  bindingFor,
  isOwned,
  namespaceFor,
  namespaceLabelsOf,
  policyFor,
  quotaFor,
  type TeamSettings,
  teamLabels,
  uncountedSince,
} from "./owned-objects.ts";

/**
 * What to do about one Team, from what is there: no clock, no randomness, no I/O.
 *
 * Invariants: a namespace is touched only if it is owned by this very Team (by uid); the API gets its rights there only after quota
 * and network policy; nothing is ever deleted here: the namespace goes by its owner reference when the Team does.
 */
export interface Observed {
  team: Team;
  /** As the API server has them now. */
  namespace?: KubeObject;
  quota?: ResourceQuota;
  policy?: NetworkPolicy;
  binding?: RoleBinding;
}

export type Act = { verb: "create" | "update" } & (
  | { what: "namespace"; object: KubeObject }
  | { what: "quota"; object: ResourceQuota }
  | { what: "policy"; object: NetworkPolicy }
  | { what: "binding"; object: RoleBinding }
);

interface Plan {
  /** To be done in this order; then decide again with what is there. */
  acts: Act[];
  status: NonNullable<Team["status"]>;
  /** Milliseconds. */
  lookAgain?: number;
}

/** Milliseconds until such a quota is made whole again. */
const leftOutFor = 60_000;
/** Milliseconds that a new quota may take to be counted; a cluster without that controller never counts. */
const countingTakes = 2000;

export function decide(observed: Observed, settings: TeamSettings, now: Date): Plan {
  const { team, namespace, quota, binding } = observed;
  const say = (reason: string, message: string, rest: Partial<Plan> = {}): Plan => ({
    acts: [],
    ...rest,
    status: statusOf(team, { ready: false, reason, message }, now),
  });
  if (team.metadata.deletionTimestamp !== undefined) return { acts: [], status: team.status ?? {} };
  const name = namespaceOf(team.metadata.name);
  const making = (...acts: Act[]) => say("Making", `The namespace ${name} is being made.`, { acts, lookAgain: 1000 });

  if (namespace === undefined) return making({ verb: "create", what: "namespace", object: namespaceFor(team) });
  if (!isOwned(namespace, team) && !isEarlier(namespace, team))
    return say(
      "NamespaceTaken",
      `The namespace ${name} exists and is not this Team's: delete it, or make a Team of another name. It is left as it is.`,
      { lookAgain: 10_000 },
    );
  if (!isOwned(namespace, team) || namespace.metadata.deletionTimestamp !== undefined)
    return say("NamespaceTerminating", `An earlier namespace ${name} is being deleted; a new one is made then.`, {
      lookAgain: 1000,
    });

  const acts: Act[] = [];
  if (!hasLabels(namespace, namespaceLabelsOf(team)))
    acts.push({ verb: "update", what: "namespace", object: labelled(namespace, namespaceLabelsOf(team)) });
  const counting = count(team, quota, settings, now);
  if (counting.act) acts.push(counting.act);
  const wall = policyAct(observed, settings);
  if (wall) acts.push(wall);
  const rights = bindingFor(team, settings);
  if (binding === undefined) acts.push({ verb: "create", what: "binding", object: rights });
  else if (JSON.stringify(roleOf(binding)) !== JSON.stringify(roleOf(rights)))
    // A binding's role cannot be changed, and deleting is a right that the operator does not have.
    return say(
      "RightsTaken",
      `The RoleBinding ${rights.metadata.name} in ${name} names another role: delete it, and the right one is made.`,
      { acts, lookAgain: 10_000 },
    );
  else if (!hasLabels(binding, teamLabels(team)) || !sameSubjects(binding, rights)) {
    const { subjects } = rights;
    const object = { ...labelled(binding, teamLabels(team)), ...(subjects ? { subjects } : {}) };
    acts.push({ verb: "update", what: "binding", object });
  }
  if (acts.length > 0) return making(...acts);
  if (counting.wait !== undefined && !counting.usable)
    return say("QuotaPending", `The cluster has not counted yet what is in ${name}.`, { lookAgain: counting.wait });
  const status = statusOf(
    team,
    { ready: true, reason: "Ready", message: `The namespace ${name} is there, with its quota and the API's rights.` },
    now,
  );
  return { acts: [], status, ...(counting.wait === undefined ? {} : { lookAgain: counting.wait }) };
}

/**
 * The quota. Kubernetes refuses whatever a quota limits until it has counted it, and learns to count a kind only half a minute after
 * the kind is known: what cannot be counted is left out for a while, so that a new installation's first teams can work.
 */
function count(
  team: Team,
  quota: ResourceQuota | undefined,
  settings: TeamSettings,
  now: Date,
): { act?: Act; usable: boolean; wait?: number } {
  const whole = quotaFor(team, settings);
  if (quota === undefined) return { act: { verb: "create", what: "quota", object: whole }, usable: false };
  const hard = quota.spec?.hard ?? {};
  const change = (next: Record<string, string>, since?: string): Act => {
    const object = labelled(quota, teamLabels(team));
    const { [uncountedSince]: _before, ...annotations } = object.metadata.annotations ?? {};
    const noted = since === undefined ? annotations : { ...annotations, [uncountedSince]: since };
    return {
      verb: "update",
      what: "quota",
      object: { ...object, metadata: { ...object.metadata, annotations: noted }, spec: { ...quota.spec, hard: next } },
    };
  };
  const since = quota.metadata.annotations?.[uncountedSince];
  const due = since === undefined ? 0 : Date.parse(since) + leftOutFor - now.getTime();
  const { hard: limited = {}, used = {} } = quota.status ?? {};
  if (due > 0 && due <= leftOutFor && hasLabels(quota, teamLabels(team)) && isPart(hard, settings.quota))
    return { usable: true, wait: due };
  if (!hasLabels(quota, teamLabels(team)) || since !== undefined || !sameQuantities(hard, whole.spec?.hard))
    return { act: change({ ...settings.quota }), usable: false };
  const uncounted = Object.keys(limited).filter((name) => used[name] === undefined);
  if (uncounted.length > 0) {
    const next = Object.fromEntries(Object.entries(hard).filter(([name]) => !uncounted.includes(name)));
    return { act: change(next, now.toISOString()), usable: false };
  }
  if (sameQuantities(limited, hard)) return { usable: true };
  const wait = Date.parse(quota.metadata.creationTimestamp ?? "") + 1000 + countingTakes - now.getTime();
  return wait > 0 ? { usable: false, wait: Math.min(wait, 500) } : { usable: true };
}

/** The network policy. One that the settings no longer want is opened, not deleted: deleting is a right that the operator does not have. */
function policyAct({ team, policy }: Observed, settings: TeamSettings): Act | undefined {
  if (policy === undefined) {
    if (settings.egress === undefined) return undefined;
    return { verb: "create", what: "policy", object: policyFor(team, settings.egress) };
  }
  const wanted = policyFor(team, settings.egress ?? [{}]);
  if (hasLabels(policy, teamLabels(team)) && sorted(policy.spec) === sorted(wanted.spec)) return undefined;
  const object = { ...labelled(policy, teamLabels(team)), ...(wanted.spec ? { spec: wanted.spec } : {}) };
  return { verb: "update", what: "policy", object };
}

/** As JSON, whatever the order of its fields. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function isPart(part: Readonly<Record<string, string>>, whole: Readonly<Record<string, string>>): boolean {
  const same = Object.fromEntries(Object.entries(whole).filter(([name]) => part[name] !== undefined));
  return sameQuantities(part, same);
}

/** Of a Team that was deleted, and another one of its name made since: Kubernetes is about to remove it. */
const isEarlier = ({ metadata }: KubeObject, team: Team): boolean =>
  metadata.ownerReferences?.some((owner) => owner.kind === "Team" && owner.name === team.metadata.name) ?? false;

const hasLabels = ({ metadata }: KubeObject, wanted: Record<string, string>): boolean =>
  Object.entries(wanted).every(([name, value]) => metadata.labels?.[name] === value);

const labelled = <T extends KubeObject>(object: T, wanted: Record<string, string>): T => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...wanted } },
});

const roleOf = ({ roleRef }: RoleBinding) => [roleRef.apiGroup, roleRef.kind, roleRef.name];

function sameSubjects(one: RoleBinding, other: RoleBinding): boolean {
  const text = ({ subjects = [] }: RoleBinding) =>
    JSON.stringify(subjects.map(({ kind, name, namespace }) => [kind, name, namespace]));
  return text(one) === text(other);
}

function statusOf(
  team: Team,
  finding: { ready: boolean; reason: string; message: string },
  now: Date,
): NonNullable<Team["status"]> {
  const { ready, reason, message } = finding;
  const generation = team.metadata.generation ?? 0;
  return {
    observedGeneration: generation,
    ...(ready ? { namespace: namespaceOf(team.metadata.name) } : {}),
    conditions: withConditions(
      team.status?.conditions ?? [],
      [{ type: "Ready", status: ready ? "True" : "False", reason, message }],
      generation,
      now.toISOString(),
    ),
  };
}
