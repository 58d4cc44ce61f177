import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { loadShop } from "../../dev/demo/load.ts";
import { shop } from "../../dev/demo/shop.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import { apiVersion, labels } from "../../src/resources/group.ts";
import { kinds } from "../../src/resources/objects.ts";
import { apply, client, get, type Json, kubectl, until } from "./kube.ts";
import { killInPod } from "./pods.ts";
import { makeWorld, type World, withMysql } from "./world.ts";

/** Backups on a PersistentVolumeClaim, and verifications in servers of their own images. */

const engines = ["mysql", "mariadb"] as const;
const rows = shop.reduce((sum, table) => sum + table.rows, 0);
/** The worker's, and of its volumes. */
const account = 65_532;
const namespace = "backups";
const claim = "archive";

/** A claim on a folder of the node that belongs to root: fsGroup alone lets a pod write there. */
async function makeClaim(folder: string): Promise<void> {
  const [node] = (await get("nodes", namespace)).items;
  const size = { storage: "1Gi" };
  const accessModes = ["ReadWriteOnce"];
  const terms = [
    { key: "kubernetes.io/hostname", operator: "In", values: [node.metadata.labels["kubernetes.io/hostname"]] },
  ];
  await apply({
    ...{ apiVersion: "v1", kind: "PersistentVolume", metadata: { name: namespace } },
    spec: {
      ...{ capacity: size, accessModes, storageClassName: "", persistentVolumeReclaimPolicy: "Retain" },
      local: { path: folder },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: terms }] } },
    },
  });
  await apply({
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: claim, namespace } },
    spec: { accessModes, storageClassName: "", volumeName: namespace, resources: { requests: size } },
  });
}

const make = (kind: string, name: string, spec: object) =>
  apply({ apiVersion, kind, metadata: { name, namespace }, spec });

async function untilRun(name: string, what: string, holds: (run: BackupRun) => boolean): Promise<BackupRun> {
  let last: BackupRun | undefined;
  return until(
    `${name}: ${what}`,
    async () => {
      last = await client().get(kinds.backupRuns, namespace, name);
      return last !== undefined && holds(last) && last;
    },
    180,
  ).catch((cause: unknown) => {
    throw new Error(`${name}: ${what}: ${JSON.stringify(last?.status)}`, { cause });
  });
}

const isCompleted = ({ status }: BackupRun) => status?.state === "completed";
const isVerified = ({ spec, status }: BackupRun) =>
  status?.verification?.restore?.endsWith(`-verify-${spec.verifications}`) === true && spec.verifications > 0;

const podOf = async (restore: string): Promise<Json | undefined> => {
  const { items } = await get("pods", namespace, "-l", "app.kubernetes.io/component=worker");
  return items.find(({ metadata }: Json) => metadata.annotations[labels.owner] === `Restore/${restore}`);
};

