import { describe, expect, it } from "vitest";
import { readApiConfig } from "../../src/main/api/config.ts";
import { readConfig } from "../../src/main/operator/config.ts";
import { readProberConfig } from "../../src/main/prober-config.ts";
import { containerOf, type Deployment, environmentOf, podOf } from "./pods.ts";
import { find, type Rendered, render, template } from "./tools.ts";

/** How the pods end, what memory they have, and where they run. */

describe("a rolling update", () => {
  it("leaves the API the time to serve on, and its requests the time to end", async () => {
    const objects = await render();
    const config = readApiConfig(environmentOf(objects, "rowferry-api"));
    const pod = podOf(objects, "rowferry-api");
    expect(config.ROWFERRY_DRAIN_SECONDS).toBeGreaterThanOrEqual(5);
    const needed = config.ROWFERRY_DRAIN_SECONDS + config.ROWFERRY_GRACE_SECONDS;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(needed);
  });

  it("leaves the prober the time for its longest probe", async () => {
    const objects = await render();
    const config = readProberConfig(environmentOf(objects, "rowferry-prober"));
    const { sleep } = containerOf(objects, "rowferry-prober").lifecycle?.preStop ?? {};
    expect(sleep?.seconds).toBeGreaterThanOrEqual(5);
    expect(podOf(objects, "rowferry-prober").terminationGracePeriodSeconds).toBeGreaterThan(
      (sleep?.seconds ?? 0) + config.ROWFERRY_PROBER_PREFLIGHT_SECONDS,
    );
  });

  it.each(["rowferry-operator", "rowferry-api", "rowferry-prober"])("starts a new pod of %s first", async (name) => {
    const { strategy } = find<Deployment>(await render(), "Deployment", name).spec;
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  });
});

describe("the memory's limit", () => {
  const mebibytes = (text: string) => Number.parseInt(text, 10) * (text.endsWith("Gi") ? 1024 : 1);
  const heapOf = (command: readonly string[]) =>
    Number(command.find((word) => word.startsWith("--max-old-space-size="))?.split("=")[1]);

  it.each(["rowferry-operator", "rowferry-api", "rowferry-prober"])(
    "of %s holds its heap and as much as Node takes beside",
    async (name) => {
      const { command, resources } = containerOf(await render(), name);
      expect(heapOf(command)).toBeGreaterThan(0);
      expect(mebibytes(resources.limits.memory)).toBeGreaterThanOrEqual(heapOf(command) + 96);
    },
  );

  it("of a worker likewise", async () => {
    const { ROWFERRY_WORKER_COMMAND, ROWFERRY_WORKER_RESOURCES } = readConfig(
      environmentOf(await render(), "rowferry-operator"),
    );
    const { memory = "" } = ROWFERRY_WORKER_RESOURCES.limits ?? {};
    expect(mebibytes(memory)).toBeGreaterThanOrEqual(heapOf(ROWFERRY_WORKER_COMMAND) + 96);
  });

  it("of the prober holds as many probes as run at once, or is refused with the number that does", async () => {
    const objects = await render();
    const config = readProberConfig(environmentOf(objects, "rowferry-prober"));
    const { command, resources } = containerOf(objects, "rowferry-prober");
    const probes = config.ROWFERRY_PROBER_AT_ONCE * config.ROWFERRY_PROBER_RESIDENT_MEGABYTES;
    expect(mebibytes(resources.limits.memory)).toBeGreaterThanOrEqual(probes + heapOf(command));
    const { code, stderr } = await template({ prober: { atOnce: 9 } });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/prober\.resources\.limits\.memory to 3008Mi/);
    expect((await template({ prober: { atOnce: 9, resources: { limits: { memory: "3008Mi" } } } })).code).toBe(0);
  });
});

describe("several replicas", () => {
  it.each(["api", "prober", "operator"])("of the %s are spread, and not drained at once", async (part) => {
    const [one, two] = await Promise.all([
      render(),
      render({ [part]: { replicas: 2 }, redis: { url: "redis://cache:6379/0" } }),
    ]);
    const kinds = (objects: readonly Rendered[]) => objects.map(({ kind }) => kind);
    expect(kinds(one)).not.toContain("PodDisruptionBudget");
    const { spec } = find<{ spec: object }>(two, "PodDisruptionBudget", `rowferry-${part}`);
    expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" });
    expect(podOf(one, `rowferry-${part}`).topologySpreadConstraints).toBeUndefined();
    expect(podOf(two, `rowferry-${part}`).topologySpreadConstraints).toHaveLength(1);
  });
});
