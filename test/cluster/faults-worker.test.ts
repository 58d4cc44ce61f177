import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seeded } from "../../dev/demo/shop.ts";
import { applyMigration, condition, get, getMigration, kubectl, until, untilState } from "./kube.ts";
import { killInPod, workerPods } from "./pods.ts";
import { bigRows, fillMysql, leftInTarget, makeWorld, mysqlSum, postgresSum, type World } from "./world.ts";

const seed = Number(process.env["ROWFERRY_SEED"] ?? Date.now() % 1_000_000);
const random = seeded(seed);

describe.concurrent(`a copy whose worker is disturbed (seed ${seed})`, () => {
  let world: World;
  let sum: string;

  beforeAll(async () => {
    world = await makeWorld("faults-worker", { source: "mysql", target: "postgres" });
    await fillMysql(world.databases["source"]?.host ?? "");
    sum = await mysqlSum(world.databases["source"]?.host ?? "");
    expect(sum.startsWith(`${bigRows} `)).toBe(true);
  });
  afterAll(() => world?.end());

  const start = async (name: string) => {
    const url = await world.emptyTarget("target", name);
    await applyMigration(world.namespace, name, {
      source: { secretRef: { name: "source" } },
      target: { secretRef: { name } },
    });
    return url;
  };

  /** Waits until the share of rows is copied (0: as soon as the worker's process runs), and gives the pod's name and uid. */
  const untilCopied = (name: string, share: number) =>
    until(`${Math.round(share * 100)} % of ${name}`, async () => {
      const [pod] = await workerPods(world.namespace, name);
      if (pod?.status.phase !== "Running") return undefined;
      const done = (await getMigration(world.namespace, name)).status?.progress?.rows.done ?? 0;
      return done >= share * bigRows
        ? { name: pod.metadata.name as string, uid: pod.metadata.uid as string }
        : undefined;
    });

  const expectWhole = async (name: string, url: string) => {
    const migration = await untilState(world.namespace, name, "completed", 180);
    expect(condition(migration, "Complete")?.status).toBe("True");
    expect(await postgresSum(url)).toBe(sum);
    expect(await leftInTarget(url)).not.toContainEqual(expect.stringContaining("_rowferry"));
  };

  test.each([1, 2, 3])("SIGKILL at a random point costs nothing (%i)", async (round) => {
    const name = `killed-${round}`;
    const url = await start(name);
    const pod = await untilCopied(name, random() * 0.9);
    await killInPod(pod.uid);
    await expectWhole(name, url);
    expect((await workerPods(world.namespace, name)).length).toBeGreaterThan(1);
  });

  test("a deleted pod is replaced, and the copy is whole", async () => {
    const url = await start("pod-deleted");
    const pod = await untilCopied("pod-deleted", random() * 0.8);
    await kubectl(["delete", "pod", pod.name, "-n", world.namespace]);
    await expectWhole("pod-deleted", url);
  });

  test("a deleted Job fails the run by name, and raising attempt heals it", async () => {
    const url = await start("job-deleted");
    await untilCopied("job-deleted", 0.1);
    await kubectl(["delete", "job", "job-deleted-1", "-n", world.namespace]);
    const failed = await untilState(world.namespace, "job-deleted", "failed");
    expect(condition(failed, "Failed")).toMatchObject({ status: "True", reason: "JobDeleted" });
    expect(condition(failed, "Failed")?.message).toMatch(/attempt/);
    await kubectl([
      "patch",
      "migration",
      "job-deleted",
      "-n",
      world.namespace,
      "--type=merge",
      "-p",
      '{"spec":{"attempt":2}}',
    ]);
    await expectWhole("job-deleted", url);
  });

  test("a Migration deleted mid-copy takes its Job and pod along and writes no more", async () => {
    const url = await start("migration-deleted");
    await untilCopied("migration-deleted", 0.1);
    const { uid } = (await getMigration(world.namespace, "migration-deleted")).metadata;
    await kubectl(["delete", "migration", "migration-deleted", "-n", world.namespace]);
    await until("no Job and no pod", async () => {
      const { items } = await get("jobs,pods,configmaps", world.namespace, "-l", `rowferry.dev/migration-uid=${uid}`);
      return items.length === 0;
    });
    // The next Migration into the same database is told whose leftovers it met, and touches nothing.
    await applyMigration(world.namespace, "after-deleted", {
      source: { secretRef: { name: "source" } },
      target: { secretRef: { name: "migration-deleted" } },
    });
    const failed = await untilState(world.namespace, "after-deleted", "failed");
    expect(condition(failed, "Failed")?.message).toMatch(/migration-deleted/);
    expect(await leftInTarget(url)).toContainEqual(expect.stringContaining("_rowferry"));
  });

  test("reset while it runs starts anew from a clean target", async () => {
    const url = await start("reset-running");
    await untilCopied("reset-running", 0.2);
    await kubectl([
      "patch",
      "migration",
      "reset-running",
      "-n",
      world.namespace,
      "--type=merge",
      "-p",
      '{"spec":{"reset":1}}',
    ]);
    await expectWhole("reset-running", url);
    expect((await getMigration(world.namespace, "reset-running")).status?.run).toBe(2);
  });

  test("reset of a completed Migration drops what it made, and only that", async () => {
    const url = await start("reset-completed");
    await expectWhole("reset-completed", url);
    const { withPostgres } = await import("./world.ts");
    await withPostgres(url, (client) => client.query("CREATE TABLE public.mine AS SELECT 1 AS one"));
    await kubectl([
      "patch",
      "migration",
      "reset-completed",
      "-n",
      world.namespace,
      "--type=merge",
      "-p",
      '{"spec":{"reset":1}}',
    ]);
    await until(
      "the second run",
      async () => (await getMigration(world.namespace, "reset-completed")).status?.run === 2,
    );
    await expectWhole("reset-completed", url);
    expect(await leftInTarget(url)).toContainEqual(expect.stringMatching(/\.mine$/));
  });
});