describe("backups on a volume", () => {
  let world: World;
  let folder: string;

  beforeAll(async () => {
    world = await makeWorld(namespace, { mysql: "mysql", mariadb: "mariadb" });
    await kubectl(["label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted"]);
    folder = join(mkdtempSync(join(tmpdir(), "volume-")), "data");
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    await makeClaim(folder);
    await Promise.all(engines.map((name) => loadShop(world.databases[name]?.host ?? "", () => {})));
    for (const name of engines)
      await make("BackupSchedule", name, {
        ...{ source: { secretRef: { name } }, storage: { volume: { claimName: claim } }, interval: "weekly" },
        ...{ suspend: true, retention: { keepLast: 1 }, verification: { policy: "EachRun" } },
      });
  });
  afterAll(async () => {
    await world?.end();
    await kubectl(["delete", "persistentvolume", namespace, "--ignore-not-found", "--wait=false"]);
  });

  const locationOf = (run: BackupRun) => join(folder, run.status?.location ?? "none");

  test("two runs at once share a claim; each is verified in a server of its own image", async () => {
    for (const engine of engines) await make("BackupRun", `${engine}-1`, { schedule: engine });
    for (const engine of engines) {
      const run = await untilRun(`${engine}-1`, "a verification", isVerified);
      expect(run.status).toMatchObject({ state: "completed", rows, tables: shop.length });
      expect(run.status?.verification).toMatchObject({ outcome: "verified", rows, tables: shop.length });
      const manifest = readdirSync(locationOf(run));
      expect(manifest.length).toBeGreaterThan(1);
      const { uid, gid } = lstatSync(join(locationOf(run), manifest[0] ?? ""));
      expect([uid, gid]).toEqual([account, account]);
    }
  });

  test.each(engines)(
    "the throw-away server of %s has no token, no Secret and bounded resources, and ends with the worker",
    async (engine) => {
      const pod = await until("its end", async () => {
        const found = await podOf(`${engine}-1-verify-1`);
        return found?.status.initContainerStatuses?.[0]?.state.terminated !== undefined && found;
      });
      const [server] = pod.spec.initContainers;
      expect(pod.spec.automountServiceAccountToken).toBe(false);
      expect(server.volumeMounts).toEqual([{ name: "server-data", mountPath: "/var/lib/mysql" }]);
      expect(server.env.every(({ valueFrom }: Json) => valueFrom === undefined)).toBe(true);
      expect(server.resources.limits.memory).toBe("1Gi");
      expect(server.args).toContain("--bind-address=127.0.0.1");
      expect(pod.spec.volumes.find(({ name }: Json) => name === "server-data").emptyDir.sizeLimit).toBe("20Gi");
      expect(pod.status.phase).toBe("Succeeded");
    },
  );

  test("retention deletes the older run's folder from the volume", async () => {
    const before = await untilRun("mysql-1", "completed", isCompleted);
    await make("BackupRun", "mysql-2", { schedule: "mysql" });
    const after = await untilRun("mysql-2", "completed", isCompleted);
    await until(
      "the older run to be gone",
      async () => (await client().get(kinds.backupRuns, namespace, "mysql-1")) === undefined,
    );
    expect(() => readdirSync(locationOf(before))).toThrow("ENOENT");
    expect(readdirSync(locationOf(after)).length).toBeGreaterThan(1);
  });

  test("a restore reads the volume: the new database has every row", async () => {
    const url = await world.emptyTarget("mysql", "restored");
    await make("Restore", "restored", { backupRun: "mysql-2", target: { secretRef: { name: "restored" } } });
    const restore = await until(
      "the restore's end",
      async () => {
        const found: Restore | undefined = await client().get(kinds.restores, namespace, "restored");
        return ["completed", "failed"].includes(found?.status?.state ?? "") && found;
      },
      180,
    );
    expect(restore.status).toMatchObject({ state: "completed", rows });
    const counted = await withMysql(url, async (connection) => {
      const counts = shop.map(async ({ name }) => {
        const [found] = await connection.query(`SELECT count(*) AS n FROM \`${name}\``);
        return Number((found as Json)[0].n);
      });
      return (await Promise.all(counts)).reduce((sum, n) => sum + n, 0);
    });
    expect(counted).toBe(rows);
  });

  test("a restore into another product goes by way of a server of the backup's image", async () => {
    await world.emptyTarget("mysql", "converted");
    const target = { secretRef: { name: "converted" } };
    await make("Restore", "converted", { backupRun: "mariadb-1", target, convert: true });
    const restore = await until(
      "the restore's end",
      async () => {
        const found: Restore | undefined = await client().get(kinds.restores, namespace, "converted");
        return ["completed", "failed"].includes(found?.status?.state ?? "") && found;
      },
      240,
    );
    expect(restore.status, JSON.stringify(restore.status)).toMatchObject({ state: "completed", rows });
    expect(restore.status?.result?.message).toContain("Restored by way of a throw-away server and verified");
    const pod = await podOf("converted");
    expect(pod?.spec.initContainers[0].args).toContain("mariadbd");
  });

  test("a verification goes on while the operator is killed, and its server ends with it", async () => {
    const { spec } = await untilRun("mysql-2", "its verification", isVerified);
    const verifications = spec.verifications + 1;
    await client().mergePatch(kinds.backupRuns, namespace, "mysql-2", { spec: { verifications } });
    const restore = `mysql-2-verify-${verifications}`;
    await until("its pod", async () => (await podOf(restore)) !== undefined);
    const { system } = inject("cluster");
    const { items } = await get("pods", system, "-l", "app.kubernetes.io/component=operator");
    for (const { metadata } of items) await killInPod(metadata.uid);
    const run = await untilRun("mysql-2", "another verification", isVerified);
    expect(run.status?.verification).toMatchObject({ outcome: "verified", restore, rows });
    const pod = await until("the server's end", async () => {
      const found = await podOf(restore);
      return found?.status.initContainerStatuses?.[0]?.state.terminated !== undefined && found;
    });
    expect(pod.status.phase).toBe("Succeeded");
    const jobs = await get("jobs", namespace, "-l", labels.ownerUid);
    const own = jobs.items.filter(({ metadata }: Json) => metadata.annotations[labels.owner] === `Restore/${restore}`);
    expect(own).toHaveLength(1);
  });
});
