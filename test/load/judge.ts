import { type Noted, unanswered } from "./records.ts";

/** What a load came to: a table for people, and which bounds it broke. Pure. */

/** Bounds of issue and chart. Those of time are no business of a test that shares its machine. */
export const bounds = {
  /** Milliseconds. */
  readP99: 50,
  /** MiB of a replica. */
  apiMemory: 250,
  /** MiB; the chart's limit is 192. */
  operatorMemory: 180,
  /** Requests to the Kubernetes API for one to ours: for logs and reports, what is written, and the note of writes; all else is in the caches. */
  kubernetesPerRequest: 0.3,
  /** Where a machine is too slow for the note, what was asked and who asks (token, account, team) are read live. */
  kubernetesPerSlowRequest: 5,
  /** Milliseconds after a replica was killed in which requests may fail. */
  killed: 2000,
  /** Share of the reads that are answered and not refused, on however slow a machine. */
  right: 0.5,
};

export type Counts = ReadonlyMap<string, number>;

export interface Observed {
  records: readonly Noted[];
  /** The load whose times count, then the kill. */
  begun: number;
  ended: number;
  killedAt: number;
  /** Streams of events that were to be open. */
  streams: number;
  /** Of the API's account between begun and ended, by verb and kind. */
  kubernetes: Counts;
  /** Likewise of the operator's. */
  operatorRequests: Counts;
  /** Peaks in MiB. */
  apiMemory: readonly number[];
  operatorMemory: number;
  /** Seconds of a processor that the replicas took once they were ready, to the very end. */
  processor: number;
  /** Bytes. */
  largest: number;
}

const notReads = new Set(["createMigration", "openStream", "streamMigrationEvents"]);

/** By nearest rank; 0 of none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

const times = (records: readonly Noted[]): number[] => records.map(({ ms }) => ms).sort((a, b) => a - b);

function row(name: string, records: readonly Noted[]): string {
  const sorted = times(records);
  const failed = records.filter((one) => one.failed !== undefined).length;
  const cells = [0.5, 0.9, 0.99, 0.999, 1].map((share) => percentile(sorted, share).toFixed(1).padStart(9));
  return `${name.padEnd(24)}${String(records.length).padStart(8)}${String(failed).padStart(8)}${cells.join("")}`;
}

/** Failures that no bound allows: before the kill any, after it those that came too late for it. */
function failures({ records, killedAt }: Observed): { early: Noted[]; killed: Noted[]; late: Noted[] } {
  const failed = records.filter((one) => one.failed !== undefined && one.failed !== unanswered);
  // What was on its way to the killed replica began before.
  const hit = (one: Noted) => one.at + one.ms >= killedAt && one.at > killedAt - 1000;
  return {
    early: failed.filter((one) => one.at < killedAt && !hit(one)),
    killed: failed.filter((one) => hit(one) && one.at <= killedAt + bounds.killed),
    late: failed.filter((one) => one.at > killedAt + bounds.killed),
  };
}

const words = (records: readonly Noted[], from: number): string =>
  records
    .slice(0, 5)
    .map((one) => `${one.operation} at ${((one.at - from) / 1000).toFixed(2)} s: ${one.failed}`)
    .join("; ");

/** The p99 of those that began in each second. */
function bySecond(records: readonly Noted[], from: number): string[] {
  const seconds = Map.groupBy(records, ({ at }) => Math.floor((at - from) / 1000));
  return [...seconds].sort(([a], [b]) => a - b).map(([, own]) => percentile(times(own), 0.99).toFixed(0));
}

const total = (counts: Counts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);
/** Most first. */
export const listed = (counts: Counts): string =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([what, count]) => `${what} ${count}`)
    .join(", ");

/** The answer of a replica that is too busy. */
const slow = /answers too slowly/;

/**
 * `timed`: whether bounds of time and memory are looked at; without them, a request that was refused for slowness alone is no
 * failure. A request that nobody answered always is one, and so is a load that asks nothing.
 */
