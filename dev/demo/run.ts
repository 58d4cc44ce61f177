import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Cluster, clusterKind, openCluster } from "../cluster/index.ts";
import { notRemoved } from "../cluster/place.ts";
import { needOpenssl } from "../cluster/processes/images.ts";
import { notReal } from "../cluster/processes/index.ts";
import { needPackages } from "../debian/index.ts";
import { type ClusterImages, demoImagesFor } from "../image/choose.ts";
import { afterFailure } from "../terminal/failure.ts";
import type { Terminal } from "../terminal/index.ts";
import { together } from "../terminal/together.ts";
import { backUpByRest, restoredFrom } from "./backups/by-rest.ts";
import { applyStorage, backupValues, bucketUrl, type DemoStorage, readyStorage } from "./backups/storage.ts";
import { copyByRest, makeAccounts } from "./by-rest.ts";
import { applyDatabases, type DemoDatabase, readyDatabases } from "./databases.ts";
import type { DemoFacts } from "./facts.ts";
import { apiCa, installChart, localImage, reachableApi, system } from "./install.ts";
import { openRest } from "./rest.ts";
import { applySecrets, byKubectl, compare, lookFurther, migrate, migration, namespace, prepareData } from "./steps.ts";
import { subscribe, useFreeMigration } from "./stripe/accounts.ts";
import { billingValues, prepareSimulator, startDemoSimulator } from "./stripe/index.ts";

export interface DemoOptions {
  terminal: Terminal;
  signal: AbortSignal;
  /** Take everything down at the end, also after a failure. */
  once: boolean;
  /** Run the Migration; without, only what it needs is brought up. */
  migrate: boolean;
  useCurrentContext: boolean;
  /** Everything as ordinary processes. */
  processes: boolean;
}

