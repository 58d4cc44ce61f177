import { randomBytes } from "node:crypto";
import { pino } from "pino";
import type { Candidate } from "../../controllers/jobs/candidate.ts";
import { createSlots } from "../../controllers/jobs/slots.ts";
import { candidateOf } from "../../controllers/migration/candidate.ts";
import {
  createMigrationController,
  type MigrationController,
  migrationKey,
} from "../../controllers/migration/controller.ts";
import { trimMigration } from "../../controllers/migration/trim.ts";
import { createPaymentController } from "../../controllers/payment/controller.ts";
import { migrationsFirst } from "../../controllers/payment/first.ts";
import { createUnbilledController } from "../../controllers/payment/unbilled.ts";
import { ownNames } from "../../controllers/rbac.ts";
import { createHealthServer } from "../../controllers/runtime/health.ts";
import { type Reconcile, runLoop } from "../../controllers/runtime/loop.ts";
import { createQueue, type Queue } from "../../controllers/runtime/queue.ts";
import { splitQueue } from "../../controllers/runtime/split-queue.ts";
import { createAuthoriser } from "../../controllers/worker-endpoint/authorise.ts";
import { createEndpoint } from "../../controllers/worker-endpoint/endpoint.ts";
import { ensurePasswords } from "../../controllers/worker-endpoint/installation.ts";
import type { OperatorKeys } from "../../controllers/worker-endpoint/keys.ts";
import { namedKeys, sealedUrls } from "../../controllers/worker-endpoint/sealing.ts";
import { createWorkerServer } from "../../controllers/worker-endpoint/server.ts";
import { failureOf } from "../api/problem.ts";
import { connect, createClient, createRecorder, pause, runElection, startInformers } from "../cluster/index.ts";
import { type KubeObject, kinds } from "../resources/objects.ts";
import { keepCoresEmpty } from "./core-files.ts";
import { listen } from "./listen.ts";
import { watchAccounts } from "./operator/accounts.ts";
import { limitsOf, readConfig, retentionOf } from "./operator/config.ts";
import { desksOf } from "./operator/desks.ts";
import { readKeysOf } from "./operator/keys.ts";
import { operatorMetrics } from "./operator/metrics.ts";
import { watchReports } from "./operator/reports.ts";
import { reviewOf } from "./operator/review.ts";
import { createRunCounts } from "./operator/run-counts.ts";
import { sweeping } from "./operator/sweeping.ts";
import { watchTeams } from "./operator/teams.ts";
import { templateOf } from "./operator/template.ts";
import { createUntilDone } from "./operator/until-done.ts";
import { watchWorkers } from "./operator/workers.ts";
import { stripeOf } from "./payments.ts";
import { createProblems } from "./problems.ts";
import { reportBucketOf } from "./report-bucket.ts";

/** The operator's process: caches, the leader's reconcile loop, and the workers' endpoint, which every replica has. */

const config = readConfig(process.env);
const log = pino({ level: config.ROWFERRY_LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime });
const stopping = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.once(signal, () => {
    log.info({ signal }, "stopping");
    stopping.abort();
  });
// A fault that nothing caught leaves caches in an unknown state: the kubelet starts a clean process.
process.on("unhandledRejection", (error) => {
  log.fatal({ failure: failureOf(error) }, "an error that nothing caught");
  process.exit(1);
});
await keepCoresEmpty((words) => log.warn(words));

const namespace = config.ROWFERRY_NAMESPACE;
const identity = config.ROWFERRY_POD_NAME;
const endpointUrl =
  config.ROWFERRY_ENDPOINT_URL ??
  `https://${ownNames.service}.${namespace}.svc:${config.ROWFERRY_ENDPOINT_PORT || 8443}`;
const resync = config.ROWFERRY_RESYNC_SECONDS * 1000;
const random = Math.random;
const now = () => Date.now();
const clock = () => new Date();
const steady = () => performance.now();
const id = () => randomBytes(5).toString("hex");
const schedule = (milliseconds: number, run: () => void) => {
  const timer = setTimeout(run, milliseconds);
  return () => clearTimeout(timer);
};
const problem = createProblems({ log, over: () => stopping.signal.aborted, now: steady });
const untilDone = createUntilDone({ problem, random, signal: stopping.signal });

const connection = connect({ userAgent: "rowferry-operator" });
const client = createClient(connection);

