// One backup or restore in a process of its own, as the worker runs it: the request as JSON on standard input, what came of it as
// JSON on standard output.
import { text } from "node:stream/consumers";
import { restoreBackup, storageOf, takeBackup } from "../../src/backup/index.ts";
import type { Endpoint } from "../../src/engine/contract/index.ts";

/** `folder`: where the archive is kept. */
export type Asked = {
  work: "backup" | "restore";
  database: Endpoint;
  folder: string;
  key: string;
  recipient: string;
  /** Of each table's rows, as a run has them that is verified. */
  checksums?: boolean;
};
/** `seconds`: of each phase. */
export type Said = { ok: true; seconds: Record<string, number> } | { ok: false; message: string };

const { work, database, folder, key, recipient, checksums = false } = JSON.parse(await text(process.stdin)) as Asked;
const say = (said: Said): void => console.log(JSON.stringify(said));
const seconds: Record<string, number> = {};
let phase = "start";
let since = performance.now();
const enter = (next: string): void => {
  if (next === phase) return;
  const now = performance.now();
  seconds[phase] = (seconds[phase] ?? 0) + Math.round(now - since) / 1000;
  [phase, since] = [next, now];
};
const hooks = {
  signal: new AbortController().signal,
  progress: (progress: { phase: string }) => enter(progress.phase),
  log: (level: string, message: string) => {
    if (message.startsWith("Rows are restored")) enter("indexes");
    console.error(`${level}: ${message}`);
  },
  clock: Date.now,
};
const place = { storage: storageOf({ folder }), folder: "bench" };
try {
  if (work === "backup")
    await takeBackup({
      ...hooks,
      ...place,
      source: database,
      run: { id: "bench" },
      recipients: [recipient],
      checksums,
    });
  else {
    const { equal, differences } = await restoreBackup({ ...hooks, ...place, target: database, identities: [key] });
    if (!equal) throw new Error(differences.join("; "));
  }
  enter("end");
  say({ ok: true, seconds });
} catch (error) {
  say({ ok: false, message: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
}
