import { request } from "node:https";
import {
  containerStatus,
  terminated,
  setPodStatus as writeStatus,
} from "../../dev/cluster/processes/kubelet/pod-status.ts";
import { requestToken } from "../../dev/cluster/processes/kubelet/token.ts";
import { labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { type Job, kinds, type Pod } from "../../src/resources/objects.ts";
import { audience, type Report, type RunOutcome } from "../../src/worker/protocol.ts";
import { type PlaneClient, until } from "./control-plane.ts";

/** What a kubelet and a worker would do, played by the test: pods' status by hand, and calls with a pod's own token. */

type Cluster = Pick<PlaneClient, "admin">;

export const jobsOf = (plane: Cluster, migration: Migration): Promise<Job[]> =>
  plane.admin.client.list(kinds.jobs, {
    namespace: migration.metadata.namespace,
    labelSelector: `${labels.migrationUid}=${migration.metadata.uid}`,
  });

/** The newest pod that the Job controller made for this run. */
export const untilPod = (plane: Cluster, migration: Migration, run: number, except: string[] = []): Promise<Pod> =>
  until(`a pod of run ${run}`, async () => {
    const pods = await plane.admin.client.list(kinds.pods, {
      namespace: migration.metadata.namespace,
      labelSelector: `${labels.migrationUid}=${migration.metadata.uid},${labels.run}=${run}`,
    });
    return pods.find((pod) => !except.includes(pod.metadata.name) && pod.metadata.deletionTimestamp === undefined);
  });

export const setPodStatus = (plane: Cluster, pod: Pod, status: object): Promise<void> =>
  writeStatus(plane.admin.connection, pod, status);

const container = (state: object) => containerStatus({ name: "worker", image: "x" }, state);

export const podRuns = (plane: Cluster, pod: Pod) =>
  setPodStatus(plane, pod, {
    phase: "Running",
    containerStatuses: [container({ running: { startedAt: new Date().toISOString() } })],
  });

/** As the kubelet reports it when the container exits. */
export const podEnds = (plane: Cluster, pod: Pod, exitCode: number, extra: object = {}) => {
  const state = terminated(exitCode, { startedAt: new Date().toISOString() });
  return setPodStatus(plane, pod, {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [container({ terminated: { ...state.terminated, ...extra } })],
  });
};

export const podWaits = (plane: Cluster, pod: Pod, reason: string) =>
  setPodStatus(plane, pod, {
    phase: "Pending",
    containerStatuses: [container({ waiting: { reason, message: "said the kubelet" } })],
  });

/** A token as the kubelet would project it into the pod. */
export const tokenOf = (
  plane: Cluster,
  pod: { namespace: string; name: string; uid: string } | undefined,
  namespace: string,
  audiences: string[] = [audience],
): Promise<string> =>
  requestToken(plane.admin.connection, {
    ...{ namespace, account: "default", audiences },
    ...(pod === undefined ? {} : { pod: { name: pod.name, uid: pod.uid } }),
  });

export const tokenOfPod = (plane: Cluster, { metadata }: Pod, audiences?: string[]): Promise<string> =>
  tokenOf(
    plane,
    { namespace: metadata.namespace ?? "", name: metadata.name, uid: metadata.uid ?? "" },
    metadata.namespace ?? "",
    audiences,
  );

/** Calls the operator's endpoint, trusting only its own CA, which is read as the API would. */
export async function call(
  plane: Cluster,
  endpoint: string,
  path: string,
  token: string | undefined,
  body: unknown,
  home = "rowferry-system",
): Promise<{ status: number; body: Record<string, unknown> }> {
  const published = await plane.admin.client.get(kinds.configMaps, home, "rowferry-public-keys");
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, endpoint),
      {
        method: "POST",
        ca: published?.data?.["ca.crt"],
        servername: "localhost",
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          "content-type": "application/json",
          "content-length": Buffer.byteLength(text),
        },
        agent: false,
      },
      (response) => {
        let answer = "";
        response.on("data", (data) => {
          answer += data;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(answer || "{}") }));
      },
    );
    sent.on("error", reject);
    sent.end(text);
  });
}

/** What a worker finds before the first write. */
export const assessment: NonNullable<Report["assessment"]> = {
  type: "conversion",
  assessedAt: "2026-01-01T00:00:00.000Z",
  ready: true,
  source: { engine: "MySQL", version: "9.7.1", size: 823_000_000, tables: 10, rows: 1000 },
  target: { engine: "PostgreSQL", version: "18.6", empty: true, free: null },
  estimate: { seconds: { least: 10, most: 90 }, basis: "measured rates", latencyMs: { source: 0.35, target: 1.5 } },
  findings: [{ severity: "warning", code: "right_missing", object: "RELOAD", reason: "weaker locks", fix: "grant it" }],
  counts: { blockers: 0, warnings: 1, notes: 0, copied: 3, converted: 40, reported: 2 },
};

export function report(
  done: number,
  phase: "schema" | "copying" | "finished" = "copying",
  messages: string[] = [],
): Report {
  const time = new Date().toISOString();
  return {
    type: "conversion",
    size: 823_000_000,
    assessment,
    progress: {
      phase,
      percent: phase === "finished" ? 100 : Math.floor(done / 10),
      rows: { done, total: 1000 },
      bytes: { done: done * 10, total: 10_000 },
      tables: { done: 0, total: 1 },
      ...(phase === "copying" ? { etaSeconds: 200 } : {}),
      table: [{ name: "shop.orders", rows: done, total: 1000, state: "copying" }],
      updatedAt: time,
    },
    log: messages.map((message) => ({ time, level: "info", message })),
  };
}

export const completed = (archive?: string): RunOutcome => ({
  report: report(1000, "finished", ["All tables are equal"]),
  outcome: "completed",
  reason: "Verified",
  message: "10 tables, 1000 rows copied; every row count is equal.",
  summary: { tables: 10, rows: 1000, reported: 2 },
  ...(archive === undefined ? {} : { archive }),
});

export const failedOutcome = (reason = "wrong_password", message = "The target refused the password."): RunOutcome => ({
  report: report(10, "schema"),
  outcome: "failed",
  reason,
  message,
});
