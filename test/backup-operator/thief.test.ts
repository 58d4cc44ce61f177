import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../../src/cluster/index.ts";
import { type SealingKey, sealFields } from "../../src/guard/envelope.ts";
import { forBackup, forRestore, forStorage } from "../../src/guard/sealed-for.ts";
import { change as edited } from "../../src/requests/update-with-retry.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import { type BackupSchedule, type ScheduleSpec, scheduleSpecSchema } from "../../src/resources/backup/schedule.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { openClients } from "../operator/clients.ts";
import { type PlaneClient, until } from "../operator/control-plane.ts";
import { call, tokenOfPod, untilPod } from "../operator/kubelet.ts";
import { home, installAccount, makeNamespace, type OperatorProcess, startOperator } from "../operator/operator.ts";
import { publishedKey, sealedSpec } from "../operator/sealing.ts";
import { borrowControlPlane } from "../operator/shared.ts";

/** A thief who has the API's own token makes schedules, runs and restores of what was sealed in a victim's objects. */

const namespace = "robbed";
const source = "postgres://reader:pl4nted-source@db.example.com/shop";
const loot = "postgres://thief:thief@thief.example.com/loot";
const own = { endpoint: "https://s3.example.com", region: "us-east-1", bucket: "victims" };
const thiefs = { ...own, bucket: "thiefs" };
const recipients = [`age1${"q".repeat(58)}`];
const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";

let plane: PlaneClient;
let operator: OperatorProcess;
let api: Client;
let close: () => void;
let key: SealingKey;

beforeAll(async () => {
  plane = borrowControlPlane();
  ({ api, close } = await openClients(plane, { backups: true }));
  operator = await startOperator(plane, await installAccount(plane, { backups: true }), "operator", {
    ROWFERRY_BACKUPS: "true",
    ROWFERRY_MAX_RUNNING_PER_NAMESPACE: "50",
    ROWFERRY_VERIFY_IMAGES: JSON.stringify({ postgres: "postgres:18" }),
  });
  await makeNamespace(plane, namespace);
  const bound = await plane.kubectl([
    ...["create", "rolebinding", "api", "-n", namespace],
    ...[`--clusterrole=${installed.teamRole}`, `--serviceaccount=${home}:${installed.api}`],
  ]);
  expect(bound.code, bound.err).toBe(0);
  await until("the rights to hold", () => api.list(kinds.backupSchedules, { namespace }).then(() => true));
  await until("the operator to lead", operator.leading);
  key = await publishedKey(plane);
});
afterAll(async () => {
  await operator?.stop("SIGKILL");
  close?.();
  await plane?.stop();
});

type Bucket = Parameters<typeof forStorage>[1];
/** A bucket with credentials that are sealed for it. */
async function bucketOf(name: string, bucket: Bucket, whose: string): Promise<{ bucket: Bucket }> {
  const credentials = JSON.stringify({ accessKeyId: whose, secretAccessKey: `pl4nted-${whose}` });
  const of = forStorage({ kind: "BackupSchedule", namespace, name }, bucket);
  const { storage } = await sealFields(key, of, { storage: credentials }, new Date());
  return { bucket: { ...bucket, sealedCredentials: storage } };
}

/** A schedule's spec as the API seals it. */
async function sealedSchedule(name: string, url: string, given: object): Promise<ScheduleSpec> {
  const spec = scheduleSpecSchema.parse({ source: {}, interval: "monthly", ...given });
  const of = forBackup({ kind: "BackupSchedule", namespace, name }, spec);
  const sealed = await sealFields(key, of, { source: url }, new Date());
  return { ...spec, source: { sealedUrl: sealed.source } };
}

let count = 0;
const newName = () => `6f6d8f6a-0000-4000-8000-0000000000${String(++count).padStart(2, "0")}`;
const victims = async (name: string) =>
  sealedSchedule(name, source, { storage: await bucketOf(name, own, "victim"), encryption: { recipients } });

const make = (name: string, spec: ScheduleSpec) =>
  api.create(kinds.backupSchedules, { metadata: { name, namespace }, spec } as BackupSchedule);

/** By the API's account, on the object as it is now. */
const change = (name: string, edit: (spec: ScheduleSpec) => ScheduleSpec | Promise<ScheduleSpec>) =>
  edited({ client: api, pause, randomBytes }, kinds.backupSchedules, namespace, name, async (live) => ({
    ...live,
    spec: await edit(live.spec),
  }));

const workOf = async (uid: string) => {
  const pod = await until("a pod", async () => {
    const [found] = await plane.admin.client.list(kinds.pods, {
      namespace,
      labelSelector: `${labels.ownerUid}=${uid}`,
    });
    return found;
  });
  const bearer = await tokenOfPod(plane, pod);
  return until("an answer", async () => {
    const answer = await call(plane, operator.endpoint, "/work", bearer, {});
    return answer.status === 503 ? undefined : answer;
  });
};

/** The API's account asks for a run, and a worker for its work. */
async function runOf(schedule: string) {
  const run = { metadata: { name: `${schedule}-m1`, namespace }, spec: { schedule, trigger: "Manual" } };
  const made = await api.create(kinds.backupRuns, run as unknown as BackupRun);
  return workOf(made.metadata.uid);
}

