import { afterAll, beforeAll, describe, test } from "vitest";
import { type BigCopy, makeBigCopy } from "./big-copy.ts";
import { apply, applyMigration, condition, get, getMigration, kubectl, until, untilState } from "./kube.ts";
import { leftInTarget, secretUrl, type World, withMysql, withPostgres } from "./world.ts";

describe.concurrent("a copy whose databases are disturbed", () => {
  let big: BigCopy;
  let world: World;

  beforeAll(async () => {
    big = await makeBigCopy("faults-databases");
    world = big.world;
  });
  afterAll(() => world?.end());

  test("source connections cut mid-copy: tried again, whole in the end", async ({ expect }) => {
    const url = await big.start("source-cut");
    // The other tests' copies read the same table at the same time: they go on.
    const { metadata } = await getMigration(world.namespace, "source-cut");
    const address = await until("the worker's address", async () => {
      const { items } = await get("pods", world.namespace, "-l", `rowferry.dev/migration-uid=${metadata.uid}`);
      return items[0]?.status.podIP as string | undefined;
    });
    // Met while it reads the rows themselves: what it reports of itself is seconds old.
    await withMysql(world.databases["source"]?.host ?? "", (connection) =>
      until(
        "source-cut reads rows",
        async () => {
          const [rows] = await connection.query(
            "SELECT id FROM information_schema.processlist WHERE host LIKE ? AND info LIKE 'SELECT %`word`% FROM %`big`%'",
            [`${address}:%`],
          );
          const killed = (rows as { id: number }[]).map(({ id }) =>
            connection.query(`KILL ${id}`).then(
              () => true,
              () => false,
            ),
          );
          return (await Promise.all(killed)).includes(true);
        },
        120,
      ),
    );
    await big.expectWhole(expect, "source-cut", url);
  });

  test("target connections cut mid-copy: tried again, whole in the end", async ({ expect }) => {
    let cut = 0;
    const url = await big.startHeld("target-cut", async () => {
      await big.untilCopied("target-cut", 1 / 20);
      await withPostgres(secretUrl(world.databases["target"]?.host ?? "", "postgres"), async (client) => {
        const { rowCount } = await client.query(
          "SELECT FROM pg_stat_activity WHERE datname = 'target-cut' AND application_name LIKE 'rowferry %' AND pg_terminate_backend(pid)",
        );
        cut = rowCount ?? 0;
      });
    });
    expect(cut).toBeGreaterThan(0);
    await big.expectWhole(expect, "target-cut", url);
  });

  test("a target out of connections: the cause is named, and the run heals when they are back", async ({ expect }) => {
    const url = await world.emptyTarget("target", "no-connections");
    await withPostgres(secretUrl(url, "postgres"), (client) =>
      client.query('ALTER DATABASE "no-connections" CONNECTION LIMIT 0'),
    );
    await withPostgres(secretUrl(url, "postgres"), async (client) => {
      await client.query("DROP ROLE IF EXISTS limited");
      await client.query("CREATE ROLE limited LOGIN PASSWORD 'limited-1'");
      await client.query('ALTER DATABASE "no-connections" OWNER TO limited');
    });
    const limited = new URL(secretUrl(world.databases["target"]?.pod ?? "", "no-connections"));
    limited.username = "limited";
    limited.password = "limited-1";
    await world.secret("no-connections", limited.href);
    await applyMigration(world.namespace, "no-connections", {
      source: { secretRef: { name: "source" } },
      target: { secretRef: { name: "no-connections" } },
    });
    await until("the cause in the log", async () => {
      const { status } = await getMigration(world.namespace, "no-connections");
      return status?.log?.some((entry) => /connections/.test(entry.message));
    });
    await withPostgres(secretUrl(url, "postgres"), (client) =>
      client.query('ALTER DATABASE "no-connections" CONNECTION LIMIT -1'),
    );
    await big.expectWhole(expect, "no-connections", url);
  });

  test("a target whose disk is full fails with that cause, and a retry completes once there is room", async ({
    expect,
  }) => {
    await kubectl(["get", "namespace", world.namespace]);
    const namespace = world.namespace;
    const small = (await get("deployment", namespace, "target")) as { metadata: object; spec: object };
    const copy = JSON.parse(JSON.stringify(small).replaceAll('"target"', '"small"'));
    const { spec } = copy;
    for (const volume of spec.template.spec.volumes)
      if (volume.emptyDir) volume.emptyDir = { medium: "Memory", sizeLimit: "150Mi" };
    await apply({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "small", namespace }, spec });
    await apply({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "small", namespace },
      spec: { selector: spec.selector.matchLabels, ports: [{ port: 5432 }] },
    });
    await kubectl(["rollout", "status", "deployment/small", "-n", namespace, "--timeout=120s"]);
    await world.secret("small", (world.databases["target"]?.pod ?? "").replace("@target.", "@small."));
    await applyMigration(namespace, "disk-full", {
      source: { secretRef: { name: "source" } },
      target: { secretRef: { name: "small" } },
    });
    const failed = await untilState(namespace, "disk-full", "failed");
    expect(condition(failed, "Failed")).toMatchObject({ status: "True", reason: "DiskFull" });
    expect(condition(failed, "Failed")?.message).toMatch(/disk/i);
  });

  test.for<[name: string, change: (url: URL) => string, words: RegExp]>([
    ["wrong-password", (url: URL) => (url.password = "wrong"), /password|access|denied/i],
    ["wrong-host", (url: URL) => (url.host = "nowhere.invalid:3306"), /nowhere\.invalid/],
    ["wrong-port", (url: URL) => (url.port = "1"), /check host,? (and )?port/i],
    ["wrong-database", (url: URL) => (url.pathname = "/missing"), /missing/],
  ])("%s fails within seconds in words that name the fix", async ([name, change, words], { expect }) => {
    const url = new URL(world.databases["source"]?.pod ?? "");
    change(url);
    await world.secret(name, url.href);
    await world.emptyTarget("target", `${name}-target`);
    await applyMigration(world.namespace, name, {
      source: { secretRef: { name } },
      target: { secretRef: { name: `${name}-target` } },
    });
    const failed = await untilState(world.namespace, name, "failed", 90);
    expect(condition(failed, "Failed")?.message).toMatch(words);
    const log = [...(failed.status?.log ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(log.at(-1)?.message).toMatch(words);
  });

  test("a source that is the target is refused before anything is written", async ({ expect }) => {
    const url = await world.emptyTarget("target", "itself");
    await withPostgres(url, (client) => client.query("CREATE TABLE t AS SELECT 1 AS one"));
    await world.secret("itself-again", `${secretUrl(world.databases["target"]?.pod ?? "", "itself")}?sslmode=prefer`);
    await applyMigration(world.namespace, "itself", {
      source: { secretRef: { name: "itself" } },
      target: { secretRef: { name: "itself-again" } },
    });
    const failed = await untilState(world.namespace, "itself", "failed", 90);
    expect(condition(failed, "Failed")?.message).toMatch(/same database/i);
    expect(await leftInTarget(url)).toEqual(["public.t"]);
  });
});
