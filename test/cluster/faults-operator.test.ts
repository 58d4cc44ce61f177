import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openCluster } from "../../dev/cluster/index.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { applyMigration, get, getMigration, type Json, kubectl, until, untilState } from "./kube.ts";
import { killInPod, podProcesses, workerPods } from "./pods.ts";
import { bigRows, fillMysql, leftInTarget, makeWorld, mysqlSum, postgresSum, type World } from "./world.ts";

describe("a copy whose operator or API server is disturbed", () => {
  let world: World;
  let sum: string;

  beforeAll(async () => {
    world = await makeWorld("faults-operator", { source: "mysql", target: "postgres" });
    await fillMysql(world.databases["source"]?.host ?? "");
    sum = await mysqlSum(world.databases["source"]?.host ?? "");
  });
  afterAll(() => world?.end());

  const start = async (name: string) => {
    const url = await world.emptyTarget("target", name);
    await applyMigration(world.namespace, name, {
      source: { secretRef: { name: "source" } },
      target: { secretRef: { name } },
    });
    await until(`${name} copies`, async () => {
      const done = (await getMigration(world.namespace, name)).status?.progress?.rows.done ?? 0;
      return done > bigRows / 20;
    });
    return url;
  };

  const expectWhole = async (name: string, url: string) => {
    const migration = await untilState(world.namespace, name, "completed", 180);
    expect(await postgresSum(url)).toBe(sum);
    expect(await leftInTarget(url)).not.toContainEqual(expect.stringContaining("_rowferry"));
    expect(await workerPods(world.namespace, name)).toHaveLength(1);
    const { items } = await get("jobs", world.namespace, "-l", `rowferry.dev/migration-uid=${migration.metadata.uid}`);
    expect(items.map((job: Json) => job.metadata.uid)).toEqual([migration.status?.job?.uid]);
  };

  const holder = async (): Promise<string> =>
    (await get("lease", inject("cluster").system, "rowferry-operator")).spec.holderIdentity;

  test("the leader killed by SIGKILL: another leads, the one Job goes on, the result arrives", async () => {
    const leader = await holder();
    const url = await start("leader-killed");
    const pod = await get("pod", inject("cluster").system, leader);
    await killInPod(pod.metadata.uid);
    await kubectl(["delete", "pod", leader, "-n", inject("cluster").system, "--grace-period=0", "--force"]);
    await expectWhole("leader-killed", url);
    expect(await holder()).not.toBe(leader);
  });

  test("all replicas gone mid-copy: the worker copies on and reports when they are back", async () => {
    const { system } = inject("cluster");
    const url = await start("operator-away");
    await kubectl(["scale", "deployment/rowferry-operator", "-n", system, "--replicas=0"]);
    try {
      await until(
        "no operator",
        async () => (await get("pods", system, "-l", "app.kubernetes.io/component=operator")).items.length === 0,
      );
      // All rows arrive although nobody listens.
      await until(
        "all rows in the target",
        async () => (await postgresSum(url).catch(() => "")).startsWith(`${bigRows} `),
        120,
      );
      const [pod] = await workerPods(world.namespace, "operator-away");
      expect(pod.status.phase).toBe("Running");
      expect(podProcesses(pod.metadata.uid).length).toBeGreaterThan(0);
    } finally {
      await kubectl(["scale", "deployment/rowferry-operator", "-n", system, "--replicas=2"]);
    }
    await expectWhole("operator-away", url);
    await kubectl(["rollout", "status", "deployment/rowferry-operator", "-n", system, "--timeout=120s"]);
  });

  test("the API server restarted mid-copy loses and doubles nothing", async () => {
    const url = await start("apiserver-restarted");
    const terminal = openTerminal({ name: "test-restart" });
    const cluster = await openCluster({ name: inject("cluster").name, terminal });
    await cluster.restartApiServer();
    terminal.close();
    await expectWhole("apiserver-restarted", url);
  });
});
