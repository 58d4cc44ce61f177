import type { Database } from "../../../dev/databases/index.ts";
import { checkArchive, generateKey, storageOf } from "../../../src/backup/index.ts";
import type { BackupRun } from "../../../src/resources/backup/run.ts";
import { kinds } from "../../../src/resources/objects.ts";
import { type Faulty, openFaulty } from "../../backup/faulty.ts";
import { type PlaneClient, until } from "../../operator/control-plane.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { database, fingerprint, sql, type Where } from "../../support/engine/postgres-support.ts";
import { objectsIn, uploadsIn } from "../bucket.ts";
import { bucketOf, ended, object, type Scene, startScene, untilObject } from "../support.ts";
import { type Facts, judge, type Known, type RestoreFact, surplusOf } from "./judge.ts";

/** A schedule of a database that changes before each run, and what is left of its backups. */
export interface Backups {
  scene: Scene;
  /** By which the pods reach the bucket. */
  way: Faulty;
  /** Takes the next run and resolves to its name; its end is not waited for. */
  take(): Promise<string>;
  /** Restores this run into a new database, likewise. */
  restore(run: string): Promise<string>;
  /** Asks for a verification of this run. */
  prove(run: string): Promise<void>;
  untilEnded(kind: "BackupRun" | "Restore", name: string): Promise<void>;
  /** Until the verification that was asked for is noted in the run. */
  untilProved(run: string): Promise<void>;
  newest(): Promise<string | undefined>;
  /** Waits until no work is left, and resolves to the violations. */
  verdict(): Promise<string[]>;
  stop(): Promise<void>;
}

const schedule = "nightly";
const keepLast = 2;
/** Of 512 bytes that cannot be compressed: an object of several parts. */
const rows = 24_000;
const prefix = "rowferry/";
const settleMs = 180_000;