export function judge(all: Observed, timed: boolean): { lines: string[]; broken: string[] } {
  const observed = timed ? all : { ...all, records: all.records.filter(({ failed }) => !slow.test(failed ?? "")) };
  const { records, begun, ended, kubernetes, operatorRequests } = observed;
  const measured = records.filter(({ at }) => at >= begun && at < ended);
  const reads = measured.filter(({ operation }) => !notReads.has(operation));
  const asked = all.records.filter(
    ({ operation, at }) => at >= begun && at < ended && !operation.toLowerCase().includes("stream"),
  ).length;
  const seconds = (ended - begun) / 1000;
  const silent = records.filter(({ failed }) => failed === unanswered);
  const right = reads.filter(({ failed }) => failed === undefined).length;
  const wanted = all.records.filter(
    ({ operation, at }) => at >= begun && at < ended && !notReads.has(operation),
  ).length;
  const end = Math.max(...all.records.map(({ at }) => at));
  // An answer of a replica that is too busy is one.
  const recovered = all.records.some(
    ({ at, failed }) => at > end - 2000 && (failed === undefined || slow.test(failed)),
  );
  const opened = records.filter(({ operation, failed }) => operation === "openStream" && failed === undefined).length;
  const kube = total(kubernetes);
  const perRequest = kube / Math.max(1, asked);
  const { early, killed, late } = failures(observed);
  // A stream that broke is one connection, not a request; its reader goes on where it was.
  const dropped = [...killed, ...late].filter(({ operation }) => operation !== "streamMigrationEvents").length;
  const mostDropped = (bounds.killed / 1000) * (asked / seconds);
  const p99 = percentile(times(reads), 0.99);
  const memory = Math.max(...observed.apiMemory);
  const lines = [
    `${"operation".padEnd(24)}${["count", "failed"].map((head) => head.padStart(8)).join("")}${["p50 ms", "p90", "p99", "p99.9", "worst"].map((head) => head.padStart(9)).join("")}`,
    ...[...Map.groupBy(measured, ({ operation }) => operation)]
      .sort(([, a], [, b]) => b.length - a.length)
      .map(([operation, own]) => row(operation, own)),
    row("all reads", reads),
    "",
    `reads' p99 of each second, ms: ${bySecond(reads, begun).join(" ")}`,
    `${asked} requests in ${seconds.toFixed(1)} s, ${(asked / seconds).toFixed(1)} a second; reads: p99 ${p99.toFixed(1)} ms (bound ${bounds.readP99})`,
    `Kubernetes API: ${kube} requests, ${perRequest.toFixed(2)} for one (bound ${bounds.kubernetesPerRequest}): ${listed(kubernetes)}`,
    `the operator's: ${total(operatorRequests)} requests: ${listed(operatorRequests)}`,
    `memory of the API's replicas at most: ${observed.apiMemory.map((peak) => peak.toFixed(0)).join(", ")} MiB (bound ${bounds.apiMemory}); of the operator ${observed.operatorMemory.toFixed(0)} MiB (bound ${bounds.operatorMemory})`,
    `processor: ${((1000 * observed.processor) / records.length).toFixed(2)} ms of the replicas for one request`,
    `failed with the rolling restart: ${early.length} (bound 0); with a SIGKILL: ${killed.length} within ${bounds.killed} ms, ${late.length} later (bound 0)`,
  ];
  const broken = [
    asked === 0 && "no request was made",
    asked > 0 && right === 0 && `none of ${asked} requests was answered as it should be`,
    right > 0 && right < bounds.right * wanted && `${wanted - right} of ${wanted} reads were refused`,
    end > observed.killedAt && !recovered && "no request was answered in the last two seconds",
    silent.length > 0 && `${silent.length} requests stayed unanswered: ${words(silent, begun)}`,
    opened < observed.streams && `${opened} streams were opened instead of ${observed.streams}`,
    early.length > 0 && `requests failed while replicas were restarted in order: ${words(early, begun)}`,
    timed && late.length > 0 && `requests failed long after a replica was killed: ${words(late, observed.killedAt)}`,
    dropped > mostDropped && `${dropped} requests failed with the replica that was killed, more than come in 2 s`,
    perRequest > (timed ? bounds.kubernetesPerRequest : bounds.kubernetesPerSlowRequest) &&
      `${perRequest.toFixed(2)} requests to the Kubernetes API for one`,
    observed.largest > 4096 && `a Migration has ${observed.largest} bytes`,
    timed && p99 > bounds.readP99 && `the reads' p99 is ${p99.toFixed(1)} ms`,
    timed && memory > bounds.apiMemory && `a replica took ${memory.toFixed(0)} MiB`,
    timed &&
      observed.operatorMemory > bounds.operatorMemory &&
      `the operator took ${observed.operatorMemory.toFixed(0)} MiB`,
  ].filter((one) => one !== false);
  return { lines, broken };
}