/** What the present term has; without one, changes only fill the caches. */
let term: { queue: Queue; controller: MigrationController; payments: Queue } | undefined;
const tell = (keys: string[] | undefined) => {
  for (const key of keys ?? []) term?.queue.add(key);
};
const childChanged = (object: KubeObject) => {
  tell(term?.controller.childChanged(object));
  backups?.childChanged(object);
};
const stripe = await stripeOf({
  keyFile: config.ROWFERRY_STRIPE_KEY_FILE,
  url: config.ROWFERRY_STRIPE_URL,
  problem: problem("a request to Stripe"),
});
const bucket = await reportBucketOf(config, 30_000);
const reports = watchReports(bucket);
const namespaces = config.ROWFERRY_WATCH_NAMESPACES;
const common = { namespaces, resync, now: steady, random, signal: stopping.signal };
const teams = watchTeams(connection, common, problem);
const accounts = watchAccounts(connection, common, problem);
// Their code is loaded with them alone: the operator's memory is small.
const ofBackups = config.ROWFERRY_BACKUPS ? await import("./operator/backups.ts") : undefined;
const backups = ofBackups?.watchBackups(connection, common, config, teams.isTeam, problem);
const caches = {
  ...teams.caches,
  ...accounts.caches,
  migrations: startInformers(connection, {
    ...common,
    kind: kinds.migrations,
    trim: trimMigration,
    changed: (before, after) => {
      tell(term?.controller.migrationChanged(before, after));
      reports.changed(before, after);
      const changed = after ?? before;
      if (changed?.spec.payment?.checkout !== undefined) term?.payments.add(migrationKey(changed));
    },
    problem: problem("watching Migrations"),
  }),
  ...watchWorkers(connection, common, childChanged, problem),
};
const watched = { ...caches, ...backups?.caches };

let ready = false;
let keys: OperatorKeys;
const readKeys = (): Promise<OperatorKeys> =>
  readKeysOf(config, {
    ...{ client, endpointUrl, now: clock },
    named: () => (ready ? namedKeys(backups?.sealed(), sealedUrls(caches.migrations.all())) : undefined),
  });

/** Everything that may run as a Job, from the caches. */
function* candidates(): Generator<Candidate> {
  for (const migration of caches.migrations.all()) yield candidateOf(migration);
  if (backups !== undefined) yield* backups.candidates();
}

let passes = 0;
let failures = 0;
let leading = false;
const counts = createRunCounts();
const turns = () => Object.entries(watched).map(([name, cache]) => [name, cache.lastTurn()] as const);
const health = createHealthServer({
  turned: () => Object.fromEntries(turns()),
  now: steady,
  silence: resync * 1.2 + 60_000,
  ready: () => ready,
  metrics: () => [
    ...operatorMetrics({
      ...{ leading, passes, failures, queued: term?.queue.length ?? 0 },
      migrations: caches.migrations.all(),
      ages: Object.fromEntries(turns().map(([name, at]) => [name, steady() - at])),
      certificates: ready ? { ca: keys.ca.certificate, workers: keys.tls.cert } : {},
      time: now(),
    }),
    ...counts.metrics(),
    ...(backups?.metrics() ?? []),
    ...(stripe?.metrics() ?? []),
  ],
});

