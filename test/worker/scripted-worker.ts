import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Assessment, AssessRequest } from "../../src/engine/assess/index.ts";
import {
  type Copied,
  type CopyHooks,
  type CopyRequest,
  EngineError,
  type EngineProgress,
} from "../../src/engine/contract/index.ts";
import { runWorkerProcess } from "../../src/worker/process.ts";

/**
 * The worker's process around an engine that follows a script (environment SCRIPT), for what a real engine does rarely or
 * at its own time. It writes `finished` into the file FINISHED when the worker asks it to drop `_rowferry`.
 */
const script = process.env.SCRIPT ?? "complete";

const at = (phase: EngineProgress["phase"], done: number): EngineProgress => ({
  phase,
  rows: { done, total: 1000 },
  bytes: { done: done * 100, total: 100_000 },
  tables: { done: 0, total: 50 },
  read: done * 100,
  finished: 0,
  compared: 0,
  table: Array.from({ length: 50 }, (_, i) => ({
    name: `shop.t${i}`,
    rows: 0,
    total: 1000 - i,
    state: "waiting" as const,
  })),
});

async function finish(): Promise<void> {
  if (script === "finish-fails") throw new EngineError("connection_lost", "the target went away", { retryable: true });
  if (process.env.FINISHED !== undefined) writeFileSync(process.env.FINISHED, "finished");
}

async function copy(request: CopyRequest, hooks: CopyHooks): Promise<Copied> {
  if (script === "unreachable") throw new EngineError("connection_timeout", "no answer", { retryable: true });
  const { password } = request.source;
  const byCa = request.source.tls.ca === undefined ? "" : ` by a CA, ${request.source.tls.mode}`;
  hooks.log("info", `Connected to ${request.source.host}${byCa} and ${request.target.host}`);
  if (script === "options") hooks.log("info", JSON.stringify(request.options));
  hooks.measured(12_345.6, "conversion");
  hooks.progress(at("copying", 100));
  if (script === "leak") hooks.log("warning", `retrying with ${password} and ${encodeURIComponent(password)}`);
  if (script === "leak" || script === "fail") {
    const cause = new Error(`driver said ${Buffer.from(`shop:${password}`).toString("base64")}`);
    throw new EngineError("access_denied", `login as shop with ${password} was refused`, { cause });
  }
  if (script === "retryable") throw new EngineError("connection_lost", "The source went away", { retryable: true });
  if (script === "fenced") throw new EngineError("superseded", "another pod works on the target");
  if (script === "bug") (undefined as unknown as { length: number }).length.toFixed();
  if (script === "crash")
    setTimeout(() => {
      throw new Error(`stray error with ${password}`);
    }, 50);
  if (script === "deaf") await sleep(600_000);
  if (script === "long" || script === "crash") {
    for (let done = 100; !hooks.signal.aborted; done = Math.min(done + 1, 900)) {
      hooks.progress(at("copying", done));
      await sleep(20);
    }
    hooks.log("info", "Ended in order");
    throw new EngineError("cancelled", "asked to stop");
  }
  const time = new Date().toISOString();
  return {
    finish,
    report: {
      type: "conversion",
      source: { engine: "mysql", version: "9.7.4" },
      target: { engine: "postgres", version: "18.6" },
      started_at: time,
      finished_at: time,
      size: 12_346,
      tables: [{ source: "shop.t0", target: "public.t0", rows: { source: 1000, target: 1000 } }],
      inventory: [{ kind: "event", name: "shop.nightly", outcome: "reported", note: `not with ${password}` }],
      warnings: [],
      made: [{ kind: "table", name: ["public", "t0"] }],
    },
  };
}

async function assess(_request: AssessRequest, hooks: Pick<CopyHooks, "log">): Promise<Assessment> {
  if (script === "assess-fails") throw new TypeError("no such view");
  const finding = { code: "no_room" as const, object: "the target's disk", reason: "1 MB are free", fix: "make room" };
  if (script === "blocked") hooks.log("error", `${finding.object}: ${finding.reason}`);
  return {
    type: "conversion",
    assessedAt: new Date().toISOString(),
    ready: script !== "blocked",
    source: { engine: "MySQL", version: "9.7.4", size: 12_346, tables: 1, rows: 1000 },
    target: { engine: "PostgreSQL", version: "18.6", empty: true, free: null },
    findings: [script === "blocked" ? { severity: "blocker", ...finding } : { severity: "note", ...finding }],
    objects: [],
    estimate: { seconds: { least: 1, most: 9 }, basis: "measured rates", latencyMs: { source: 0.1, target: 0.1 } },
    samples: [],
  };
}

await runWorkerProcess({ copy, assess, foundRuns: async () => [] }, () =>
  Promise.reject(new Error("the script has no backups")),
);
