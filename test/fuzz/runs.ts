import { gzipSync } from "node:zlib";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import type { Installation } from "../api/installation.ts";
import { until } from "../operator/control-plane.ts";
import { call, completed, podEnds, podRuns, tokenOfPod, untilPod } from "../operator/kubelet.ts";

/** Runs of migrations of which the test plays kubelet and worker, so that there are logs, reports and failures to be asked for. */

const reportOf = (canary: string) => ({
  type: "conversion",
  source: { engine: "mysql", version: "9.7.1" },
  target: { engine: "postgres", version: "18.6" },
  started_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:01:00.000Z",
  size: 823_000_000,
  tables: [{ source: `${canary}.orders`, target: `${canary}.orders`, rows: { source: 5, target: 5 } }],
  inventory: [{ kind: "table", name: `${canary}.orders`, outcome: "converted" }],
  warnings: [],
  made: [{ kind: "table", name: [canary, "orders"] }],
});

/** Plays the first run of a migration to its end; what it logs and reports holds the canary. */
export async function playRun(
  { plane, operator }: Installation,
  namespace: string,
  id: string,
  { outcome, canary }: { outcome: "completed" | "failed"; canary: string },
): Promise<void> {
  const migration = await plane.admin.client.get(kinds.migrations, namespace, id);
  if (migration === undefined) throw new Error(`no Migration ${id}`);
  const pod = await untilPod(plane, migration, 1);
  await podRuns(plane, pod);
  const token = await tokenOfPod(plane, pod);
  const log = Array.from({ length: 60 }, (_, at) => ({
    time: new Date(Date.now() + at).toISOString(),
    level: "info",
    message: `${canary}: milestone ${at}`,
  }));
  const shown = log.slice(-40);
  const archive = gzipSync(JSON.stringify({ report: reportOf(canary), log })).toString("base64");
  const whole = completed(archive);
  const said =
    outcome === "completed"
      ? { ...whole, report: { ...whole.report, log: shown } }
      : { outcome, reason: "wrong_password", message: `The target of ${canary} refused.`, report: { log: shown } };
  const { status, body } = await call(plane, operator.endpoint, "/result", token, said);
  if (status !== 200) throw new Error(`the operator answered ${status} ${JSON.stringify(body)}`);
  await podEnds(plane, pod, outcome === "completed" ? 0 : 2);
  await until(
    `${id} to be ${outcome}`,
    async () => stateOf(await plane.admin.client.get(kinds.migrations, namespace, id)) === outcome,
  );
}

const stateOf = (migration: Migration | undefined): string | undefined => migration?.status?.state;
