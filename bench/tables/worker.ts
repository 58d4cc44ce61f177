// One run of the worker in a process of its own, as its pod starts it, with the operator in the same process: its work as JSON
// on standard input, what it took as JSON on standard output.
import { text } from "node:stream/consumers";
import { assess } from "../../src/engine/assess/index.ts";
import { copy } from "../../src/engine/index.ts";
import { foundRuns } from "../../src/engine/run/reset.ts";
import { createRedactor } from "../../src/guard/redact.ts";
import { createJournal } from "../../src/worker/journal.ts";
import type { OperatorResponse } from "../../src/worker/operator-client.ts";
import type { RunOutcome, WorkerAssignment } from "../../src/worker/protocol.ts";
import { runWorker } from "../../src/worker/run.ts";

/** `message`: why the run failed. Seconds of the assessment, of the phases of the copy by their names, and of the complete run. */
export type Ran = { ok: boolean; message: string; seconds: Record<string, number>; tables: number };

const work = JSON.parse(await text(process.stdin)) as WorkerAssignment;
const begun = performance.now();
const seconds: Record<string, number> = {};
let part = "";
let since = begun;
const enter = (next: string): void => {
  const now = performance.now();
  if (part !== "") seconds[part] = (seconds[part] ?? 0) + (now - since) / 1000;
  part = next;
  since = now;
};

/** As over HTTPS, for which it becomes text. */
const sent = (body: unknown): OperatorResponse<null> => {
  JSON.stringify(body);
  return { kind: "ok", body: null };
};

let outcome: RunOutcome | undefined;
const redactor = createRedactor();
await runWorker({
  operator: {
    work: async () => ({ kind: "ok", body: work }),
    progress: async (report) => sent(report),
    result: async (result) => {
      outcome = result;
      return sent(result);
    },
    close: () => undefined,
  },
  redactor,
  journal: createJournal(
    redactor,
    (level, message) => console.error(`${level}: ${message}`),
    () => new Date(),
  ),
  backup: () => Promise.reject(new Error("this work is no backup")),
  engine: {
    foundRuns,
    assess: async (request, hooks) => {
      enter("assess");
      const assessment = await assess(request, hooks);
      enter("connect");
      return assessment;
    },
    copy: (request, hooks) =>
      copy(request, {
        ...hooks,
        progress(progress) {
          if (progress.phase !== part) enter(progress.phase);
          hooks.progress(progress);
        },
      }),
  },
  terminated: new AbortController().signal,
  now: () => new Date(),
  monotonic: () => performance.now(),
  random: Math.random,
  startDeadlineMs: 10_000,
  stopDeadlineMs: 20_000,
});
enter("");
const ran: Ran = {
  ok: outcome?.outcome === "completed",
  message: outcome === undefined ? "it ended without a result" : `${outcome.reason}: ${outcome.message}`,
  seconds: { ...seconds, total: (performance.now() - begun) / 1000 },
  tables: outcome?.summary?.tables ?? 0,
};
console.log(JSON.stringify(ran));
