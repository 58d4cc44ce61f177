import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../../dev/build.ts";
import { kinds } from "../../src/resources/objects.ts";
import { type ControlPlane, startControlPlane, until } from "../operator/control-plane.ts";
import {
  installAccount,
  installCrds,
  makeNamespace,
  type OperatorProcess,
  startOperator,
} from "../operator/operator.ts";
import { percentile } from "./judge.ts";
import { memoryOf } from "./process.ts";
import { flagsOf } from "./scene.ts";

/** A control plane with one operator as the image runs it, without the API. The test plays worker and Job controller. */

/** Bounds of issue and chart, in seconds and MiB. */
export const bounds = { ready: 20, memory: 180, next: 2, first: 2 };

export interface OneOperator {
  plane: ControlPlane;
  /** Starts one, with these settings beside the chart's flags for Node. */
  operator(env: Record<string, string>): Promise<OperatorProcess>;
  close(): Promise<void>;
}

export async function openOne(
  namespaces: readonly string[],
  {
    backups = false,
    image = true,
    profile,
  }: {
    backups?: boolean;
    /** Else the bundle that the tests share. */
    image?: boolean;
    /** Folder: each operator leaves its CPU profile there. */
    profile?: string | undefined;
  } = {},
): Promise<OneOperator> {
  const built = image ? mkdtempSync(join(tmpdir(), "load-bundle-")) : undefined;
  const operators: OperatorProcess[] = [];
  if (built !== undefined) await bundle(built);
  const plane = await startControlPlane({ controllers: "serviceaccount-controller", auditLater: true });
  await installCrds(plane);
  const kubeconfig = await installAccount(plane, { backups });
  for (const namespace of namespaces) await makeNamespace(plane, namespace);
  return {
    plane,
    async operator({ NODE_OPTIONS = "", ...more }) {
      const profiling = profile === undefined ? "" : ` --cpu-prof --cpu-prof-dir=${profile}`;
      const options = `${flagsOf("operator")} ${NODE_OPTIONS}${profiling}`;
      const env = { NODE_ENV: "production", NODE_OPTIONS: options, ...more };
      const one = await startOperator(plane, kubeconfig, `operator-${operators.length}`, env, built);
      operators.push(one);
      return one;
    },
    async close() {
      // A profile is written at a clean end alone.
      await Promise.all(operators.map((one) => one.stop(profile === undefined ? "SIGKILL" : "SIGTERM")));
      await plane.stop();
      if (built !== undefined) rmSync(built, { recursive: true, force: true });
    },
  };
}

/** As the Job controller does: with these conditions, each for this reason. */
async function endJob(
  { admin: { client } }: ControlPlane,
  { namespace, name }: { namespace: string; name: string },
  types: readonly string[],
  why: { reason: string; message?: string },
  counts: (time: string) => object,
): Promise<void> {
  const time = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const times = { lastProbeTime: time, lastTransitionTime: time };
  await client.patchStatus(kinds.jobs, namespace, name, {
    status: {
      ...{ ...counts(time), startTime: time, uncountedTerminatedPods: {} },
      conditions: types.map((type) => ({ type, status: "True", ...why, ...times })),
    },
  });
}

/** Once its pod has succeeded. */
export const completeJob = (plane: ControlPlane, namespace: string, name: string): Promise<void> =>
  endJob(
    plane,
    { namespace, name },
    ["SuccessCriteriaMet", "Complete"],
    { reason: "CompletionsReached" },
    (completionTime) => ({ succeeded: 1, completionTime }),
  );

/** Once its pods have failed for good. */
export const failJob = (plane: ControlPlane, namespace: string, name: string): Promise<void> =>
  endJob(
    plane,
    { namespace, name },
    ["FailureTarget", "Failed"],
    { reason: "BackoffLimitExceeded", message: "Job has reached the specified backoff limit" },
    () => ({ failed: 7 }),
  );

export const names = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}-${at}`);

export interface Outcome {
  lines: string[];
  broken: string[];
}

/** Answers after how many milliseconds it is ready. */
export async function untilReady(one: OperatorProcess, begun: number): Promise<number> {
  await until("the operator to be ready", async () => (await fetch(`${one.health}/readyz`)).ok, 120_000);
  await until("the operator to lead", one.leading, 60_000);
  return performance.now() - begun;
}

/** That it has begun since its start. */
export async function passesOf({ health }: OperatorProcess): Promise<number> {
  const text = await (await fetch(`${health}/metrics`)).text();
  return Number(/^rowferry_passes_total (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** Watches the peak of a process' memory, in MiB. */
export function watchMemory(one: OperatorProcess): { peak(): number; stop(): void } {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, memoryOf(one.child));
  }, 100);
  return { peak: () => most, stop: () => clearInterval(timer) };
}

/** Nearest rank, of any order. */
export const p99 = (all: readonly number[]): number =>
  percentile(
    all.toSorted((a, b) => a - b),
    0.99,
  );

/** A figure, and the most that it may be. */
export type Row = [what: string, is: number, most: number];

export const judged = (rows: readonly Row[]): Outcome => ({
  lines: rows.map(([what, is, most]) => `${what}: ${is.toFixed(2)} (bound ${most})`),
  broken: rows
    .filter(([, is, most]) => is > most)
    .map(([what, is, most]) => `${what}: ${is.toFixed(2)} instead of ${most}`),
});
