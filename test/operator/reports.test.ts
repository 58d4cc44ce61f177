import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { archiveKey, reportFinalizer } from "../../src/resources/archive/archive.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { type PlaneClient, until } from "./control-plane.ts";
import { call, completed, jobsOf, podEnds, podRuns, tokenOfPod, untilPod } from "./kubelet.ts";
import {
  installAccount,
  makeMigration,
  makeNamespace,
  type OperatorProcess,
  patchSpec,
  readMigration,
  startOperator,
  untilMigration,
} from "./operator.ts";
import { type ReportBucketServer, startReportBucket } from "./report-bucket.ts";
import { borrowControlPlane } from "./shared.ts";

/** Reports in a bucket of a real S3 server (`reports.storage`), with a real API server and Job controller. */

let plane: PlaneClient;
let operator: OperatorProcess;
let s3: ReportBucketServer;
let kubeconfig: string;

beforeAll(async () => {
  plane = borrowControlPlane();
  s3 = await startReportBucket();
  kubeconfig = await installAccount(plane);
  await makeNamespace(plane, "team");
  await start(s3.env);
});
afterAll(async () => {
  await operator?.stop();
  await s3?.stop();
  await plane?.stop();
});

async function start(env: Record<string, string>): Promise<void> {
  operator = await startOperator(plane, kubeconfig, "one", env);
  await until("a leader", () => operator.leading());
}

const made = [{ kind: "table", name: ["shop", "orders"] }];
const target = { engine: "MySQL", version: "9.7.0", database: "shop", address: "new.example.com:3306" };
const archive = (note: string) =>
  gzipSync(JSON.stringify({ report: { type: "transfer", note, target, made }, log: [] }));

async function run(migration: Migration, number: number, packed: Buffer): Promise<void> {
  const pod = await untilPod(plane, migration, number);
  await podRuns(plane, pod);
  const token = await tokenOfPod(plane, pod);
  await until("the result to be stored", async () => {
    const answer = await call(plane, operator.endpoint, "/result", token, completed(packed.toString("base64")));
    return answer.status === 200;
  });
  await podEnds(plane, pod, 0);
}

async function finished(name: string, spec: object = {}): Promise<Migration> {
  const migration = await makeMigration(plane, "team", name, spec);
  await run(migration, 1, archive(name));
  return migration;
}

const configMap = (name: string) => plane.admin.client.get(kinds.configMaps, "team", name);
const keyOf = ({ metadata }: Migration, number = 1) => `installation/reports/${metadata.uid}/${number}.json.gz`;
const isMoved =
  (name: string, number = 1) =>
  (migration: Migration) =>
    migration.status?.reportBucket?.objects.some(
      (object) => object.name === `${name}-${number}-report` && object.pending !== true,
    ) ?? false;
const moved = (migration: Migration, number = 1) =>
  untilMigration(plane, migration, "its report in the bucket", isMoved(migration.metadata.name, number));
const remove = ({ metadata }: Migration) =>
  plane.admin.client.remove(kinds.migrations, "team", metadata.name, metadata.uid);
const gone = ({ metadata }: Migration) =>
  until(`${metadata.name} to go`, async () => {
    return (await plane.admin.client.get(kinds.migrations, "team", metadata.name)) === undefined;
  });
const eventsOf = async ({ metadata }: Migration, reason: string) =>
  (
    (await plane.admin.client.list(kinds.events, { namespace: "team" })) as unknown as {
      regarding?: { uid?: string };
      reason?: string;
      type?: string;
      note?: string;
    }[]
  ).filter((event) => event.regarding?.uid === metadata.uid && event.reason === reason);