/** Runs the demo; rejects when a step fails or the databases differ. */
export async function runDemo(options: DemoOptions): Promise<DemoFacts> {
  const { terminal, signal } = options;
  const startedAt = Date.now();
  // A cluster that someone keeps from an earlier demo is not the one to clean up.
  const way = options.processes ? { kind: "processes" as const } : {};
  const { once, useCurrentContext } = options;
  const wanted = { name: once ? "once" : "dev", temporary: once, useCurrentContext, ...way };
  const kind = await clusterKind({ ...wanted, terminal, signal });
  if (kind === "processes") {
    terminal.line(notReal);
    // Before the cluster, which starts beside the images.
    await needOpenssl(signal);
  }
  if (kind === "local") await needPackages(["cluster", "roots"], terminal, signal);
  let cluster: Cluster | undefined;
  const remove = async (): Promise<void> => {
    const made = cluster;
    if (options.once && made !== undefined) await terminal.step("Remove the cluster", () => made.down());
    // One that could not be removed is tried once more, and then named.
    cluster = undefined;
  };
  try {
    const [images, ready] = await together<[ClusterImages, Cluster]>(signal, [
      (signal) => demoImagesFor(kind, { terminal, signal }),
      async (signal) => {
        cluster = await openCluster({ ...wanted, kind, terminal, signal });
        return cluster;
      },
    ]);
    const facts = await onCluster(ready, images, options);
    terminal.line(`\nDone in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);
    if (!options.once) lookFurther(terminal, facts, options.migrate);
    await remove();
    return facts;
  } catch (error) {
    return await afterFailure(error, ...notRemoved(wanted.name), remove);
  }
}

async function onCluster(cluster: Cluster, images: ClusterImages, options: DemoOptions): Promise<DemoFacts> {
  const { terminal, signal } = options;
  await terminal.step("Load the images into the cluster", async () => {
    const byRef = new Map(Object.values(images).map((image) => [image.ref, image]));
    for (const image of byRef.values()) await cluster.loadImage(image);
  });
  signal.throwIfAborted();
  await cluster.kubectl(["apply", "-f", "-"], {
    input: JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }),
  });
  const official = "docker" in images.mysql;
  const password = cluster.passwords.databases;
  const wanted = [
    { kind: "mysql", name: "source", image: images.mysql.ref, official, password },
    { kind: "postgres", name: "target", image: images.postgres.ref, official, password },
  ] as const;
  // Users' URLs may lead to these two databases, and to nothing else in the cluster.
  const addresses = await applyDatabases(cluster, namespace, wanted);
  const reachable = await reachableApi(
    cluster,
    (cluster.kind === "processes" ? ["127.0.0.1"] : addresses).map(
      (address) => `${address}/${address.includes(":") ? 128 : 32}`,
    ),
    { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } },
  );
  const simulator = await prepareSimulator(cluster, namespace);
  const { s3 } = images;
  const storage = s3 && (await applyStorage(cluster, namespace, s3.ref));
  const values = {
    ...localImage(images.app.ref),
    ...reachable.values,
    billing: billingValues(simulator),
    ...(storage && { backups: backupValues(storage, { postgres: images.postgres.ref, mysql: images.mysql.ref }) }),
  };
  const [, databases] = await together<[unknown, DemoDatabase[], unknown]>(signal, [
    (signal) => terminal.step("Install Rowferry with Helm", (step) => installChart(cluster, values, step.log, signal)),
    (signal) => terminal.step("Start MySQL and PostgreSQL", () => readyDatabases(cluster, namespace, wanted, signal)),
    async (signal) => {
      if (storage) await terminal.step("Start the S3 server", () => readyStorage(cluster, namespace, storage, signal));
    },
  ]);
  const [source, target] = databases;
  if (!source || !target) throw new Error("a database of the demo is missing");
  const ca = await apiCa(cluster);
  const caFile = join(dirname(cluster.kubeconfig), "rowferry-ca.crt");
  await writeFile(caFile, ca);
  const rest = openRest({ baseUrl: reachable.baseUrl, ca });
  const started = terminal.step("Start the Stripe simulator", () =>
    startDemoSimulator(
      cluster,
      { namespace, image: images.app.ref, place: simulator, api: reachable.baseUrl, ca },
      signal,
    ),
  );
  const accounts = await makeAccounts(
    rest,
    terminal,
    { baseUrl: reachable.baseUrl, caFile },
    cluster.passwords.accounts,
  );
  await started;
  const [pro, fresh, paying] = accounts;
  if (!pro || !fresh || !paying) throw new Error("an account of the demo is missing");
  await terminal.step("Subscribe the first account to Pro; use up the free migration of the third", () =>
    Promise.all([subscribe(rest, pro, signal), useFreeMigration(cluster, paying.email)]),
  );
  const facts: DemoFacts = {
    kubeconfig: cluster.kubeconfig,
    cluster: { kind: cluster.kind, name: cluster.name },
    namespaces: { operator: system.namespace, demo: namespace },
    databases: { source, target },
    migration,
    base_url: reachable.baseUrl,
    ca,
    ca_file: caFile,
    accounts,
    backups: storage === undefined ? null : backupFacts(storage),
    billing: {
      simulator_url: simulator.browser,
      tokens: { pro: pro.token, new: fresh.token, paying: paying.token },
    },
  };
  signal.throwIfAborted();
  await prepareData(cluster, terminal, source, target);
  await applySecrets(cluster, source, target);
  if (options.migrate) {
    await copyByRest(rest, terminal, { source, target, token: paying.token }, signal);
    await compare(terminal, source, target);
    if (storage === undefined) terminal.line("  This kind of cluster has no S3 server: no backup is made.\n");
    await together<unknown[]>(signal, [
      (signal) => migrate(cluster, terminal, signal),
      async (signal) => {
        if (storage) await backUpByRest(rest, terminal, { target, token: paying.token }, signal);
      },
    ]);
    await compare(terminal, source, byKubectl(target));
    if (storage) await compare(terminal, source, restoredFrom(target));
  }
  rest.close();
  return facts;
}

const backupFacts = (storage: DemoStorage): DemoFacts["backups"] => ({
  bucket_url: bucketUrl(storage),
  access_key_id: storage.accessKeyId,
  secret_access_key: storage.secretAccessKey,
});
