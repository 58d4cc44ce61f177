import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type BigCopy, makeBigCopy } from "./big-copy.ts";
import { get, getMigration, type Json, kubectl, until } from "./kube.ts";
import { podProcesses, workerPods } from "./pods.ts";
import {
  closeSecondNode,
  cutSecond,
  holder,
  isolateSecond,
  leadFromSecond,
  nodes,
  onlyOn,
  openSecondNode,
  partition,
  saysThatItLeads,
  setOperator,
} from "./two-nodes.ts";

const silentVariable = "ROWFERRY_WORKER_SILENT_SECONDS";
const silentSeconds = 30;

describe("a copy in a cluster of two nodes", () => {
  let big: BigCopy;
  let usual = "";

  beforeAll(async () => {
    await openSecondNode();
    await onlyOn(nodes.first);
    const { spec } = await get("deployment", inject("cluster").system, "rowferry-operator");
    usual = spec.template.spec.containers[0].env.find(({ name }: Json) => name === silentVariable).value;
    await setOperator(`${silentVariable}=${silentSeconds}`);
    big = await makeBigCopy("nodes");
  });
  afterAll(async () => {
    await closeSecondNode();
    if (usual !== "") await setOperator(`${silentVariable}=${usual}`);
    await big?.world.end();
  });

  /** A copy whose worker is on the second node, a tenth done, when it is disturbed; it cannot end before. */
  const disturbed = (name: string, disturb: (pod: Json) => Promise<unknown>): Promise<string> =>
    big.startHeld(name, async () => {
      await big.untilCopied(name, 1 / 10);
      const [pod] = await workerPods(big.world.namespace, name);
      expect(pod.spec.nodeName).toBe(nodes.second);
      await disturb(pod);
    });

  const eventsOf = async (name: string, reason: string): Promise<Json[]> => {
    const { items } = await get("events", big.world.namespace, `--field-selector=involvedObject.name=${name}`);
    return items.filter((event: Json) => event.reason === reason);
  };

  /** Whole, once: one run, one Job, one completion, and the pod that ended it was on the first node. */
  const expectOnce = async (name: string, url: string, run = 1) => {
    const { metadata, status } = await big.expectWhole(expect, name, url);
    expect(status?.run).toBe(run);
    const { items } = await get("jobs", big.world.namespace, "-l", `rowferry.dev/migration-uid=${metadata.uid}`);
    expect(items.map((job: Json) => job.metadata.uid)).toEqual([status?.job?.uid]);
    const pods = await workerPods(big.world.namespace, name);
    expect(pods.at(-1)?.spec.nodeName).toBe(nodes.first);
    const completed = await until("the completion's event", async () => {
      const found = await eventsOf(name, "Completed");
      return found.length > 0 && found;
    });
    expect(completed).toHaveLength(1);
    expect(completed[0].series?.count ?? completed[0].count ?? 1).toBe(1);
  };

  test("a node that is drained: a successor on the other node goes on, and completes once", async () => {
    await onlyOn(nodes.second);
    const url = await disturbed("drained", async () => {
      await onlyOn(nodes.first);
      await kubectl(["drain", nodes.second, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=120s"]);
    });
    await expectOnce("drained", url);
    expect(await eventsOf("drained", "WorkerSilent")).toEqual([]);
  });

  test("the leader cut off from the API server: another leads, and the old one does nothing when it is back", async () => {
    const { system } = inject("cluster");
    const { namespace } = big.world;
    const old = await get("pod", system, await holder());
    let job: string | undefined;
    // Held, so that the first run cannot complete before the reset.
    const url = await big.startHeld("leader-cut-off", async () => {
      await big.untilCopied("leader-cut-off", 1 / 20);
      const heal = await partition(old.status.podIP);
      try {
        await until("the old leader to give up by itself", async () => !(await saysThatItLeads(old)));
        await until("another leader", async () => {
          const now = await holder();
          return now !== "" && now !== old.metadata.name;
        });
        // The old leader has not seen any of this, and to it the new Job is none of the Migration's.
        const reset = ["-n", namespace, "--type=merge", "-p", '{"spec":{"reset":1}}'];
        await kubectl(["patch", "migration", "leader-cut-off", ...reset]);
        job = await until("the second run's Job", async () => {
          const { status } = await getMigration(namespace, "leader-cut-off");
          return status?.run === 2 && status.job?.uid;
        });
      } finally {
        await heal();
      }
    });
    const leads = await holder();
    await expectOnce("leader-cut-off", url, 2);
    expect((await getMigration(namespace, "leader-cut-off")).status?.job?.uid).toBe(job);
    expect(await workerPods(namespace, "leader-cut-off")).toHaveLength(1);
    expect(await eventsOf("leader-cut-off", "WorkerSilent")).toEqual([]);
    expect(await holder()).toBe(leads);
    // It is well again, in the same process, and follows.
    const back = await get("pod", system, old.metadata.name);
    expect(back.status.containerStatuses[0]).toMatchObject({ ready: true, restartCount: 0 });
    expect(await saysThatItLeads(back)).toBe(false);
  });

  test("a node cut off from Kubernetes and not from the databases: its worker is fenced off, the successor completes once", async () => {
    const { namespace } = big.world;
    const databases: Json[] = (await get("pods", namespace)).items.filter(({ metadata }: Json) =>
      /^(source|target)-/.test(metadata.name),
    );
    expect(databases).toHaveLength(2);
    await onlyOn(nodes.second);
    let heal = async () => {};
    try {
      const url = await disturbed("node-isolated", async ({ metadata }) => {
        const old = metadata.uid;
        await onlyOn(nodes.first);
        heal = await isolateSecond(databases.map(({ status }) => status.podIP));
        let atWork = 0;
        await until(
          "the event WorkerSilent",
          async () => {
            atWork = podProcesses(old).length;
            return (await eventsOf("node-isolated", "WorkerSilent")).length > 0;
          },
          180,
        );
        // Nobody could end the first: it works on while its successor starts.
        expect(atWork).toBeGreaterThan(0);
        // Only the databases can tell it of its successor, which has taken the target over.
        await until("the first worker's end", async () => podProcesses(old).length === 0, 180);
      });
      expect(await eventsOf("node-isolated", "WorkerSilent")).toHaveLength(1);
      await expectOnce("node-isolated", url);
    } finally {
      await heal();
    }
  });

  test("a node that is lost without a word, the leader with it: WorkerSilent, and successors on the other node complete once", async () => {
    const { namespace } = big.world;
    await leadFromSecond();
    await onlyOn(nodes.second);
    let urls: string[] = [];
    let cutAt = 0;
    const left = await disturbed("node-lost", async () => {
      const deleted = await disturbed("node-lost-deleted", async ({ metadata }) => {
        await onlyOn(nodes.first);
        await cutSecond();
        cutAt = Date.now();
        // Nobody is there to end it: to Kubernetes it is ending for ever.
        await kubectl(["delete", "pod", metadata.name, "-n", namespace, "--wait=false"]);
      });
      urls = [deleted];
    });
    urls.unshift(left);
    const names = ["node-lost", "node-lost-deleted"];
    for (const name of names) {
      const [silent] = await until(
        `the event WorkerSilent of ${name}`,
        async () => {
          const found = await eventsOf(name, "WorkerSilent");
          return found.length > 0 && found;
        },
        180,
      );
      // A worker reports every 15 seconds at least.
      expect(Date.now() - cutAt).toBeGreaterThan((silentSeconds - 16) * 1000);
      expect(silent.note ?? silent.message).toMatch(/^The worker in pod \S+ on node node-2 .*: its pod was ended/);
    }
    for (const [at, name] of names.entries()) {
      await expectOnce(name, urls[at] ?? "");
      const pods = await workerPods(namespace, name);
      expect(pods.map(({ spec }) => spec.nodeName)).toEqual([nodes.first]);
    }
  });
});