test("a schedule as it was sealed gets its database and its bucket", async () => {
  const name = newName();
  await make(name, await victims(name));
  expect(await runOf(name)).toMatchObject({
    status: 200,
    body: {
      source: { url: source },
      storage: { spec: { bucket: own }, credentials: { accessKeyId: "victim" } },
      recipients,
    },
  });
});

type Change = (spec: ScheduleSpec, name: string) => ScheduleSpec | Promise<ScheduleSpec>;
const attempts: [what: string, elsewhere: Change][] = [
  ["a bucket of the thief's", async (spec, name) => ({ ...spec, storage: await bucketOf(name, thiefs, "thief") })],
  ["recipients of the thief's", (spec) => ({ ...spec, encryption: { recipients: [`age1${"p".repeat(58)}`] } })],
  ["the installation's key ring", ({ encryption: _encryption, ...spec }) => spec],
  ["another CA", (spec) => ({ ...spec, options: { jobs: 2, source_ca: pem } })],
  [
    "the bucket's credentials at another server",
    async (spec, name) => {
      const storage = { bucket: { ...spec.storage?.bucket, endpoint: "https://thief.example.com" } };
      return sealedSchedule(name, loot, { storage, encryption: spec.encryption });
    },
  ],
];
test.each(attempts)("a schedule that is made again does not get its database with %s", async (_what, elsewhere) => {
  const name = newName();
  await make(name, await elsewhere(await victims(name), name));
  const answer = await runOf(name);
  expect(answer.status).not.toBe(200);
  expect(JSON.stringify(answer)).not.toContain("pl4nted");
});

test.each(attempts)("a schedule that is changed does not get its database with %s", async (_what, elsewhere) => {
  const name = newName();
  await make(name, await victims(name));
  await change(name, (spec) => elsewhere(spec, name));
  const answer = await runOf(name);
  expect(answer.status).not.toBe(200);
  expect(JSON.stringify(answer)).not.toContain("pl4nted");
});

test("a Migration's source opens in no schedule, and a schedule's in no Migration", async () => {
  const name = newName();
  const migration = await sealedSpec(key, { namespace, name, source, target: loot });
  const thief = await sealedSchedule(name, loot, { storage: await bucketOf(name, thiefs, "thief") });
  await make(name, { ...thief, source: migration.source });
  expect(await runOf(name)).toMatchObject({ status: 409, body: { code: "seal_refused" } });

  const spec = { ...migration, source: (await victims(name)).source };
  const made = await api.create(kinds.migrations, { metadata: { name, namespace }, spec } as Migration);
  const bearer = await tokenOfPod(plane, await untilPod(plane, made, 1));
  const answer = await until("an answer", async () => {
    const said = await call(plane, operator.endpoint, "/work", bearer, {});
    return said.status === 503 ? undefined : said;
  });
  expect(answer).toMatchObject({ status: 409, body: { code: "seal_refused" } });
});

test("what kubectl made backs up its Secret's database into its own storage, whatever the API's account writes", async () => {
  const name = newName();
  const storage = { volume: { claimName: "data", path: "" } };
  const spec = scheduleSpecSchema.parse({ source: { secretRef: { name: "admin" } }, interval: "monthly", storage });
  const metadata = { name, namespace };
  await plane.admin.client.create(kinds.backupSchedules, { metadata, spec } as BackupSchedule);
  await change(name, (live) => ({ ...live, suspend: true }));
  const bucket = await bucketOf(name, thiefs, "thief");
  for (const more of [{ storage: bucket }, { encryption: { recipients } }, { options: { jobs: 2, source_ca: pem } }])
    await expect(change(name, (live) => ({ ...live, ...more }))).rejects.toMatchObject({ code: "Forbidden" });
});

test("a completed backup of the key ring is restored where the API's account says, and its target is bound to it", async () => {
  const name = newName();
  const run = `${name}-m1`;
  await make(name, await victims(name));
  await runOf(name);
  const { storage } = (await plane.admin.client.get(kinds.backupSchedules, namespace, name))?.spec ?? {};
  const status = {
    ...{ state: "completed", storage, engine: "PostgreSQL", location: "shop/1" },
    ...{ startedAt: new Date().toISOString(), finishedAt: new Date().toISOString() },
    manifestDigest: `sha256:${"0".repeat(64)}`,
  };
  await plane.kubectl([
    ...["patch", "backuprun", run, "-n", namespace, "--subresource=status", "--type=merge"],
    ...["-p", JSON.stringify({ status: { ...status, encryption: null } })],
  ]);
  const restore = async (more: object) => {
    const place = { namespace, name: newName() };
    const spec = { backupRun: run, allowNotEmpty: false, verification: false };
    const sealed = await sealFields(key, forRestore(place, spec), { target: loot }, new Date());
    const made = await api.create(kinds.restores, {
      metadata: place,
      spec: { ...spec, target: { sealedUrl: sealed.target }, ...more },
    } as never);
    return workOf(made.metadata.uid);
  };
  expect(await restore({})).toMatchObject({ status: 200, body: { target: { url: loot } } });
  expect(await restore({ allowNotEmpty: true })).toMatchObject({ status: 409, body: { code: "seal_refused" } });
  expect(await restore({ convert: true })).toMatchObject({ status: 409, body: { code: "seal_refused" } });
  expect(await restore({ options: { target_ca: pem } })).toMatchObject({ status: 409 });
});
