import { pino } from "pino";
import * as z from "zod";
import { createRedactor } from "../guard/redact.ts";
import { createJournal } from "./journal.ts";
import { createOperatorClient } from "./operator-client.ts";
import type { BackupRoom, WorkerEngine } from "./parts.ts";
import { exitCodes, workerEnv } from "./protocol.ts";
import { runWorker } from "./run.ts";

/**
 * The worker as a process: environment, signals, log lines on stdout (JSON, each through the redactor), exit code
 * (`exitCodes`). The engine is passed in.
 */
const environment = z.object({
  [workerEnv.url]: z.url(),
  [workerEnv.ca]: z.string().min(1),
  [workerEnv.tokenFile]: z.string().min(1),
  /** The folder below which the pod's volumes are mounted, where a pod is a process without a root file system of its own. */
  ROWFERRY_MOUNTS_ROOT: z.string().default(""),
  ROWFERRY_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
  /** How long the operator may stay unreachable before there is work; then another pod tries. */
  ROWFERRY_START_DEADLINE_SECONDS: z.coerce.number().positive().max(3600).default(120),
  /** How long the engine may take to end in order; within the pod's grace period, of which 25 s is the least. */
  ROWFERRY_STOP_DEADLINE_SECONDS: z.coerce.number().positive().max(3600).default(20),
});

/** Runs one pod's work and ends the process; never returns. */
export async function runWorkerProcess(engine: WorkerEngine, backup: () => Promise<BackupRoom>): Promise<never> {
  const settings = environment.safeParse(process.env);
  const redactor = createRedactor();
  const level = settings.success ? settings.data.ROWFERRY_LOG_LEVEL : "info";
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => process.stdout.write(redactor.clean(line)) },
  );
  // Node would print these to stderr as they are.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => log.warn(warning.message));
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error) => {
      log.fatal({ err: error }, "an error that nothing handled");
      process.exit(exitCodes.retry);
    });
  }
  if (!settings.success) {
    const wrong = settings.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
    log.fatal(`the worker's environment is not right: ${wrong}`);
    process.exit(exitCodes.failed);
  }

  const terminated = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => terminated.abort());
  const operator = createOperatorClient({
    url: settings.data[workerEnv.url],
    ca: settings.data[workerEnv.ca],
    tokenFile: settings.data[workerEnv.tokenFile],
    learn: redactor.learn,
  });
  const print = { info: log.info.bind(log), warning: log.warn.bind(log), error: log.error.bind(log) };
  const now = () => new Date();
  const code = await runWorker({
    operator,
    redactor,
    journal: createJournal(redactor, (entryLevel, message) => print[entryLevel](message), now),
    engine,
    backup,
    terminated: terminated.signal,
    now,
    monotonic: () => performance.now(),
    random: Math.random,
    mountsRoot: settings.data.ROWFERRY_MOUNTS_ROOT,
    startDeadlineMs: settings.data.ROWFERRY_START_DEADLINE_SECONDS * 1000,
    stopDeadlineMs: settings.data.ROWFERRY_STOP_DEADLINE_SECONDS * 1000,
  });
  operator.close();
  log.info({ exitCode: code }, "the worker ends");
  process.exit(code);
}