export async function openBackups(plane?: PlaneClient): Promise<Backups> {
  const server = await borrowDatabase("postgres");
  const stops: (() => Promise<unknown>)[] = [() => server.stop()];
  const stop = async () => {
    for (const one of stops.reverse()) await one();
  };
  try {
    const ownServer = async () => urlOf(await database(server));
    const env = { ROWFERRY_VERIFY_IMAGES: JSON.stringify({ postgres: "postgres:18" }) };
    const scene = await startScene({ ...(plane ? { plane } : {}), ownServer, env });
    stops.push(() => scene.stop());
    const way = await openFaulty(scene.s3);
    stops.push(() => way.stop());
    return { ...(await backupsOf(scene, server, way)), scene, way, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const urlOf = ({ server, database: name }: Where): string => server.urlOf(name, "admin");

async function backupsOf(
  scene: Scene,
  server: Database,
  { endpoint: asSeen }: Faulty,
): Promise<Omit<Backups, "scene" | "way" | "stop">> {
  const { namespace, apply, plane, s3, secret } = scene;
  const { client } = plane.admin;
  const source = await database(
    server,
    `CREATE TABLE t (id int PRIMARY KEY, a bytea); CREATE INDEX ON t (md5(a));
    INSERT INTO t SELECT i, (SELECT string_agg(sha512((i || ' ' || n)::bytea), '') FROM generate_series(1, 8) n) FROM generate_series(1, ${rows - 1}) i;
    CREATE TABLE version (n int); INSERT INTO version VALUES (0)`,
  );
  const key = await generateKey();
  await secret("shop", { url: urlOf(source) });
  await secret("bucket", { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey });
  await secret("keys", { identities: key.identity });
  await apply(
    object("BackupSchedule", namespace, schedule, {
      ...{
        source: { secretRef: { name: "shop" } },
        storage: bucketOf({ ...s3, endpoint: asSeen }),
        interval: "weekly",
        suspend: true,
      },
      ...{ retention: { keepLast }, verification: { policy: "Never" } },
      encryption: { recipients: [key.recipient], identities: { secretRef: { name: "keys" } } },
    }),
  );
  let made = 0;
  const truth = new Map<string, Record<string, string>>();
  const targets = new Map<string, { run: string; where: Where }>();
  const completed: string[] = [];
  const listed = async () =>
    (await client.list(kinds.backupRuns, { namespace })).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const noteCompleted = (name: string, state: string | undefined) => {
    if (state === "completed" && !completed.includes(name)) completed.push(name);
  };

  const isVerified = (status: BackupRun["status"]): boolean | undefined =>
    status?.verification && status.verification.outcome === "verified";

  /** All runs and restores ended, what failed or is too old removed, and no pod at work. */
  async function isSettled(): Promise<boolean> {
    const [runs, restores] = await Promise.all([listed(), client.list(kinds.restores, { namespace })]);
    const done = runs.every(
      ({ status, metadata }) =>
        metadata.deletionTimestamp === undefined &&
        (status?.state === "completed" || (status?.state === "failed" && status.partsRemoved === true)),
    );
    const whole = runs
      .filter(({ status }) => status?.state === "completed")
      .map(({ metadata, status }) => ({ name: metadata.name, verified: isVerified(status) }));
    return (
      done && surplusOf(whole, keepLast).length === 0 && restores.every(ended) && scene.node.running().length === 0
    );
  }

  async function factsOf(): Promise<Facts> {
    const { endpoint, region, bucket } = s3;
    const storage = storageOf({ bucket: { endpoint, region, bucket, prefix: prefix.slice(0, -1) } }, s3);
    const runs: Facts["runs"] = [];
    for (const { metadata, status } of await listed()) {
      const { location = "", manifestDigest, rows: told } = status ?? {};
      const { name, uid } = metadata;
      const read = async () => {
        const { manifest } = await checkArchive({
          ...{ storage, folder: location, identities: [key.identity] },
          ...{ expect: { run: uid, manifestDigest }, signal: new AbortController().signal },
        });
        return { rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0) };
      };
      runs.push({
        ...{ name, state: status?.state ?? "pending", location: status?.location, rows: told },
        verified: isVerified(status),
        ...(status?.state === "completed"
          ? { archive: await read().catch((error: Error) => ({ error: error.message })) }
          : {}),
      });
    }
    const restores: RestoreFact[] = [];
    for (const { metadata, status } of await client.list(kinds.restores, { namespace })) {
      const target = targets.get(metadata.name);
      const isEqual =
        target === undefined ||
        JSON.stringify(await fingerprint(target.where)) === JSON.stringify(truth.get(target.run));
      restores.push({ name: metadata.name, state: status?.state ?? "pending", isEqual });
    }
    const bare = (names: string[]) => names.map((name) => name.slice(prefix.length));
    return { runs, restores, objects: bare(await objectsIn(s3, prefix)), uploads: bare(await uploadsIn(s3)) };
  }

  return {
    async take() {
      const name = `${schedule}-${String(++made).padStart(4, "0")}`;
      await sql(source, "UPDATE version SET n = n + 1");
      truth.set(name, await fingerprint(source));
      await apply(object("BackupRun", namespace, name, { schedule }));
      return name;
    },
    async restore(run) {
      const name = `back-${++made}`;
      const where = await database(server);
      targets.set(name, { run, where });
      await secret(name, { url: urlOf(where) });
      await apply(object("Restore", namespace, name, { backupRun: run, target: { secretRef: { name } } }));
      return name;
    },
    async prove(run) {
      const found = await client.get(kinds.backupRuns, namespace, run);
      const verifications = (found?.spec.verifications ?? 0) + 1;
      await client.mergePatch(kinds.backupRuns, namespace, run, { spec: { verifications } });
    },
    async untilEnded(kind, name) {
      const { status } = await untilObject(scene, kind, name, "an end", ended, settleMs);
      if (kind === "BackupRun") noteCompleted(name, status?.state);
    },
    async untilProved(name) {
      await untilObject(
        ...([scene, "BackupRun", name, "its verification"] as const),
        ({ spec, status }) => status?.verification?.restore?.endsWith(`-verify-${spec.verifications}`) === true,
        settleMs,
      );
    },
    async newest() {
      return (await listed()).findLast(({ status }) => status?.state === "completed")?.metadata.name;
    },
    async verdict() {
      await until("all work to end", isSettled, settleMs);
      for (const { metadata, status } of await listed()) noteCompleted(metadata.name, status?.state);
      return judge(await factsOf(), { completed: completed.sort(), rows, keepLast } satisfies Known);
    },
  };
}
