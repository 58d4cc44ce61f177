import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { pino } from "pino";
import { counter, createHealthServer, gauge } from "../../controllers/runtime/health.ts";
import { dumpVersion } from "../engine/postgres/dump/dump.ts";
import { createProcessPool } from "../prober/pool.ts";
import { createProberServer, secureContext } from "../prober/server.ts";
import { readTlsFiles, watchTlsFiles } from "../prober/tls-files.ts";
import { keepCoresEmpty } from "./core-files.ts";
import { listen } from "./listen.ts";
import { readProberConfig } from "./prober-config.ts";
import { guardOf } from "./settings.ts";

/** The prober's process: the only one that dials a user's host for the API, each time in a child of its own. */

const config = readProberConfig(process.env);
const log = pino({ level: config.ROWFERRY_LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime });
process.on("unhandledRejection", (error) => {
  log.fatal({ type: error instanceof Error ? error.name : typeof error }, "an error that nothing caught");
  process.exit(1);
});
await keepCoresEmpty((words) => log.warn(words));

const now = () => performance.now();
const megabyte = 1 << 20;
/** Beside this file: one bundle each in the image, and sources on a developer's machine. */
const entry = join(import.meta.dirname, `probe${extname(import.meta.filename)}`);
const fromSource = extname(entry) === ".ts";
const pool = createProcessPool(
  {
    entry,
    readable: [fromSource ? join(import.meta.dirname, "../..") : dirname(entry)],
    heapMegabytes: config.ROWFERRY_PROBER_HEAP_MEGABYTES,
    mostResident: config.ROWFERRY_PROBER_RESIDENT_MEGABYTES * megabyte,
    atOnce: config.ROWFERRY_PROBER_AT_ONCE,
    ofOne: config.ROWFERRY_PROBER_OF_ONE,
    queue: config.ROWFERRY_PROBER_QUEUE,
    patience: config.ROWFERRY_PROBER_PATIENCE_SECONDS * 1000,
    idle: config.ROWFERRY_PROBER_IDLE,
    failed: (words) => log.error({ words }, "a probe's process met an error that it did not expect"),
    async scratch() {
      const path = await mkdtemp(join(tmpdir(), "rowferry-probe-"));
      return { path, remove: () => rm(path, { recursive: true, force: true }) };
    },
  },
  now,
);

const ended = { answered: 0, unreachable: 0, busy: 0, refused: 0, failed: 0 };
const paths = { cert: config.ROWFERRY_PROBER_CERT, key: config.ROWFERRY_PROBER_KEY, ca: config.ROWFERRY_PROBER_CA };
const tls = await readTlsFiles(paths);
const deadlines = {
  preflight: config.ROWFERRY_PROBER_PREFLIGHT_SECONDS * 1000,
  measure: config.ROWFERRY_PROBER_MEASURE_SECONDS * 1000,
  test: config.ROWFERRY_PROBER_TEST_SECONDS * 1000,
  target: config.ROWFERRY_PROBER_TEST_SECONDS * 1000,
};
let pgDump: number | undefined;
void dumpVersion(process.env).then(
  (version) => {
    pgDump = version;
  },
  () => log.warn("pg_dump is not installed: preflights between PostgreSQL servers will report it"),
);
const server = createProberServer({
  pool,
  guard: guardOf(config),
  deadlines,
  tools: {
    path: process.env.PATH ?? "",
    folder: process.env.ROWFERRY_PG_BIN,
    libraries: process.env.LD_LIBRARY_PATH,
  },
  pgDump: () => pgDump,
  workerHeap: config.ROWFERRY_PROBER_WORKER_HEAP_MEGABYTES * megabyte,
  tls,
  log,
  now,
  ended(outcome) {
    ended[outcome] += 1;
  },
});
const stopWatching = watchTlsFiles(
  paths,
  tls,
  (files) => {
    server.setSecureContext(secureContext(files));
    log.info("the certificate was read anew");
  },
  (error) => log.warn({ err: error }, "reading the certificate"),
  config.ROWFERRY_PROBER_CERT_SECONDS * 1000,
);

let stopping = false;
const health = createHealthServer({
  turned: () => ({}),
  now,
  silence: 0,
  ready: () => !stopping && pool.sound(),
  metrics: () => [
    ...Object.entries(ended).map(([outcome, value]) =>
      counter(`rowferry_prober_${outcome}_total`, `Calls that ended as ${outcome}.`, value),
    ),
    gauge("rowferry_prober_running", "Probes that run.", pool.counts().running),
    gauge("rowferry_prober_waiting", "Calls that wait for a place.", pool.counts().waiting),
    gauge("process_resident_memory_bytes", "Resident memory size in bytes.", process.memoryUsage.rss()),
  ],
});

const healthPort = await listen(health, config.ROWFERRY_LISTEN_HOST, config.ROWFERRY_HEALTH_PORT);
const port = await listen(server, config.ROWFERRY_LISTEN_HOST, config.ROWFERRY_PROBER_PORT);
log.info({ port, healthPort }, "started");

for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.on(signal, () => {
    // Who asks twice does not wait for what runs.
    if (stopping) return void leave();
    log.info({ signal }, "stopping");
    stopping = true;
    stopWatching();
    const longest = setTimeout(() => void leave(), Math.max(...Object.values(deadlines)));
    // A connection that is kept alive becomes idle after its answer.
    const idle = setInterval(() => server.closeIdleConnections(), 200);
    server.close(() => {
      clearTimeout(longest);
      clearInterval(idle);
      void leave();
    });
  });

async function leave(): Promise<void> {
  await pool.close();
  log.info("stopped");
  process.exit(0);
}