/** One term as the leader. */
async function lead(signal: AbortSignal): Promise<void> {
  const own = createClient(connection, signal);
  const leads = () => !signal.aborted;
  const queueOfTerm = () => {
    const one = createQueue({ random, schedule, now: steady });
    signal.addEventListener("abort", () => one.close());
    if (signal.aborted) one.close();
    return one;
  };
  const [queue, ...others] = splitQueue(queueOfTerm, ofBackups?.backupKeys ?? []);
  const recorder = createRecorder({
    client: own,
    controller: "rowferry.dev/operator",
    instance: identity,
    now,
    id,
    problem: problem("writing an event"),
  });
  const slots = createSlots({
    candidates,
    limits: limitsOf(config),
    isTeam: teams.isTeam,
    now: steady,
    keptFor: 3000,
  });
  const controller = createMigrationController({
    ...{ client: own, leads, recorder, caches },
    template: () => templateOf(config, endpointUrl, keys.ca.certificate),
    slots,
    urlsKept: config.ROWFERRY_SEALED_URL_DAYS * 86_400_000,
    ...retentionOf(config),
    counts,
    allowedParts: config.ROWFERRY_WORKER_ALLOWED,
    isBillingOff: stripe === undefined,
    now: clock,
  });
  const backupTerm = backups?.begin({
    ...{ client: own, leads, queue, recorder, slots, caches, now: clock },
    template: () => templateOf(config, endpointUrl, keys.ca.certificate),
  });
  const paymentQueue = queueOfTerm();
  term = { queue, controller, payments: paymentQueue };
  leading = true;
  log.info({ identity }, "leading");
  controller.lookAtAll(queue);
  for (const migration of migrationsFirst(caches.migrations.all())) paymentQueue.add(migrationKey(migration));
  const failed = (key: string, error: unknown) => {
    if (signal.aborted) return;
    failures += 1;
    problem(`a pass over ${key}`)(error);
  };
  const passOver = (queue: Queue, concurrency: number, reconcile: Reconcile) => {
    const counting: Reconcile = (key) => {
      passes += 1;
      return reconcile(key);
    };
    return runLoop({ queue, concurrency, reconcile: counting, failed });
  };
  /** Passes that delay none of another kind. */
  const lane = (concurrency: number) => {
    const own = queueOfTerm();
    return { queue: own, loop: (reconcile: Reconcile) => passOver(own, concurrency, reconcile) };
  };
  const paymentOptions = { client: own, leads, migrations: caches.migrations, now: clock };
  const paymentController =
    stripe === undefined
      ? createUnbilledController(paymentOptions)
      : createPaymentController({
          ...paymentOptions,
          payments: stripe.payments,
          grace: config.ROWFERRY_HOLD_GRACE_HOURS * 3_600_000,
          ...(config.ROWFERRY_UNPAID_DAYS === 0 ? {} : { unpaidKept: config.ROWFERRY_UNPAID_DAYS * 86_400_000 }),
        });
  const sweepingOptions = {
    ...{ ...paymentOptions, namespace, signal, problem, first: config.ROWFERRY_SWEEP_SECONDS * 1000 },
  };
  const concurrency = config.ROWFERRY_RECONCILERS;
  await Promise.all([
    passOver(queue, concurrency, controller.reconcile),
    ...(backupTerm === undefined ? [] : others.map((own) => passOver(own, concurrency, backupTerm.reconcile))),
    passOver(paymentQueue, 8, paymentController.reconcile),
    stripe &&
      accounts.lead({
        ...{ client: own, leads, now: clock, ...lane(8) },
        subscriptions: stripe.subscriptions,
        pastDue: config.ROWFERRY_PAST_DUE_DAYS * 86_400_000,
      }),
    stripe && sweeping(stripe.payments, sweepingOptions),
    reports.lead({ ...paymentOptions, recorder, ...lane(4) }),
    teams.lead({
      ...{ client: own, recorder, now: clock, ...lane(2) },
      settings: { quota: config.ROWFERRY_TEAM_QUOTA, egress: config.ROWFERRY_TEAM_EGRESS, home: namespace },
    }),
  ]);
  term = undefined;
  backupTerm?.end();
  leading = false;
  log.info({ identity }, "not leading any more");
}

const healthPort = await listen(health, config.ROWFERRY_LISTEN_HOST, config.ROWFERRY_HEALTH_PORT);
keys = await untilDone("preparing the operator's keys", readKeys);
if (config.ROWFERRY_API)
  await untilDone("preparing the Secrets of passwords", () => ensurePasswords({ client, namespace }));
const review = await untilDone("reading the keys of service accounts' tokens", () =>
  reviewOf(namespaces, { client, connection, now }),
);
const endpoint = createEndpoint({
  client,
  authoriser: createAuthoriser({ client, review, now, backups: backups !== undefined }),
  desk: await desksOf(config, {
    ...{ client, namespace, now: clock, reports: bucket, isBillingOff: stripe === undefined },
    sealing: async (again) => {
      if (again) keys = await readKeys();
      return { keys: keys.sealing, envelopesFrom: keys.envelopesFrom };
    },
  }),
  now: clock,
  schedule,
  problem: problem("writing a worker's progress"),
});
const server = createWorkerServer({ endpoint, tls: keys.tls, log });
const endpointPort = await listen(server, config.ROWFERRY_LISTEN_HOST, config.ROWFERRY_ENDPOINT_PORT);
log.info({ identity, namespace, endpointUrl, endpointPort, healthPort }, "started");
void renewKeys();
await Promise.all(Object.values(watched).map((cache) => Promise.race([cache.synced, cache.ended])));
ready = true;
await runElection({
  client,
  namespace,
  name: ownNames.lease,
  identity,
  duration: config.ROWFERRY_LEASE_SECONDS * 1000,
  lead,
  now: steady,
  wall: clock,
  random,
  signal: stopping.signal,
  problem: problem("holding the lease"),
});
ready = false;
await Promise.race([new Promise((resolve) => server.close(resolve)), pause(5000, new AbortController().signal)]);
await endpoint.close().catch(problem("writing the last progress"));
await Promise.all(Object.values(watched).map((cache) => cache.ended));
connection.close();
log.info("stopped");
process.exit(0);

/** Renews certificates near their end, rotates when asked, and reads what another replica has changed. */
async function renewKeys(): Promise<void> {
  while (!stopping.signal.aborted) {
    await pause(config.ROWFERRY_KEYS_SECONDS * 1000 * (0.9 + 0.2 * random()), stopping.signal);
    if (stopping.signal.aborted) return;
    try {
      keys = await readKeys();
      server.setSecureContext(keys.tls);
    } catch (error) {
      problem("renewing the operator's keys")(error);
    }
  }
}
