import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../../src/cluster/index.ts";
import { restoreSpecSchema } from "../../src/resources/backup/restore.ts";
import { runSpecSchema } from "../../src/resources/backup/run.ts";
import type { BackupSchedule } from "../../src/resources/backup/schedule.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { kinds } from "../../src/resources/objects.ts";
import { render } from "../chart/tools.ts";
import { type InstalledClients, openClients } from "../operator/clients.ts";
import { type PlaneClient, until } from "../operator/control-plane.ts";
import { home, makeNamespace } from "../operator/operator.ts";
import { borrowControlPlane } from "../operator/shared.ts";

/** What the API's account may make of backups in a team's namespace: nothing that leads to a Secret, a volume or a database in clear. The
 * operator's makes what schedules and verifications need, and changes where nothing leads. */

const namespace = "backs-up";
let plane: PlaneClient;
let api: Client;
let operator: Client;
let clients: InstalledClients;
const forbidden = { code: "Forbidden", status: 403 };

beforeAll(async () => {
  plane = borrowControlPlane();
  clients = await openClients(plane, { backups: true });
  ({ api, operator } = clients);
  await makeNamespace(plane, namespace);
  const bound = await plane.kubectl([
    ...["create", "rolebinding", "api", "-n", namespace],
    ...[`--clusterrole=${installed.teamRole}`, `--serviceaccount=${home}:${installed.api}`],
  ]);
  expect(bound.code, bound.err).toBe(0);
  await until("the rights to hold", () => api.list(kinds.backupSchedules, { namespace }).then(() => true));
});
afterAll(async () => {
  clients?.close();
  await plane?.stop();
});

const sealed = { sealedUrl: "v1.k.e.c" };
const secret = { secretRef: { name: "admin" } };
const bucket = { region: "us-east-1", bucket: "backups" };
let count = 0;
const schedule = (spec: object) =>
  ({ metadata: { name: `s${count++}`, namespace }, spec }) as unknown as BackupSchedule;
const good = { source: sealed, interval: "daily" };

test("the API makes schedules whose URL and credentials it sealed, and no others", async () => {
  const made = await api.create(kinds.backupSchedules, schedule(good));
  await api.create(
    kinds.backupSchedules,
    schedule({ ...good, storage: { bucket: { ...bucket, sealedCredentials: "v1.k.e.c" } } }),
  );
  const others = [
    { source: secret },
    { storage: { bucket: { ...bucket, ...secret } } },
    { storage: { volume: { claimName: "data" } } },
    { encryption: { recipients: ["age1q"], identities: secret } },
  ];
  for (const other of others) {
    await expect(api.create(kinds.backupSchedules, schedule({ ...good, ...other }))).rejects.toMatchObject(forbidden);
    const changed = { ...made, spec: { ...made.spec, ...other } } as BackupSchedule;
    await expect(api.update(kinds.backupSchedules, changed)).rejects.toMatchObject(forbidden);
  }
  const suspended = await api.update(kinds.backupSchedules, { ...made, spec: { ...made.spec, suspend: true } });
  expect(suspended.spec.suspend).toBe(true);
});

test("what kubectl made may be changed by the API, and stays where it leads", async () => {
  const spec = { source: secret, cron: "30 2 * * *", storage: { volume: { claimName: "data" } } };
  const theirs = await plane.admin.client.create(kinds.backupSchedules, schedule(spec));
  const changed = await api.update(kinds.backupSchedules, { ...theirs, spec: { ...theirs.spec, suspend: true } });
  expect(changed.spec).toMatchObject({ suspend: true, source: secret });
  const elsewhere = { ...changed, spec: { ...changed.spec, source: { secretRef: { name: "other", key: "url" } } } };
  await expect(api.update(kinds.backupSchedules, elsewhere)).rejects.toMatchObject(forbidden);
});

