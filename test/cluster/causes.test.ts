import { afterAll, beforeAll, describe, type ExpectStatic, expect, inject, test } from "vitest";
import { apply, applyMigration, condition, get, getMigration, kubectl, until, untilState } from "./kube.ts";
import { workerPods } from "./pods.ts";
import { loadImageAs, makeWorld, secretUrl, type World, withPostgres } from "./world.ts";

describe("what keeps a pod from running is named in a condition, and heals when the cause is gone", () => {
  let world: World;

  beforeAll(async () => {
    world = await makeWorld("causes", { source: "postgres-old", target: "postgres" });
    await withPostgres(world.databases["source"]?.host ?? "", async (client) => {
      await client.query("CREATE TABLE t (id integer PRIMARY KEY)");
      await client.query("INSERT INTO t SELECT generate_series(1, 1000)");
    });
  });
  afterAll(() => world?.end());

  const start = async (name: string, source = "source") => {
    const url = await world.emptyTarget("target", name);
    await applyMigration(world.namespace, name, {
      source: { secretRef: { name: source } },
      target: { secretRef: { name } },
    });
    return url;
  };

  const untilHeldBack = (name: string, reason: string, words: RegExp) =>
    until(
      `${name}: ${reason}`,
      async () => {
        const running = condition(await getMigration(world.namespace, name), "Running");
        return running?.status === "False" && running.reason === reason && words.test(running.message);
      },
      60,
    );

  /** `expect` is the test's own: some of them run at the same time. */
  const expectCopied = async (expect: ExpectStatic, name: string, url: string) => {
    const migration = await untilState(world.namespace, name, "completed", 180);
    expect(condition(migration, "Running")?.status).toBe("False");
    await withPostgres(url, async (client) => {
      expect((await client.query("SELECT count(*)::int AS n FROM t")).rows).toEqual([{ n: 1000 }]);
    });
  };

  test.concurrent("a Secret that does not exist", async ({ expect }) => {
    const url = await start("secret-missing", "not-yet");
    await untilHeldBack("secret-missing", "SecretMissing", /not-yet/);
    await world.secret("not-yet", world.databases["source"]?.pod);
    await expectCopied(expect, "secret-missing", url);
  });

  test.concurrent("a Secret that lacks its key", async ({ expect }) => {
    await apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "keyless", namespace: world.namespace },
      stringData: { uri: "x" },
    });
    const url = await start("key-missing", "keyless");
    await untilHeldBack("key-missing", "SecretKeyMissing", /url/);
    await world.secret("keyless", world.databases["source"]?.pod);
    await expectCopied(expect, "key-missing", url);
  });

  test("a quota that refuses the pod", async () => {
    await apply({
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "none", namespace: world.namespace },
      spec: { hard: { "requests.cpu": "1m" } },
    });
    const url = await start("quota");
    await untilHeldBack("quota", "QuotaExceeded", /quota/i);
    await kubectl(["delete", "resourcequota", "none", "-n", world.namespace]);
    await expectCopied(expect, "quota", url);
  });

  test("an evicted pod costs no attempt", async () => {
    const url = await start("evicted");
    const pod = await until("a pod", async () => {
      return (await workerPods(world.namespace, "evicted"))[0];
    });
    const eviction = {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: pod.metadata.name, namespace: world.namespace },
    };
    await kubectl(
      ["create", "--raw", `/api/v1/namespaces/${world.namespace}/pods/${pod.metadata.name}/eviction`, "-f", "-"],
      eviction,
    );
    await expectCopied(expect, "evicted", url);
    const job = await get("job", world.namespace, "evicted-1");
    expect(job.status.failed ?? 0).toBe(0);
  });

  test("a node that lacks the worker's image", async () => {
    const { system } = inject("cluster");
    const deployment = await get("deployment", system, "rowferry-operator");
    const [container] = deployment.spec.template.spec.containers;
    const image = container.env.find((one: { name: string }) => one.name === "ROWFERRY_WORKER_IMAGE").value;
    const set = async (value: string) => {
      await kubectl(["set", "env", "deployment/rowferry-operator", "-n", system, `ROWFERRY_WORKER_IMAGE=${value}`]);
      await kubectl(["rollout", "status", "deployment/rowferry-operator", "-n", system, "--timeout=120s"]);
    };
    const missing = "rowferry.dev/app:missing";
    await set(missing);
    try {
      await start("image-missing");
      await untilHeldBack("image-missing", "ImageUnavailable", /rowferry\.dev\/app:missing/);
    } finally {
      await set(image);
    }
    await loadImageAs(missing);
    await expectCopied(expect, "image-missing", secretUrl(world.databases["target"]?.host ?? "", "image-missing"));
  });
});
