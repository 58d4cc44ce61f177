import { randomBytes, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient as createRedis } from "@redis/client";
import { pino } from "pino";
import { createHealthServer } from "../../controllers/runtime/health.ts";
import { createApp } from "../api/app.ts";
import { eventOf } from "../api/audit.ts";
import { boundConnections } from "../api/connections.ts";
import { readPages } from "../api/docs/pages.ts";
import { createSite } from "../api/docs/site.ts";
import { createFlight } from "../api/flight.ts";
import { createLimits } from "../api/limits.ts";
import { openApi } from "../api/openapi/index.ts";
import { checkoutPages } from "../api/pages/checkout.ts";
import { failureOf } from "../api/problem.ts";
import { createApiServer } from "../api/server.ts";
import { createLeaving, leavePage } from "../api/streams/leaving.ts";
import { createStreams } from "../api/streams/open.ts";
import { stripeWebhook } from "../api/stripe-webhook.ts";
import { operationsOf } from "../api/table.ts";
import { refusedByStripe } from "../billing/prices.ts";
import { createEventReader } from "../billing/stripe-events.ts";
import { type Connection, connect, createClient, pause } from "../cluster/index.ts";
import { createMcpRoute } from "../mcp/route.ts";
import { mcpServers } from "../mcp/servers.ts";
import { createProberClient } from "../prober/client.ts";
import { readTlsFiles, type TlsFiles, watchTlsFiles } from "../prober/tls-files.ts";
import { createAccountLogs } from "../requests/accounts/account-log.ts";
import { followEvent } from "../requests/billing/events.ts";
import { publicState } from "../requests/billing/public-state.ts";
import { createCeilings } from "../requests/ceilings.ts";
import { createFresh } from "../requests/freshness/fresh.ts";
import { createWritten } from "../requests/freshness/written.ts";
import type { World } from "../requests/world.ts";
import { runAccountVerb } from "./api/accounts.ts";
import { createApiCaches } from "./api/caches.ts";
import { readApiConfig } from "./api/config.ts";
import { createTally } from "./api/metrics.ts";
import { createOidc } from "./api/oidc.ts";
import { sealingKeyOf } from "./api/sealing-key.ts";
import { keepCoresEmpty } from "./core-files.ts";
import { listen } from "./listen.ts";
import { createInstallation, stripeOf } from "./payments.ts";
import { createProblems } from "./problems.ts";
import { reportBucketOf } from "./report-bucket.ts";
import { guardOf } from "./settings.ts";

/** The API's process: REST in front of the custom resources, which are all that it keeps; any number of replicas is like one. */

const [, , ...accountVerb] = process.argv;
if (accountVerb.length > 0) {
  await keepCoresEmpty(console.error);
  process.exit(await runAccountVerb(accountVerb, process.env["ROWFERRY_NAMESPACE"]));
}

