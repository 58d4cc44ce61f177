import { afterAll, beforeAll, describe, test } from "vitest";
import { seeded } from "../../dev/demo/shop.ts";
import { chosenSeed } from "../seed.ts";
import { type BigCopy, makeBigCopy } from "./big-copy.ts";
import { applyMigration, condition, get, getMigration, kubectl, until, untilState } from "./kube.ts";
import { killInPod, workerPods } from "./pods.ts";
import { leftInTarget } from "./world.ts";

const seed = chosenSeed();
const random = seeded(seed);

describe.concurrent(`a copy whose worker is disturbed (seed ${seed})`, () => {
  let big: BigCopy;

  beforeAll(async () => {
    big = await makeBigCopy("faults-worker");
  });
  afterAll(() => big?.world.end());

  /** As soon as the share is copied (0: as soon as the worker's process runs): its pod's name and uid. */
  const podAt = (name: string, share: number) =>
    until(`a worker of ${name}`, async () => {
      if (share > 0) await big.untilCopied(name, share);
      const [pod] = await workerPods(big.world.namespace, name);
      return pod?.status.phase === "Running"
        ? { name: pod.metadata.name as string, uid: pod.metadata.uid as string }
        : undefined;
    });

  test.for([1, 2, 3])("SIGKILL at a random point costs nothing (%i)", async (round, { expect }) => {
    const name = `killed-${round}`;
    const url = await big.startHeld(name, async () => {
      const pod = await podAt(name, random() * 0.9);
      await killInPod(pod.uid);
    });
    await big.expectWhole(expect, name, url);
    expect((await workerPods(big.world.namespace, name)).length).toBeGreaterThan(1);
  });

  test("a deleted pod is replaced, and the copy is whole", async ({ expect }) => {
    const url = await big.startHeld("pod-deleted", async () => {
      const pod = await podAt("pod-deleted", random() * 0.8);
      await kubectl(["delete", "pod", pod.name, "-n", big.world.namespace]);
    });
    await big.expectWhole(expect, "pod-deleted", url);
  });

  test("a deleted Job fails the run by name, and raising attempt heals it", async ({ expect }) => {
    const url = await big.startHeld("job-deleted", async () => {
      await big.untilCopied("job-deleted", 0.1);
      await kubectl(["delete", "job", "job-deleted-1", "-n", big.world.namespace]);
    });
    const failed = await untilState(big.world.namespace, "job-deleted", "failed");
    expect(condition(failed, "Failed")).toMatchObject({ status: "True", reason: "JobDeleted" });
    expect(condition(failed, "Failed")?.message).toMatch(/attempt/);
    await kubectl([
      "patch",
      "migration",
      "job-deleted",
      "-n",
      big.world.namespace,
      "--type=merge",
      "-p",
      '{"spec":{"attempt":2}}',
    ]);
    await big.expectWhole(expect, "job-deleted", url);
  });

  test("a Migration deleted mid-copy takes its Job and pod along and writes no more", async ({ expect }) => {
    let uid = "";
    const url = await big.startHeld("migration-deleted", async () => {
      await big.untilCopied("migration-deleted", 0.1);
      ({ uid } = (await getMigration(big.world.namespace, "migration-deleted")).metadata);
      await kubectl(["delete", "migration", "migration-deleted", "-n", big.world.namespace]);
    });
    await until("no Job and no pod", async () => {
      const { items } = await get(
        "jobs,pods,configmaps",
        big.world.namespace,
        "-l",
        `rowferry.dev/migration-uid=${uid}`,
      );
      return items.length === 0;
    });
    // The next Migration into the same database is told whose leftovers it met, and touches nothing.
    await applyMigration(big.world.namespace, "after-deleted", {
      source: { secretRef: { name: "source" } },
      target: { secretRef: { name: "migration-deleted" } },
    });
    const failed = await untilState(big.world.namespace, "after-deleted", "failed");
    expect(condition(failed, "Failed")?.message).toMatch(/migration-deleted/);
    expect(await leftInTarget(url)).toContainEqual(expect.stringContaining("_rowferry"));
  });

  test("reset while it runs starts anew from a clean target", async ({ expect }) => {
    const url = await big.start("reset-running");
    await big.untilCopied("reset-running", 0.2);
    await kubectl([
      "patch",
      "migration",
      "reset-running",
      "-n",
      big.world.namespace,
      "--type=merge",
      "-p",
      '{"spec":{"reset":1}}',
    ]);
    await big.expectWhole(expect, "reset-running", url);
    expect((await getMigration(big.world.namespace, "reset-running")).status?.run).toBe(2);
  });

  test("reset of a completed Migration drops what it made, and only that", async ({ expect }) => {
    const url = await big.start("reset-completed");
    await big.expectWhole(expect, "reset-completed", url);
    const { withPostgres } = await import("./world.ts");
    await withPostgres(url, (client) => client.query("CREATE TABLE public.mine AS SELECT 1 AS one"));
    await kubectl([
      "patch",
      "migration",
      "reset-completed",
      "-n",
      big.world.namespace,
      "--type=merge",
      "-p",
      '{"spec":{"reset":1}}',
    ]);
    await until(
      "the second run",
      async () => (await getMigration(big.world.namespace, "reset-completed")).status?.run === 2,
    );
    await big.expectWhole(expect, "reset-completed", url);
    expect(await leftInTarget(url)).toContainEqual(expect.stringMatching(/\.mine$/));
  });
});
