import { pino } from "pino";
import { z } from "zod";
import { copy } from "../engine/index.ts";
import { createJournal } from "../worker/journal.ts";
import { createOperator } from "../worker/operator.ts";
import { exitCodes, workerEnv } from "../worker/protocol.ts";
import { createRedactor } from "../worker/redact.ts";
import { runWorker } from "../worker/run.ts";

/** The Job's process. Its exit code tells the Job what to do next (`exitCodes`). */
const environment = z.object({
  [workerEnv.url]: z.url(),
  [workerEnv.ca]: z.string().min(1),
  [workerEnv.tokenFile]: z.string().min(1),
  ROWFERRY_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
  ROWFERRY_START_DEADLINE_SECONDS: z.coerce.number().min(1).max(3600).default(120),
});

const redactor = createRedactor();
const log = pino(
  { level: process.env.ROWFERRY_LOG_LEVEL ?? "info", base: null, timestamp: pino.stdTimeFunctions.isoTime },
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

const terminated = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => terminated.abort());

const settings = environment.safeParse(process.env);
if (!settings.success) {
  const names = settings.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
  log.fatal(`the worker's environment is not right: ${names}`);
  process.exit(exitCodes.failed);
}

const operator = createOperator({
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
  journal: createJournal(redactor, (level, message) => print[level](message), now),
  copy,
  terminated: terminated.signal,
  now,
  monotonic: () => performance.now(),
  random: Math.random,
  startDeadlineMs: settings.data.ROWFERRY_START_DEADLINE_SECONDS * 1000,
  stopDeadlineMs: 20_000,
});
operator.close();
log.info({ exitCode: code }, "the worker ends");
process.exit(code);
