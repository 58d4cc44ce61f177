import { describe, expect, it } from "vitest";
import { withBackups } from "../operator/admission.ts";
import { find, type Rendered, render, template } from "./tools.ts";

/** The chart's value `reports`. */

interface Pod {
  securityContext: { fsGroup?: number };
  volumes?: { name: string; secret?: { secretName: string; defaultMode?: number } }[];
  containers: [{ env: { name: string; value?: string }[]; volumeMounts?: { name: string; mountPath: string }[] }];
}
interface Policy {
  spec: { egress: { ports?: { port: number }[]; to?: unknown[] }[] };
}
const podOf = (objects: readonly Rendered[], name: string) =>
  find<{ spec: { template: { spec: Pod } } }>(objects, "Deployment", name).spec.template.spec;
const envOf = (pod: Pod) => Object.fromEntries(pod.containers[0].env.map((one) => [one.name, one.value]));
const policyOf = (objects: readonly Rendered[], name: string) => find<Policy>(objects, "NetworkPolicy", name).spec;
const storage = { bucket: "reports", secretName: "report-bucket", endpoint: "http://minio:9000", prefix: "rowferry" };

describe("without a bucket, which is the default", () => {
  it.each([
    ["the default values", {}],
    ["the values of an earlier chart", { reports: null }],
    ["a Secret without a bucket", { reports: { storage: { secretName: "report-bucket" } } }],
  ])("%s set nothing of it", async (_what, values) => {
    const text = JSON.stringify(await render(values));
    for (const word of ["ROWFERRY_REPORT", "report-bucket", "/etc/rowferry/reports"]) expect(text).not.toContain(word);
  });
});

describe("with a bucket", () => {
  it("operator and API have its name and its credentials, as files that their user may read, and nothing else has", async () => {
    const objects = await render({ reports: { storage } });
    for (const name of ["rowferry-operator", "rowferry-api"]) {
      const pod = podOf(objects, name);
      expect(JSON.parse(envOf(pod)["ROWFERRY_REPORT_BUCKET"] ?? "")).toEqual({
        ...{ bucket: "reports", region: "us-east-1", endpoint: "http://minio:9000", prefix: "rowferry" },
      });
      expect(pod.volumes).toContainEqual({
        ...{ name: "reports", secret: expect.objectContaining({ secretName: "report-bucket" }) },
      });
      const mounts = pod.containers[0].volumeMounts;
      expect(mounts).toContainEqual({ name: "reports", mountPath: "/etc/rowferry/reports", readOnly: true });
      expect(pod.securityContext.fsGroup).toBe(65_532);
    }
    const named = objects.filter((object) => JSON.stringify(object).includes("report-bucket"));
    expect(named.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      "Deployment rowferry-api",
      "Deployment rowferry-operator",
    ]);
  });

  it.each<[string, object, object, object]>([
    ["its endpoint's port", storage, {}, { ports: [{ protocol: "TCP", port: 9000 }] }],
    ["AWS's", { ...storage, endpoint: "" }, {}, { ports: [{ protocol: "TCP", port: 443 }] }],
    ["plain HTTP", { ...storage, endpoint: "http://s3.example.com/" }, {}, { ports: [{ protocol: "TCP", port: 80 }] }],
    [
      "peers that are named",
      storage,
      { reports: { to: [{ podSelector: { matchLabels: { app: "minio" } } }] } },
      { ports: [{ protocol: "TCP", port: 9000 }], to: [{ podSelector: { matchLabels: { app: "minio" } } }] },
    ],
  ])("the network policies of both let them reach it, by %s", async (_what, given, networkPolicies, rule) => {
    const objects = await render({ reports: { storage: given }, networkPolicies });
    for (const name of ["rowferry-operator", "rowferry-api"])
      expect(policyOf(objects, name).egress).toContainEqual(rule);
    expect(policyOf(objects, "rowferry-prober").egress).not.toContainEqual(rule);
  });

  it("an installation of some namespaces has it too, without the API", async () => {
    const objects = await render({ reports: { storage }, watchNamespaces: ["shop"], api: { enabled: false } });
    expect(envOf(podOf(objects, "rowferry-operator"))).toHaveProperty("ROWFERRY_REPORT_BUCKET");
  });

  it.each([
    ["no Secret", { bucket: "x" }, "reports.storage.secretName is empty"],
    ["an endpoint with a user", { ...storage, endpoint: "https://a:b@s3.example.com" }, "endpoint"],
    ["a prefix that begins with a slash", { ...storage, prefix: "/rowferry" }, "prefix"],
    ["a prefix with a folder above", { ...storage, prefix: "a/../b" }, "prefix"],
  ])("%s is refused", async (_what, given, words) => {
    const { code, stderr } = await template({ reports: { storage: given } });
    expect(code).not.toBe(0);
    expect(stderr).toContain(words);
  });
});

it("the Secret of the backups' bucket, too, can be read by the operator's user", async () => {
  const pod = podOf(await render({ backups: withBackups }), "rowferry-operator");
  expect(pod.securityContext.fsGroup).toBe(65_532);
});
