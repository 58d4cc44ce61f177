import { describe, expect, test } from "vitest";
import type { KubeObject, ResourceQuota, RoleBinding } from "../../src/resources/objects.ts";
import type { Team } from "../../src/resources/team.ts";
import { decide, type Observed } from "./decide.ts";
import { bindingFor, namespaceFor, policyFor, quotaFor, type TeamSettings, uncountedSince } from "./owned-objects.ts";

const egress = [{ to: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8"] } }] }];
const settings: TeamSettings = {
  quota: { pods: "50", "count/migrations.rowferry.dev": "1000" },
  egress,
  home: "home",
};
const team: Team = {
  metadata: { name: "shop", uid: "u1", generation: 3 },
  spec: { title: "Shop", members: [{ account: "a", role: "owner" }] },
};
const now = new Date("2026-01-01T00:01:00Z");
const made = "2026-01-01T00:00:00Z";

const namespace = (change: Partial<KubeObject["metadata"]> = {}): KubeObject => ({
  metadata: { ...namespaceFor(team).metadata, ...change },
});
const counted = { hard: { pods: "50", "count/migrations.rowferry.dev": "1k" } };
const quota = (change: Partial<ResourceQuota> = {}, annotations: Record<string, string> = {}): ResourceQuota => ({
  ...quotaFor(team, settings),
  metadata: { ...quotaFor(team, settings).metadata, creationTimestamp: made, annotations },
  spec: counted,
  status: { ...counted, used: { pods: "0", "count/migrations.rowferry.dev": "0" } },
  ...change,
});
const binding = (change: Partial<RoleBinding> = {}): RoleBinding => ({ ...bindingFor(team, settings), ...change });
const whole: Observed = {
  team,
  namespace: namespace(),
  quota: quota(),
  policy: policyFor(team, egress),
  binding: binding(),
};

/** In a line: what is done, and what is said. */
function said(observed: Observed): [string, string | undefined] {
  const plan = decide(observed, settings, now);
  return [plan.acts.map(({ verb, what }) => `${verb} ${what}`).join(", "), plan.status.conditions?.[0]?.reason];
}

describe("what is there decides what is done", () => {
  test.each<[string, Observed, string, string]>([
    ["nothing", { team }, "create namespace", "Making"],
    ["the namespace alone", { team, namespace: namespace() }, "create quota, create policy, create binding", "Making"],
    ["everything", whole, "", "Ready"],
    ["no quota", { ...whole, quota: undefined } as never, "create quota", "Making"],
    ["no rights", { ...whole, binding: undefined } as never, "create binding", "Making"],
    ["no network policy", { ...whole, policy: undefined } as never, "create policy", "Making"],
    ["another network policy", { ...whole, policy: policyFor(team, []) }, "update policy", "Making"],
    ["other labels", { ...whole, namespace: namespace({ labels: {} }) }, "update namespace", "Making"],
    ["another quota", { ...whole, quota: quota({ spec: { hard: { pods: "51" } } }) }, "update quota", "Making"],
    ["another subject", { ...whole, binding: binding({ subjects: [] }) }, "update binding", "Making"],
    [
      "another role",
      { ...whole, binding: binding({ roleRef: { apiGroup: "g", kind: "ClusterRole", name: "x" } }) },
      "",
      "RightsTaken",
    ],
    ["somebody's namespace", { ...whole, namespace: namespace({ ownerReferences: [] }) }, "", "NamespaceTaken"],
    [
      "an earlier Team's namespace",
      {
        ...whole,
        namespace: namespace({ ownerReferences: [{ apiVersion: "v", kind: "Team", name: "shop", uid: "u0" }] }),
      },
      "",
      "NamespaceTerminating",
    ],
    [
      "another Team's namespace",
      {
        ...whole,
        namespace: namespace({ ownerReferences: [{ apiVersion: "v", kind: "Team", name: "x", uid: "u0" }] }),
      },
      "",
      "NamespaceTaken",
    ],
    [
      "a namespace that goes",
      { ...whole, namespace: namespace({ deletionTimestamp: made }) },
      "",
      "NamespaceTerminating",
    ],
    ["a quota that nobody counts, made long ago", { ...whole, quota: quota({ status: {} }) }, "", "Ready"],
  ])("%s", (_what, observed, acts, reason) => {
    expect(said(observed)).toEqual([acts, reason]);
  });

  test("without network policies none is made, and one that is there is opened", () => {
    const { egress: _none, ...open } = settings;
    const { policy: _policy, ...rest } = whole;
    expect(decide(rest, open, now).acts).toEqual([]);
    const [act] = decide(whole, open, now).acts;
    expect(act).toMatchObject({ verb: "update", object: { spec: { egress: [{}] } } });
  });

  test("a network policy is the same in whatever order the API server tells it", () => {
    const { spec } = policyFor(team, egress);
    const turned = {
      ...policyFor(team, egress),
      spec: Object.fromEntries(Object.entries(spec ?? {}).reverse()) as never,
    };
    expect(said({ ...whole, policy: turned })).toEqual(["", "Ready"]);
  });

  test("a Team that goes is left alone", () => {
    const going = { ...team, metadata: { ...team.metadata, deletionTimestamp: made } };
    expect(decide({ team: going }, settings, now)).toEqual({ acts: [], status: {} });
  });
});

describe("a quota that limits what the cluster cannot count yet", () => {
  const uncounted = quota({ status: { ...counted, used: { pods: "0" } } });
  const part = { hard: { pods: "50" } };

  test("has it left out for a minute, in which the team can work", () => {
    const [act] = decide({ ...whole, quota: uncounted }, settings, now).acts;
    expect(act).toMatchObject({
      what: "quota",
      object: { metadata: { annotations: { [uncountedSince]: now.toISOString() } }, spec: part },
    });
    const without = quota(
      { spec: part, status: { ...part, used: { pods: "0" } } },
      { [uncountedSince]: now.toISOString() },
    );
    const plan = decide({ ...whole, quota: without }, settings, now);
    expect(plan.status.conditions?.[0]?.reason).toBe("Ready");
    expect(plan.lookAgain).toBe(60_000);
  });

  test("is whole again after that minute", () => {
    const without = quota({ spec: part, status: { ...part, used: { pods: "0" } } }, { [uncountedSince]: made });
    const [act] = decide({ ...whole, quota: without }, settings, now).acts;
    expect(act?.object).toMatchObject({ metadata: { annotations: {} }, spec: { hard: settings.quota } });
  });

  test("is not weakened by the note alone", () => {
    const raised = quota({ spec: { hard: { pods: "9k" } } }, { [uncountedSince]: now.toISOString() });
    const [act] = decide({ ...whole, quota: raised }, settings, now).acts;
    expect(act?.object).toMatchObject({ spec: { hard: settings.quota } });
  });

  test("is waited for while it is new", () => {
    const fresh = quota({ status: {} });
    fresh.metadata.creationTimestamp = now.toISOString();
    const plan = decide({ ...whole, quota: fresh }, settings, now);
    expect([plan.status.conditions?.[0]?.reason, plan.lookAgain]).toEqual(["QuotaPending", 500]);
  });
});
