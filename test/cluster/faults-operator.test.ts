import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openCluster } from "../../dev/cluster/index.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { type BigCopy, makeBigCopy, postgresSum } from "./big-copy.ts";
import { get, type Json, kubectl, until } from "./kube.ts";
import { killInPod, podProcesses, workerPods } from "./pods.ts";
import { withPostgres } from "./world.ts";

const referenceIsThere = (url: string): Promise<boolean> =>
  withPostgres(url, async (client) => {
    const { rows } = await client.query(
      "SELECT FROM pg_constraint WHERE conrelid = 'note'::regclass AND contype = 'f'",
    );
    return rows.length === 1;
  });

describe("a copy whose operator or API server is disturbed", () => {
  let big: BigCopy;

  beforeAll(async () => {
    big = await makeBigCopy("faults-operator");
  });
  afterAll(() => big?.world.end());

  const start = async (name: string) => {
    const url = await big.start(name);
    await big.untilCopied(name, 1 / 20);
    return url;
  };

  /** Whole, by one pod of one Job. */
  const expectWhole = async (name: string, url: string) => {
    const { metadata, status } = await big.expectWhole(expect, name, url);
    const { namespace } = big.world;
    expect(await workerPods(namespace, name)).toHaveLength(1);
    const { items } = await get("jobs", namespace, "-l", `rowferry.dev/migration-uid=${metadata.uid}`);
    expect(items.map((job: Json) => job.metadata.uid)).toEqual([status?.job?.uid]);
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
    let url = "";
    try {
      // Held: else the copy may end while there is still an operator to tell it to.
      url = await big.startHeld("operator-away", async () => {
        await big.untilCopied("operator-away", 1 / 20);
        await kubectl(["scale", "deployment/rowferry-operator", "-n", system, "--replicas=0"]);
        await until(
          "no operator",
          async () => (await get("pods", system, "-l", "app.kubernetes.io/component=operator")).items.length === 0,
        );
      });
      // Everything arrives although nobody listens: the reference is what a copy makes last.
      await until("the reference in the target", () => referenceIsThere(url), 120);
      expect(await postgresSum(url)).toBe(big.sum);
      const [pod] = await workerPods(big.world.namespace, "operator-away");
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
