import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Terminal } from "../../terminal/index.ts";
import { callLine } from "../curl.ts";
import type { DemoDatabase } from "../databases.ts";
import type { Rest, RestAnswer } from "../rest.ts";

/** The demo's backup by REST: a schedule, a run now, its verification, and a restore into a new database. */

const restoredDatabase = "shop_restored";

/** The new database on the target's server. */
export function restoredFrom(target: DemoDatabase): DemoDatabase {
  const at = (url: string) => Object.assign(new URL(url), { pathname: `/${restoredDatabase}` }).href;
  return { ...target, pod: at(target.pod), host: at(target.host) };
}

interface Job {
  status: string;
  rows?: number | null;
  stored?: number | null;
  error: { message: string } | null;
  verification: { status: string; seconds: number | null; message: string | null };
}

const expectStatus = (status: number, answer: RestAnswer): RestAnswer["body"] => {
  if (answer.status !== status) throw new Error(`The API returned ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

/** Rejects with the cause when one of them fails. The lines for a shell are printed at the end. */
export async function backUpByRest(
  rest: Rest,
  terminal: Terminal,
  { target, token }: { target: DemoDatabase; token: string },
  signal: AbortSignal,
): Promise<void> {
  const call = (path: string, body?: unknown) =>
    rest.call(body === undefined ? "GET" : "POST", path, { token, ...(body === undefined ? {} : { body }) });
  const lines: string[] = [];
  const show = (line: string, said: string) => lines.push(`  $ ${line}\n    ${said}`);
  /** Asks until `holds`. */
  const follow = async (path: string, holds: (job: Job) => boolean): Promise<Job> => {
    for (;;) {
      signal.throwIfAborted();
      const job = expectStatus(200, await call(path)) as Job;
      if (job.status === "failed") throw new Error(`${path} failed: ${job.error?.message ?? "no cause is named"}`);
      if (holds(job)) return job;
      await delay(300, undefined, { signal });
    }
  };
  await terminal.step("Back up PostgreSQL into the bucket, verify the backup, and restore it", async (step) => {
    await makeDatabase(target.host);
    const schedule = { name: "Shop", database_url: target.pod, interval: "daily" };
    const { id, status } = expectStatus(201, await call("/api/backups", schedule)).backup as { id: string } & Job;
    show(callLine("/api/backups", schedule), `id: ${id}, status: ${status}`);
    const wanted = { verify: true };
    const begun = expectStatus(202, await call(`/api/backups/${id}/run`, wanted)).run as { id: string } & Job;
    show(callLine(`/api/backups/${id}/run`, wanted), `id: ${begun.id}, status: ${begun.status}`);
    const path = `/api/backups/${id}/runs/${begun.id}`;
    step.note("backing up");
    await follow(path, (job) => job.status === "completed");
    step.note("verifying and restoring");
    const restore = { target_url: restoredFrom(target).pod };
    const made = expectStatus(202, await call(`${path}/restore`, restore)).restore as { id: string } & Job;
    const isOver = ({ verification }: Job) => verification.status === "verified" || verification.status === "failed";
    const [run, restored] = await Promise.all([
      follow(path, isOver),
      follow(`/api/restores/${made.id}`, (job) => job.status === "completed"),
    ]);
    const { verification } = run;
    if (verification.status === "failed") throw new Error(`The verification failed: ${verification.message}`);
    show(
      callLine(path),
      `status: ${run.status}, rows: ${run.rows}, stored: ${run.stored}, verification: ${verification.status}`,
    );
    show(callLine(`${path}/restore`, restore), `id: ${made.id}`);
    show(callLine(`/api/restores/${made.id}`), `status: ${restored.status}, rows: ${restored.rows}`);
    step.note(`${verification.status}, restored into ${restoredDatabase}`);
  });
  terminal.line(`\n${lines.join("\n")}\n`);
}

/** Empty, also after an earlier demo. */
async function makeDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname: "/postgres" }).href });
  await client.connect();
  try {
    await client.query(`DROP DATABASE IF EXISTS ${restoredDatabase} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${restoredDatabase}`);
  } finally {
    await client.end();
  }
}
