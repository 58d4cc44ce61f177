import { isNotFound } from "../../src/cluster/index.ts";
import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun, RunStatus } from "../../src/resources/backup/run.ts";
import type { BackupSchedule } from "../../src/resources/backup/schedule.ts";
import { kinds } from "../../src/resources/objects.ts";
import { afterEachTest } from "../file-end.ts";
import { admin, api, type Person } from "./world.ts";

/**
 * Backup schedules made through REST. The operator makes their Jobs, for which there is no kubelet; what becomes of runs and restores is
 * written here as the operator writes it.
 */

export const planted = "Pl4nted-Passw0rd";
export const database_url = `postgres://reader:${planted}@127.0.0.1:5432/shop`;

/** What a test made is gone after it; nothing was stored that would have to be removed first. */
const people = new Set<string>();
afterEachTest(async () => {
  const keepParts = { metadata: { annotations: { "rowferry.dev/keep-parts": "true" } } };
  // The operator may be at the end of an earlier removal.
  for (const namespace of people)
    for (const { metadata } of await admin.list(kinds.backupRuns, { namespace }))
      await admin.mergePatch(kinds.backupRuns, namespace, metadata.name, keepParts).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  for (const namespace of people)
    for (const kind of [kinds.backupSchedules, kinds.backupRuns, kinds.restores] as const)
      for (const { metadata } of await admin.list<BackupSchedule | BackupRun | Restore>(kind as never, { namespace }))
        await admin.remove(kind as never, namespace, metadata.name, metadata.uid);
  people.clear();
});

/** After the test that runs now. */
export const removeBackupsOf = ({ namespace }: Person): void => void people.add(namespace);

/** Creates a schedule and answers its id. */
export async function schedule(person: Person, body: object = {}): Promise<string> {
  removeBackupsOf(person);
  const made = await api("/api/backups", { token: person.token, body: { database_url, ...body } });
  if (made.status !== 201) throw new Error(`creating a schedule: ${made.status} ${made.text}`);
  return String(made.body.backup.id);
}

/** Asks for a run and answers its id. */
export async function runNow(person: Person, id: string, body: object = {}): Promise<string> {
  const made = await api(`/api/backups/${id}/run`, { token: person.token, body });
  if (made.status !== 202) throw new Error(`running: ${made.status} ${made.text}`);
  return String(made.body.run.id);
}

const now = () => new Date().toISOString();

export const completedStatus: RunStatus = {
  state: "completed",
  startedAt: now(),
  finishedAt: now(),
  size: 823_000_000,
  stored: 96_400_000,
  tables: 16,
  rows: 47_271,
  engine: "PostgreSQL",
  serverVersion: "18.6",
  manifestDigest: `sha256:${"0".repeat(64)}`,
  location: "shop/1",
};

/** As the operator writes it. */
export async function runStatus(person: Person, name: string, status: RunStatus = completedStatus): Promise<void> {
  await admin.applyStatus(
    kinds.backupRuns,
    { metadata: { name, namespace: person.namespace }, status },
    "test-operator",
  );
}

export async function restoreStatus(
  person: Person,
  name: string,
  status: NonNullable<Restore["status"]>,
): Promise<void> {
  await admin.applyStatus(kinds.restores, { metadata: { name, namespace: person.namespace }, status }, "test-operator");
}

/** A schedule with a completed run. */
export async function completedRun(person: Person, body: object = {}): Promise<{ id: string; run: string }> {
  const id = await schedule(person, body);
  const run = await runNow(person, id);
  await runStatus(person, run);
  return { id, run };
}