test("the API makes runs of schedules, and restores into targets that it sealed", async () => {
  const metadata = (name: string) => ({ name, namespace });
  await api.create(kinds.backupRuns, { metadata: metadata("r1"), spec: { schedule: "s0" } } as never);
  await expect(
    api.create(kinds.backupRuns, { metadata: metadata("r2"), spec: { source: secret } } as never),
  ).rejects.toMatchObject(forbidden);
  const restore = { backupRun: "r1", target: sealed };
  await api.create(kinds.restores, { metadata: metadata("t1"), spec: restore } as never);
  const slot = { schedule: "s0", trigger: "Schedule", slot: "2099-01-01T00:00:00Z" };
  await expect(
    api.create(kinds.backupRuns, { metadata: metadata("s0-209901010000"), spec: slot } as never),
  ).rejects.toMatchObject(forbidden);
  for (const spec of [
    { ...restore, target: secret },
    { backupRun: "r1", verification: true },
  ])
    await expect(api.create(kinds.restores, { metadata: metadata("t2"), spec } as never)).rejects.toMatchObject(
      forbidden,
    );
});

test("a thief with the operator's account backs up and restores nothing of its choice", async () => {
  const metadata = (name: string) => ({ name, namespace });
  const slot = { schedule: "s0", trigger: "Schedule", slot: "2026-11-24T03:00:00Z" };
  const run = await operator.create(kinds.backupRuns, { metadata: metadata("s0-202611240300"), spec: slot } as never);
  const proof = { backupRun: "r1", verification: true };
  await operator.create(kinds.restores, { metadata: metadata("r1-verify-1"), spec: proof } as never);
  for (const spec of [
    {
      source: secret,
      storage: { bucket: { ...bucket, ...secret } },
      encryption: { recipients: [`age1${"q".repeat(58)}`] },
    },
    { schedule: "s0" },
  ])
    await expect(operator.create(kinds.backupRuns, { metadata: metadata("r3"), spec } as never)).rejects.toMatchObject(
      forbidden,
    );
  await expect(
    operator.create(kinds.restores, { metadata: metadata("t3"), spec: { backupRun: "r1", target: secret } } as never),
  ).rejects.toMatchObject(forbidden);

  const asked = await operator.mergePatch(kinds.backupRuns, namespace, run.metadata.name, {
    spec: { verifications: 1 },
  });
  expect(asked.spec.verifications).toBe(1);
  const theirs = await plane.admin.client.create(
    kinds.backupSchedules,
    schedule({ source: secret, interval: "daily", storage: { bucket: { ...bucket, ...secret } } }),
  );
  const own = { metadata: { finalizers: ["rowferry.dev/backup-runs"] } };
  const { name } = theirs.metadata;
  expect((await operator.mergePatch(kinds.backupSchedules, namespace, name, own)).metadata).toMatchObject(own.metadata);
  for (const change of [
    { spec: { storage: { bucket: { endpoint: "https://thief.example.com" } } } },
    { spec: { encryption: { recipients: [`age1${"q".repeat(58)}`] } } },
    { spec: { source: { secretRef: { name: "other" } } } },
    { spec: { suspend: true } },
    { metadata: { labels: { a: "b" } } },
  ])
    await expect(operator.mergePatch(kinds.backupSchedules, namespace, name, change)).rejects.toMatchObject(forbidden);
  for (const change of [
    { target: { sealedUrl: "expired" } },
    { target: { sealedUrl: "v1.x" } },
    { allowNotEmpty: true },
  ])
    await expect(operator.mergePatch(kinds.restores, namespace, "t1", { spec: change })).rejects.toMatchObject({
      status: expect.toSatisfy((code) => code === 403 || code === 422),
    });
});

test("every field of the specs is in the policy", async () => {
  const policy = JSON.stringify(
    (await render({ backups: { enabled: true, storage: { bucket: "b", secretName: "s" } } })).find(
      ({ metadata }) => metadata.name === "rowferry-operator-backups",
    ),
  );
  const fields = [...Object.keys(runSpecSchema.shape), ...Object.keys(restoreSpecSchema.shape)];
  expect(fields.filter((field) => field !== "verifications" && !policy.includes(`oldObject.spec.?${field}`))).toEqual(
    [],
  );
  expect(fields.length).toBeGreaterThan(12);
});
