import { describe, expect, it } from "vitest";
import { type Rule, rulesWithoutApi } from "../../controllers/rbac.ts";
import { readConfig } from "../../src/main/operator/config.ts";
import { containerOf, environmentOf, podOf } from "./pods.ts";
import { find, type Rendered, render, template } from "./tools.ts";

/** What an installation adds to the chart, and what it leaves out. */

describe.each(["operator", "api", "prober"])("the %s's pods", (part) => {
  const name = `rowferry-${part}`;

  it("have more environment, DNS and spreading, as the values say", async () => {
    const topologySpreadConstraints = [{ maxSkew: 2, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }];
    const dnsConfig = { options: [{ name: "ndots", value: "2" }] };
    const extraEnv = [{ name: "TZ", value: "UTC" }];
    const objects = await render({ [part]: { topologySpreadConstraints, dnsConfig, extraEnv } });
    expect(podOf(objects, name)).toMatchObject({ topologySpreadConstraints, dnsConfig });
    expect(environmentOf(objects, name)).toMatchObject({ TZ: "UTC" });
    const before = await render();
    expect(podOf(before, name)).not.toHaveProperty("dnsConfig");
    expect(environmentOf(before, name)).not.toHaveProperty("TZ");
  });

  it("may have a limit of ephemeral storage", async () => {
    const limits = { memory: "3Gi", "ephemeral-storage": "1Gi" };
    const objects = await render({ [part]: { resources: { limits } } });
    expect(containerOf(objects, name).resources.limits).toEqual(limits);
  });
});

describe("more objects", () => {
  it("are rendered, with templates in them", async () => {
    const objects = await render({
      extraObjects: [
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "theirs", namespace: "{{ .Release.Namespace }}" } },
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}-text'}",
      ],
    });
    expect(find(objects, "ConfigMap", "theirs").metadata.namespace).toBe("rowferry-system");
    expect(find(objects, "ConfigMap", "rowferry-text").kind).toBe("ConfigMap");
  });

  it("must be objects", async () => {
    expect((await template({ extraObjects: [1] })).code).not.toBe(0);
  });
});

describe("without the API", () => {
  const off = { api: { enabled: false } };
  const rulesOf = (objects: readonly Rendered[], kind: string) =>
    find<{ rules: Rule[] }>(objects, kind).rules.map(({ apiGroups, resources, verbs, resourceNames = [] }) =>
      JSON.stringify([apiGroups, resources, [...verbs].sort(), resourceNames]),
    );
  const expected = (list: readonly Rule[]) =>
    list.map(({ apiGroups, resources, verbs, resourceNames = [] }) =>
      JSON.stringify([apiGroups, resources, [...verbs].sort(), resourceNames]),
    );

  it("nothing of the API is there: no account, no right, no Secret, no ConfigMap", async () => {
    const objects = await render(off);
    const named = objects.filter(({ metadata: { name } }) => /^rowferry-(api|prober)/.test(name));
    expect(named.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    const secrets = objects.filter(({ kind }) => kind === "Secret").map(({ metadata }) => metadata.name);
    expect(secrets).toEqual(["rowferry-operator-keys"]);
  });

  it("the operator has no right on what it keeps for the API, and keeps nothing", async () => {
    const objects = await render(off);
    expect(rulesOf(objects, "Role").sort()).toEqual(expected(rulesWithoutApi.namespace).sort());
    expect(rulesOf(objects, "ClusterRole").sort()).toEqual(expected(rulesWithoutApi.cluster).sort());
    expect(JSON.stringify(rulesWithoutApi)).not.toMatch(/rowferry-(api|prober)/);
    expect(readConfig(environmentOf(objects, "rowferry-operator")).ROWFERRY_API).toBe(false);
    expect(readConfig(environmentOf(await render(), "rowferry-operator")).ROWFERRY_API).toBe(true);
  });
});

describe("how long finished Migrations are kept", () => {
  it.each<[object, number | undefined, number]>([
    [{}, undefined, 0],
    [{ migrations: null }, undefined, 0],
    [{ migrations: { ttlSecondsAfterFinished: 0 } }, 0, 0],
    [{ migrations: { ttlSecondsAfterFinished: 604_800, historyLimit: 50 } }, 604_800, 50],
  ])("%j", async (values, seconds, limit) => {
    const objects = await render(values);
    const config = readConfig(environmentOf(objects, "rowferry-operator"));
    expect(config.ROWFERRY_FINISHED_SECONDS).toBe(seconds);
    expect(config.ROWFERRY_HISTORY_LIMIT).toBe(limit);
    const policy = find<{ spec: { validations: { expression: string }[] } }>(
      objects,
      "ValidatingAdmissionPolicy",
      "rowferry-operator-unpaid",
    );
    const isFree = policy.spec.validations.some(({ expression }) => /&&\s+true\)/.test(expression));
    expect(isFree, "the operator may delete finished ones only where it is to").toBe(
      seconds !== undefined || limit > 0,
    );
  });
});

it("the parts that spec.worker of a Migration may have are those of the values", async () => {
  const allowed = ["nodeSelector", "resources"];
  const config = readConfig(environmentOf(await render({ worker: { allowed } }), "rowferry-operator"));
  expect(config.ROWFERRY_WORKER_ALLOWED).toEqual(allowed);
  expect((await template({ worker: { allowed: ["hostNetwork"] } })).code).not.toBe(0);
});

it("the limits of a server are those of the values, and none by default or with the values of an earlier chart", async () => {
  const limitsOf = async (values: object) => {
    const config = readConfig(environmentOf(await render(values), "rowferry-operator"));
    return [config.ROWFERRY_MAX_RUNNING_PER_SOURCE, config.ROWFERRY_MAX_RUNNING_PER_TARGET];
  };
  expect(await limitsOf({ limits: { runningPerSource: 2, runningPerTarget: 3 } })).toEqual([2, 3]);
  for (const values of [{}, { limits: { runningPerSource: null, runningPerTarget: null } }])
    expect(await limitsOf(values)).toEqual([0, 0]);
});

describe("sealing keys of the platform", () => {
  it("are mounted for the operator alone, whatever the volume is", async () => {
    const csi = { driver: "secrets-store.csi.k8s.io", readOnly: true };
    const objects = await render({ sealedUrls: { keysVolume: { csi } } });
    const { ROWFERRY_SEALING_KEYS_FILE: file } = readConfig(environmentOf(objects, "rowferry-operator"));
    const [mount] = containerOf(objects, "rowferry-operator").volumeMounts;
    expect(mount).toEqual({ name: "sealing", mountPath: "/etc/rowferry/sealing", readOnly: true });
    expect(file).toBe(`${mount?.mountPath}/sealing.json`);
    expect(podOf(objects, "rowferry-operator").volumes).toEqual([{ name: "sealing", csi }]);
    for (const name of ["rowferry-api", "rowferry-prober"])
      expect(JSON.stringify(podOf(objects, name))).not.toContain("sealing");
    expect(environmentOf(await render(), "rowferry-operator")).not.toHaveProperty("ROWFERRY_SEALING_KEYS_FILE");
  });
});
