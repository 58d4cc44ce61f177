import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { connect, createClient } from "../../src/cluster/index.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { afterEachTest } from "../file-end.ts";
import { until } from "../operator/control-plane.ts";
import { call, completed, podEnds, podRuns, tokenOfPod, untilPod } from "../operator/kubelet.ts";
import { entry, startWorker } from "../worker/process.ts";
import { admin, api, type Person, provided } from "./world.ts";

/** Migrations made through REST, and runs of them of which the test plays kubelet and worker. */

const connection = connect({ kubeconfig: provided.adminKubeconfig });
const cluster = { admin: { connection, client: createClient(connection), kubeconfig: provided.adminKubeconfig } };

export const planted = "Pl4nted-Passw0rd";
export const pair = {
  source_url: `mysql://reader:${planted}@127.0.0.1:3306/shop`,
  target_url: `postgres://writer:${planted}@127.0.0.1:5432/shop`,
};

/** What a test made is gone after it: runs that wait for a kubelet would hold the slots. */
const people = new Set<string>();
afterEachTest(async () => {
  for (const namespace of people)
    for (const { metadata } of await admin.list(kinds.migrations, { namespace }))
      await admin.remove(kinds.migrations, namespace, metadata.name, metadata.uid);
  people.clear();
});

/** Creates one and answers its id. */
export async function create(person: Person, body: object = {}, headers: Record<string, string> = {}): Promise<string> {
  const made = await api("/api/migrations", { token: person.token, body: { ...pair, ...body }, headers });
  people.add(person.namespace);
  if (made.status !== 201) throw new Error(`creating: ${made.status} ${made.text}`);
  return String(made.body.migration.id);
}

export async function stored(person: Person, name: string): Promise<Migration> {
  const found = await admin.get(kinds.migrations, person.namespace, name);
  people.add(person.namespace);
  if (found === undefined) throw new Error(`no Migration ${name}`);
  return found;
}

/** What REST says its status is. */
export const statusOf = async (person: Person, id: string): Promise<unknown> =>
  (await api(`/api/migrations/${id}`, { token: person.token })).body?.status;

export const untilStatus = (person: Person, id: string, status: string): Promise<boolean> =>
  until(`${id} to be ${status}`, async () => (await statusOf(person, id)) === status);

/** The run's pod starts, and the operator has recorded its Job: before that its worker's result is none. */
export async function start(person: Person, name: string, run = 1) {
  const migration = await stored(person, name);
  const pod = await untilPod(cluster, migration, run);
  await until(`the Job of run ${run} to be recorded`, async () => {
    const { status } = await stored(person, name);
    return status?.run === run && status.job !== undefined;
  });
  await podRuns(cluster, pod);
  return pod;
}

/** The run's worker fails, in a way that no other pod could fix. */
export async function fail(person: Person, name: string, run = 1): Promise<void> {
  const pod = await start(person, name, run);
  const token = await tokenOfPod(cluster, pod);
  const outcome = {
    outcome: "failed",
    reason: "wrong_password",
    message: "The target refused the password.",
    report: { log: [{ time: new Date().toISOString(), level: "error", message: "The target refused the password." }] },
  };
  await answered(call(cluster, provided.operatorEndpoint, "/result", token, outcome));
  await podEnds(cluster, pod, 2);
}

export const exampleReport = {
  type: "conversion",
  source: { engine: "mysql", version: "9.7.1" },
  target: { engine: "postgres", version: "18.6" },
  started_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:01:00.000Z",
  size: 823_000_000,
  tables: [{ source: "shop.orders", target: "shop.orders", rows: { source: 5, target: 5 } }],
  inventory: [{ kind: "table", name: "shop.orders", outcome: "converted" }],
  warnings: [],
  made: [{ kind: "table", name: ["shop", "orders"] }],
};

/** The run's worker completes, with so many entries in its log. */
export async function complete(person: Person, name: string, entries: number, run = 1): Promise<void> {
  const pod = await start(person, name, run);
  const token = await tokenOfPod(cluster, pod);
  const log = Array.from({ length: entries }, (_, at) => ({
    time: new Date(Date.now() + at).toISOString(),
    level: "info",
    message: `milestone ${at}`,
  }));
  const archive = gzipSync(JSON.stringify({ report: exampleReport, log })).toString("base64");
  const outcome = completed(archive);
  await answered(
    call(cluster, provided.operatorEndpoint, "/result", token, {
      ...outcome,
      report: { ...outcome.report, log: log.slice(-40) },
    }),
  );
  await podEnds(cluster, pod, 0);
}

/** The run's worker is a real process, as its pod would start it; answers its exit code and what it wrote. */
export async function work(person: Person, name: string, run = 1): Promise<{ code: number | null; output: string }> {
  const pod = await start(person, name, run);
  const folder = await mkdtemp(join(tmpdir(), "api-worker-"));
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, await tokenOfPod(cluster, pod), { mode: 0o600 });
  const published = await admin.get(kinds.configMaps, "rowferry-system", "rowferry-public-keys");
  const worker = startWorker(
    entry,
    { url: provided.operatorEndpoint, ca: published?.data?.["ca.crt"] ?? "", tokenFile },
    { ROWFERRY_PG_BIN: await pgTools() },
  );
  try {
    const { code } = await worker.ended;
    await podEnds(cluster, pod, code ?? 1);
    return { code, output: worker.output() };
  } finally {
    worker.signal("SIGKILL");
    await rm(folder, { recursive: true });
  }
}

async function answered(said: ReturnType<typeof call>): Promise<void> {
  const { status, body } = await said;
  if (status !== 200) throw new Error(`the operator answered ${status} ${JSON.stringify(body)}`);
}