const config = readApiConfig(process.env);
const log = pino({ level: config.ROWFERRY_LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime });
process.on("unhandledRejection", (error) => {
  log.fatal({ failure: failureOf(error) }, "an error that nothing caught");
  process.exit(1);
});
await keepCoresEmpty((words) => log.warn(words));
const stopping = new AbortController();
const steady = () => performance.now();
const problem = createProblems({ log, over: () => stopping.signal.aborted, now: steady });

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
const waiting = (milliseconds: number) => pause(milliseconds, stopping.signal);
const settings: World["settings"] = {
  signUp: config.ROWFERRY_SIGN_UP,
  tokensByToken: config.ROWFERRY_TOKENS_BY_TOKEN,
  namespace: config.ROWFERRY_NAMESPACE,
  baseUrl: config.ROWFERRY_BASE_URL,
  currency: config.ROWFERRY_CURRENCY,
  backups: config.ROWFERRY_BACKUPS,
  guard: guardOf(config),
};
const written = createWritten({ client, pause: waiting, randomBytes, settings });
// Before the caches are listed, so that they are new enough by it; without it they are read past for a while.
await Promise.race([written.begin().catch(problem("beginning the note of writes")), waiting(2000)]);
const ceilings = createCeilings(config.ROWFERRY_CEILINGS);
const caches = createApiCaches(connection, {
  ceilings,
  resync: config.ROWFERRY_RESYNC_SECONDS * 1000,
  now: steady,
  random: Math.random,
  signal: stopping.signal,
  problem,
});
const { migrations, teams, accounts, tokens } = caches;
const informers = { migrations, teams, accounts, tokens };

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
const stripe = await stripeOf({
  keyFile: config.ROWFERRY_STRIPE_KEY_FILE,
  url: config.ROWFERRY_STRIPE_URL,
  problem: problem("a request to Stripe"),
});
const signed = config.ROWFERRY_STRIPE_WEBHOOK_FILE;
const readEvent = signed === undefined ? undefined : createEventReader((await readFile(signed, "utf8")).trim());
const refused = stripe === undefined ? undefined : refusedByStripe(config.ROWFERRY_PRICES, config.ROWFERRY_CURRENCY);
if (refused !== undefined) throw new Error(`billing.prices: ${refused}`);
const oidc = await createOidc({
  settings: config.ROWFERRY_OIDC,
  secretFile: config.ROWFERRY_OIDC_SECRET_FILE,
  baseUrl: config.ROWFERRY_BASE_URL,
  now: steady,
});
const reports = await reportBucketOf(config, 10_000);
const world: World = {
  ...(stripe === undefined
    ? {}
    : {
        billing: {
          payments: stripe.payments,
          subscriptions: stripe.subscriptions,
          ...(config.ROWFERRY_PRO_PRICE === null ? {} : { pro: config.ROWFERRY_PRO_PRICE }),
          prices: config.ROWFERRY_PRICES,
          mostUnpaid: config.ROWFERRY_MOST_UNPAID,
          installation: createInstallation(client, config.ROWFERRY_NAMESPACE),
        },
      }),
  ...(oidc === undefined ? {} : { oidc }),
  client,
  caches,
  ceilings,
  fresh: createFresh({ client, caches, written, now: steady, pause: waiting }),
  prober,
  ...(reports === undefined ? {} : { reports }),
  sealingKey: sealingKeyOf({ client, namespace: config.ROWFERRY_NAMESPACE, now: steady }),
  secret: await readFile(config.ROWFERRY_API_KEYS),
  now: () => new Date(),
  randomBytes,
  pause: waiting,
  settings,
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
  mostInAll: config.ROWFERRY_MOST_STREAMS_IN_ALL,
  recheck: config.ROWFERRY_STREAM_RECHECK_SECONDS * 1000,
});
const flight = createFlight({
  most: config.ROWFERRY_ANSWERS_MEGABYTES * 2 ** 20,
  mostOfOne: (config.ROWFERRY_ANSWERS_MEGABYTES * 2 ** 20) / 6,
});
let ready = false;
const drain = config.ROWFERRY_DRAIN_SECONDS * 1000;
const leaving = createLeaving({ drain, now: steady, random: Math.random });
const operations = operationsOf({
  ready: () => ready,
  document: () => document,
});
const version = process.env.npm_package_version ?? "0.0.0";
const document = openApi(operations, {
  baseUrl: config.ROWFERRY_BASE_URL,
  version,
  limits: config.ROWFERRY_LIMITS,
});
/** The build puts the pages beside the bundle. */
const docs = readPages(join(import.meta.dirname, process.env.ROWFERRY_BUNDLED === "true" ? "docs" : "../../docs"));
const accountLogs = createAccountLogs({
  client,
  pause: waiting,
  randomBytes,
  problem: problem("keeping an account's events"),
  over: () => stopping.signal.aborted,
});
const app = createApp({
  world,
  limits,
  streams,
  flight,
  operations,
  mounted: [
    ...mcpServers.map((description) =>
      createMcpRoute({ world, limits, description, version, origins: config.ROWFERRY_CORS_ORIGINS }),
    ),
    ...checkoutPages(new URL(config.ROWFERRY_BASE_URL).pathname.replace(/\/$/, ""), (id) => publicState(world, id)),
    ...(readEvent === undefined
      ? []
      : [stripeWebhook((body, signature) => followEvent(world, readEvent, { body, signature }))]),
  ],
  docs: createSite(docs, config.ROWFERRY_BASE_URL),
  log,
  proxies: config.ROWFERRY_TRUSTED_PROXIES,
  origins: config.ROWFERRY_CORS_ORIGINS,
  secure: config.ROWFERRY_BASE_URL.startsWith("https:"),
  newId: randomUUID,
  now: steady,
  answered: tally.answered,
  audited(line) {
    const kept = eventOf(line, randomUUID(), new Date());
    if (kept !== undefined) accountLogs.note(kept.account, kept.event);
  },
  leaving,
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
boundConnections(server, {
  most: config.ROWFERRY_MOST_CONNECTIONS_PER_ADDRESS,
  proxies: config.ROWFERRY_TRUSTED_PROXIES,
});
// Nothing that is asked for is silent for longer (a preflight has 32 seconds); so ends a small answer that nobody reads.
server.setTimeout(60_000);
const health = createHealthServer({
  turned: () => Object.fromEntries(Object.entries(informers).map(([name, { lastTurn }]) => [name, lastTurn()])),
  now: steady,
  silence: config.ROWFERRY_RESYNC_SECONDS * 1200 + 60_000,
  ready: () => ready,
  metrics: () => [...tally.metrics({ streams: streams.count(), caches, ceilings }), ...(stripe?.metrics() ?? [])],
});

const watch = (paths: TlsFiles, first: TlsFiles, changed: (files: TlsFiles) => void) =>
  watchTlsFiles(paths, first, changed, problem("reading a certificate"), everyMs);
const stopWatching = [
  watch(clientPaths, clientTls, (files) => {
    clientTls = files;
  }),
];
if (served !== undefined && "setSecureContext" in server)
  stopWatching.push(
    watch(servedPaths, served, ({ cert, key }) => {
      server.setSecureContext({ cert, key, minVersion: "TLSv1.2" });
      log.info("the certificate was read anew");
    }),
  );

const healthPort = await listen(health, config.ROWFERRY_LISTEN_HOST, config.ROWFERRY_HEALTH_PORT);
const port = await listen(server, config.ROWFERRY_LISTEN_HOST, config.ROWFERRY_API_PORT);
log.info({ port, healthPort }, "started");
const stopped = new Promise<void>((resolve) => {
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => {
      log.info({ signal }, "stopping");
      resolve();
    });
});
await Promise.race([Promise.all(Object.values(informers).map(({ synced }) => synced)), stopped]);
ready = true;
log.info("ready");
await stopped;

// Readiness first, and time for whoever sends requests here to learn of it; connections end with the answers they carry.
ready = false;
leaving.begin();
const [from, to] = leavePage.streams;
await pause(drain * from, stopping.signal);
streams.close(drain * (to - from));
await pause(drain * (1 - from), stopping.signal);
const closed = new Promise((resolve) => server.close(resolve));
// A connection whose request began before the end is idle, and kept, once that is answered.
setInterval(() => server.closeIdleConnections(), 50);
await Promise.race([closed, pause(config.ROWFERRY_GRACE_SECONDS * 1000, stopping.signal)]);
await Promise.race([accountLogs.flush(), waiting(2000)]);
stopping.abort();
for (const stop of stopWatching) stop();
prober.close();
redis?.destroy();
connection.close();
log.info("stopped");
process.exit(0);