test("a completed run's report moves to the bucket: the status names it with its digest, and its ConfigMap goes", async () => {
  const migration = await finished("first");
  const { metadata, status } = await moved(migration);
  const packed = archive("first");
  expect(status).toMatchObject({
    state: "completed",
    madeIn: "first-1-report",
    report: { configMap: "first-1-report", bytes: packed.toString("base64").length, tables: 10, rows: 1000 },
  });
  expect(status?.reportBucket).toEqual({
    objects: [
      {
        ...{ name: "first-1-report", bucket: "reports", key: keyOf(migration), bytes: packed.length },
        sha256: createHash("sha256").update(packed).digest("hex"),
      },
    ],
  });
  expect(metadata.finalizers).toEqual([reportFinalizer]);
  expect(await configMap("first-1-report")).toBeUndefined();
  expect(await s3.get(keyOf(migration))).toEqual(packed);

  const jobs = JSON.stringify(await jobsOf(plane, migration));
  for (const secret of [...s3.secrets(), "REPORT_BUCKET", "REPORT_CREDENTIALS"]) expect(jobs).not.toContain(secret);
});

test("a deleted Migration takes its own report with it, and nothing beside it", async () => {
  const [kept, deleted] = [await finished("kept"), await finished("deleted")];
  await Promise.all([moved(kept), moved(deleted)]);
  const foreign = [`installation/reports/${deleted.metadata.uid}x/1.json.gz`, "installation/other.txt"];
  for (const key of foreign) await s3.put(key, "x");
  await remove(deleted);
  await gone(deleted);
  const keys = await s3.keys();
  expect(keys).toEqual(expect.arrayContaining([keyOf(kept), ...foreign]));
  expect(keys).not.toContain(keyOf(deleted));
});

test("one that is not kept after its end takes its report with it", async () => {
  const migration = await finished("brief", { ttlSecondsAfterFinished: 3 });
  await moved(migration);
  await gone(migration);
  expect(await s3.keys()).not.toContain(keyOf(migration));
});

test("a bucket that is down at the end of a run costs nothing: the run completes, and the report moves when it is back", async () => {
  await s3.down();
  const migration = await finished("outage");
  const { status } = await untilMigration(plane, migration, "its problem", ({ status: now }) => {
    return now?.state === "completed" && now.reportBucket?.problem !== undefined;
  });
  expect(status?.reportBucket?.problem).toMatch(/^Bucket reports: it cannot be reached/);
  expect(
    gunzipSync(Buffer.from((await configMap("outage-1-report"))?.binaryData?.[archiveKey] ?? "", "base64")),
  ).toEqual(gunzipSync(archive("outage")));
  const [event] = await until("an event", async () => {
    const found = await eventsOf(migration, "ReportNotStored");
    return found.length > 0 && found;
  });
  expect(event).toMatchObject({ type: "Warning", note: status?.reportBucket?.problem });

  await s3.up();
  const after = await untilMigration(plane, migration, "its report in the bucket", isMoved("outage"), 60_000);
  expect(after.status?.reportBucket?.problem).toBeUndefined();
  expect(await configMap("outage-1-report")).toBeUndefined();
  expect(await s3.get(keyOf(migration))).toEqual(archive("outage"));
});

test("credentials that the bucket refuses, or that are none, are told to nobody: not in the status, an event or the log", async () => {
  const [id = "", secret = ""] = s3.secrets();
  const marked = "MARKED-a-secret-part";
  const wrong: [string, Record<string, string | undefined>][] = [
    ["another secret", { secretAccessKey: marked }],
    ["both in one file", { accessKeyId: `${id}\n${marked}` }],
    ["letters that no header has", { accessKeyId: `${marked}\u0001ü` }],
    ["a token that is none", { sessionToken: `${marked}\nx` }],
    ["an empty one", { secretAccessKey: "" }],
    ["no file", { accessKeyId: undefined }],
  ];
  const put = (files: Record<string, string | undefined>) => {
    for (const [name, text] of Object.entries({
      accessKeyId: id,
      secretAccessKey: secret,
      sessionToken: undefined,
      ...files,
    }))
      if (text === undefined) rmSync(join(s3.credentials, name), { force: true });
      else writeFileSync(join(s3.credentials, name), text);
  };
  try {
    for (const [at, [what, files]] of wrong.entries()) {
      put(files);
      const migration = await finished(`refused-${at}`);
      const { status } = await untilMigration(plane, migration, `a problem of ${what}`, ({ status: now }) => {
        return now?.state === "completed" && now.reportBucket?.problem !== undefined;
      });
      const [event] = await until("an event", async () => {
        const found = await eventsOf(migration, "ReportNotStored");
        return found.length > 0 && found;
      });
      for (const shown of [JSON.stringify(status), JSON.stringify(event), operator.output()])
        for (const part of [marked, secret, id]) expect(shown, what).not.toContain(part);
    }
  } finally {
    put({});
  }
  const last = await readMigration(plane, await makeMigration(plane, "team", "after-refusals"));
  await run(last, 1, archive("after-refusals"));
  await moved(last);
});

