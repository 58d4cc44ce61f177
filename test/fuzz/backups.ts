import { randomUUID } from "node:crypto";
import type { Restore } from "../../src/resources/backup/restore.ts";
import { kinds } from "../../src/resources/objects.ts";
import type { Answer, Asked } from "../api/http.ts";
import type { Installation } from "../api/installation.ts";

/** Backup schedules, and runs and restores whose status is written here as the operator writes it; each text holds the canary. */

const many = 4;
const stored = { manifestDigest: `sha256:${"0".repeat(64)}`, location: "shop/1" };

export async function makeSchedules(
  ask: (path: string, asked: Asked) => Promise<Answer>,
  own: Asked,
  { url, canary }: { url: string; canary: string },
): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < many; at += 1) {
    const body = { database_url: `${url}-${canary}`, name: `${canary} ${at}`, suspend: true };
    const made = await ask("/api/backups", { ...own, body });
    ids.push(String(made.body.backup.id));
  }
  return ids;
}

/** Completes a run, and makes a restore of it that failed; answers the restore's id. */
export async function endRun(
  { plane }: Installation,
  namespace: string,
  { backup, run, canary }: { backup: string; run: string; canary: string },
): Promise<string> {
  const { client } = plane.admin;
  const time = new Date().toISOString();
  const log = [{ id: "0001-0mfx3k2a1-w00", time, level: "info", message: `${canary}: a milestone` }];
  const status = { state: "completed", size: 823_000_000, tables: 1, rows: 5, engine: "PostgreSQL", log, ...stored };
  await client.applyStatus(kinds.backupRuns, { metadata: { name: run, namespace }, status }, "test-operator");
  const name = randomUUID();
  await client.create(kinds.restores, {
    metadata: { name, namespace, annotations: { "rowferry.dev/backup": backup } },
    spec: { backupRun: run, target: { secretRef: { name: canary } } },
  } as unknown as Restore);
  const message = `The target of ${canary} refused.`;
  const conditions = [{ type: "Failed", status: "True", reason: "WrongPassword", message, lastTransitionTime: time }];
  const failed = { state: "failed", conditions, log };
  await client.applyStatus(kinds.restores, { metadata: { name, namespace }, status: failed }, "test-operator");
  return name;
}
