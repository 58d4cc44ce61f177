import { randomBytes, randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { createClient as createRedis } from "@redis/client";
import { pino } from "pino";
import { createHealthServer } from "../../controllers/runtime/health.ts";
import { createApp } from "../api/app.ts";
import { readPages } from "../api/docs/pages.ts";
import { createSite } from "../api/docs/site.ts";
import { createLimits } from "../api/limits.ts";
import { openApi } from "../api/openapi.ts";
import { failureOf } from "../api/problem.ts";
import { createApiServer } from "../api/server.ts";
import { createStreams } from "../api/streams-open.ts";
import { operationsOf } from "../api/table.ts";
import { ClusterError, type Connection, connect, createClient, pause } from "../cluster/index.ts";
import { createProberClient } from "../prober/client.ts";
import { readTlsFiles, watchTlsFiles } from "../prober/tls-files.ts";
import { createFresh } from "../requests/who/fresh.ts";
import type { World } from "../requests/world.ts";
import { type KubeObject, kinds } from "../resources/objects.ts";
import { runAccountVerb } from "./api-accounts.ts";
import { createApiCaches } from "./api-caches.ts";
import { readApiConfig } from "./api-config.ts";
import { createTally } from "./api-metrics.ts";
import { sealingKeyOf } from "./sealing-key.ts";

/** The API's process: REST in front of the custom resources, which are all that it keeps; any number of replicas is like one. */

const [, , ...accountVerb] = process.argv;
if (accountVerb.length > 0) process.exit(await runAccountVerb(accountVerb, process.env["ROWFERRY_NAMESPACE"]));

const config = readApiConfig(process.env);
const log = pino({ level: config.ROWFERRY_LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime });
process.on("unhandledRejection", (error) => {
  log.fatal({ failure: failureOf(error) }, "an error that nothing caught");
  process.exit(1);
});
// A process that crashes leaves no memory, in which a URL may be, in a core file.
await writeFile("/proc/self/coredump_filter", "0").catch((error: NodeJS.ErrnoException) =>
  log.warn({ code: error.code }, "core files cannot be kept empty"),
);

const stopping = new AbortController();
const steady = () => performance.now();
/** An outage repeats the same words many times a second; they are logged when they change, and every half minute. */
const told = new Map<string, { words: string; at: number }>();
const problem = (what: string) => (error: unknown) => {
  const words = error instanceof Error ? error.message : String(error);
  const last = told.get(what);
  if (stopping.signal.aborted || (last?.words === words && steady() - last.at < 30_000)) return;
  told.set(what, { words, at: steady() });
  if (error instanceof ClusterError) log.warn({ code: error.code, status: error.status }, `${what}: ${words}`);
  else log.warn({ failure: failureOf(error) }, what);
};

const tally = createTally();
const plain = connect({ userAgent: "rowferry-api" });
const connection: Connection = {
  ...plain,
  send(request) {
    tally.asked(request.method);
    return plain.send(request);
  },
};
const client = createClient(connection);
const caches = createApiCaches(connection, {
  resync: config.ROWFERRY_RESYNC_SECONDS * 1000,
  now: steady,
  random: Math.random,
  signal: stopping.signal,
  problem,
});

const filesIn = (folder: string) => ({
  cert: join(folder, "tls.crt"),
  key: join(folder, "tls.key"),
  ca: join(folder, "ca.crt"),
});
/** Behind a certificate of somebody else's, the file of the CA is not needed. */
const servedPaths = { ...filesIn(config.ROWFERRY_API_TLS), ca: join(config.ROWFERRY_API_TLS, "tls.crt") };
const clientPaths = filesIn(config.ROWFERRY_API_CLIENT_TLS ?? config.ROWFERRY_API_TLS);
let clientTls = await readTlsFiles(clientPaths);
const served = config.ROWFERRY_API_PLAIN_HTTP ? undefined : await readTlsFiles(servedPaths);
const everyMs = config.ROWFERRY_API_TLS_SECONDS * 1000;

const prober = createProberClient({ url: config.ROWFERRY_PROBER_URL, tls: () => clientTls });
const world: World = {
  client,
  caches,
  fresh: createFresh(client, steady),
  prober,
  sealingKey: sealingKeyOf({ client, namespace: config.ROWFERRY_NAMESPACE, now: steady }),
  secret: await readFile(config.ROWFERRY_API_KEYS),
  now: () => new Date(),
  randomBytes,
  pause: (milliseconds) => pause(milliseconds, stopping.signal),
  settings: {
    signUp: config.ROWFERRY_SIGN_UP,
    namespace: config.ROWFERRY_NAMESPACE,
    baseUrl: config.ROWFERRY_BASE_URL,
    currency: config.ROWFERRY_CURRENCY,
    guard: { allow: config.ROWFERRY_GUARD_ALLOW, refuse: config.ROWFERRY_GUARD_REFUSE },
  },
};
if (world.secret.length < 32) throw new Error(`${config.ROWFERRY_API_KEYS} has fewer than 32 bytes`);

const redis =
  config.ROWFERRY_REDIS_URL === undefined
    ? undefined
    : createRedis({
        url: config.ROWFERRY_REDIS_URL,
        disableOfflineQueue: true,
        pingInterval: 10_000,
        socket: { connectTimeout: 2000, reconnectStrategy: (tries) => Math.min(100 * (tries + 1), 2000) },
      });
redis?.on("error", problem("counting in Redis"));
redis?.connect().catch(problem("connecting to Redis"));

const limits = createLimits({
  windows: config.ROWFERRY_LIMITS,
  ...(redis === undefined ? {} : { redis }),
  problem: problem("counting in Redis"),
  now: steady,
});
const streams = createStreams({
  most: config.ROWFERRY_MOST_STREAMS,
  recheck: config.ROWFERRY_STREAM_RECHECK_SECONDS * 1000,
});
let ready = false;
let ending = false;
const operations = operationsOf({
  ready: () => ready,
  document: () => document,
});
const document = openApi(operations, {
  baseUrl: config.ROWFERRY_BASE_URL,
  version: process.env.npm_package_version ?? "0.0.0",
  limits: config.ROWFERRY_LIMITS,
});
/** The build puts the pages beside the bundle. */
const docs = readPages(join(import.meta.dirname, process.env.ROWFERRY_BUNDLED === "true" ? "docs" : "../../docs"));
const app = createApp({
  world,
  limits,
  streams,
  operations,
  docs: createSite(docs, config.ROWFERRY_BASE_URL),
  log,
  proxies: config.ROWFERRY_TRUSTED_PROXIES,
  origins: config.ROWFERRY_CORS_ORIGINS,
  secure: config.ROWFERRY_BASE_URL.startsWith("https:"),
  newId: randomUUID,
  now: steady,
  answered: tally.answered,
  ending: () => ending,
});
const server = createApiServer(
  {
    ...(served === undefined ? {} : { tls: { cert: served.cert, key: served.key } }),
    baseUrl: config.ROWFERRY_BASE_URL,
    newId: randomUUID,
    mostConnections: config.ROWFERRY_MOST_CONNECTIONS,
  },
  app,
);
const health = createHealthServer({
  heard: () => ({ migrations: caches.migrations.lastHeard(), teams: caches.teams.lastHeard() }),
  now: steady,
  silence: config.ROWFERRY_RESYNC_SECONDS * 1200 + 60_000,
  ready: () => ready,
  metrics: () => tally.metrics({ streams: streams.count(), caches }),
});

const stopWatching = [
  watchTlsFiles(
    clientPaths,
    clientTls,
    (files) => {
      clientTls = files;
    },
    problem("reading a certificate"),
    everyMs,
  ),
  ...(served === undefined || !("setSecureContext" in server)
    ? []
    : [
        watchTlsFiles(
          servedPaths,
          served,
          ({ cert, key }) => {
            server.setSecureContext({ cert, key, minVersion: "TLSv1.2" });
            log.info("the certificate was read anew");
          },
          problem("reading a certificate"),
          everyMs,
        ),
      ]),
];

const listen = (listening: Server, port: number) =>
  new Promise<number>((resolve, reject) => {
    listening.once("error", reject);
    listening.listen(port, config.ROWFERRY_LISTEN_HOST, () => resolve((listening.address() as AddressInfo).port));
  });
const healthPort = await listen(health, config.ROWFERRY_HEALTH_PORT);
const port = await listen(server, config.ROWFERRY_API_PORT);
log.info({ port, healthPort }, "started");
const stopped = new Promise<void>((resolve) => {
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => {
      log.info({ signal }, "stopping");
      resolve();
    });
});
await Promise.race([Promise.all([caches.migrations.synced, caches.teams.synced, kindsServed()]), stopped]);
ready = true;
log.info("ready");
await stopped;

// Readiness first, and time for whoever sends requests here to learn of it; connections end with the answers they carry.
ready = false;
ending = true;
await pause(config.ROWFERRY_DRAIN_SECONDS * 1000, stopping.signal);
streams.close();
const closed = new Promise((resolve) => server.close(resolve));
// A connection whose request began before the end is idle, and kept, once that is answered.
setInterval(() => server.closeIdleConnections(), 50);
await Promise.race([closed, pause(config.ROWFERRY_GRACE_SECONDS * 1000, stopping.signal)]);
stopping.abort();
for (const stop of stopWatching) stop();
prober.close();
redis?.destroy();
connection.close();
log.info("stopped");
process.exit(0);

/** Kinds that were installed a moment ago are refused for a second or two, each by itself. */
async function kindsServed(): Promise<void> {
  for (const kind of [kinds.accounts, kinds.tokens])
    while (!stopping.signal.aborted) {
      try {
        await client.get<KubeObject>(kind, "", "0");
        break;
      } catch (error) {
        problem(`waiting for the kind ${kind.kind}`)(error);
        await pause(250, stopping.signal);
      }
    }
}