test("a Migration that is deleted while the bucket is down waits for it, and says so", async () => {
  const migration = await finished("held");
  await moved(migration);
  await s3.down();
  await remove(migration);
  await untilMigration(plane, migration, "its problem", ({ metadata, status }) => {
    return metadata.deletionTimestamp !== undefined && status?.reportBucket?.problem !== undefined;
  });
  await until("an event", async () => (await eventsOf(migration, "ReportNotRemoved")).length > 0);
  await s3.up();
  await until(
    "it to go",
    async () => (await plane.admin.client.get(kinds.migrations, "team", "held")) === undefined,
    60_000,
  );
  expect(await s3.keys()).not.toContain(keyOf(migration));
});

test("a reset reads what the run before made from the bucket, and that run's report goes when the next one has completed", async () => {
  const migration = await finished("again");
  await moved(migration);
  await patchSpec(plane, migration, { reset: 1 });
  const pod = await untilPod(plane, migration, 2);
  await podRuns(plane, pod);
  const token = await tokenOfPod(plane, pod);
  const work = await until("the work of run 2", async () => {
    const answer = await call(plane, operator.endpoint, "/work", token, {});
    return answer.status === 200 && answer.body;
  });
  expect(work).toMatchObject({ run: 2, reset: true, made, madeIn: { address: target.address } });
  expect(await s3.keys()).toContain(keyOf(migration));
  await run(migration, 2, archive("again, anew"));
  await moved(migration, 2);
  const { status } = await untilMigration(plane, migration, "the first report to go", ({ status: now }) => {
    return now?.reportBucket?.objects.length === 1;
  });
  expect(status?.reportBucket?.objects[0]?.key).toBe(keyOf(migration, 2));
  const keys = await s3.keys();
  expect(keys).toContain(keyOf(migration, 2));
  expect(keys).not.toContain(keyOf(migration));
});

test("a reset believes no list that was put in the report's place", async () => {
  const migration = await finished("swapped");
  await moved(migration);
  await s3.put(keyOf(migration), archive("forged"));
  await patchSpec(plane, migration, { reset: 1 });
  const pod = await untilPod(plane, migration, 2);
  await podRuns(plane, pod);
  const token = await tokenOfPod(plane, pod);
  const refused = await until("the refusal", async () => {
    const answer = await call(plane, operator.endpoint, "/work", token, {});
    return answer.status === 409 && answer.body;
  });
  expect(refused).toMatchObject({ code: "made_unreadable" });
  expect(String(refused["message"])).toContain("SHA-256");
});

test("reports that ConfigMaps have when a bucket is named move to it; without it, Migrations still go", async () => {
  await operator.stop();
  await start({});
  const migration = await finished("before");
  await untilMigration(plane, migration, "completed", ({ status }) => status?.state === "completed");
  expect(await configMap("before-1-report")).toBeDefined();
  await operator.stop();
  await start(s3.env);
  await moved(migration);
  expect(await s3.get(keyOf(migration))).toEqual(archive("before"));

  await operator.stop();
  await start({});
  await remove(await readMigration(plane, migration));
  await gone(migration);
  const [event] = await until("an event", async () => {
    const found = await eventsOf(migration, "ReportLeft");
    return found.length > 0 && found;
  });
  expect(event).toMatchObject({ type: "Warning", note: expect.stringContaining(keyOf(migration)) });
  expect(await s3.keys()).toContain(keyOf(migration));
});
