import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { program } from "../../dev/cluster/binaries/index.ts";
import {
  adminFile,
  type Component,
  caFile,
  kubeconfig,
  writeControlPlane,
} from "../../dev/cluster/processes/control-plane.ts";
import { freePort } from "../../dev/databases/free-port.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { type Client, type Connection, connect, createClient } from "../../src/cluster/index.ts";
import { patience } from "../patience.ts";
import { runProgram } from "../run-program.ts";

/**
 * A real etcd, API server and, when asked for, controller manager on free loopback ports. There is no node: pods stay
 * Pending until a test plays the kubelet by writing their status. A true kubelet is in test/cluster.
 */
export interface ControlPlane extends PlaneClient {
  facts: PlaneFacts;
  /** Starts the controllers that were asked for `later`: only those kinds that are there then are known to all of them at once. */
  startControllers(): void;
  /** Stops the API server, and starts it again when `start` is called. */
  stopApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
}

/** Where a control plane is. */
export interface PlaneFacts {
  folder: string;
  server: string;
  /** URL of its etcd. */
  etcd: string;
  kubectlProgram: string;
}

/** What every test does with a control plane. */
export interface PlaneClient {
  folder: string;
  server: string;
  /** As cluster-admin. */
  admin: { connection: Connection; client: Client; kubeconfig: string };
  kubectlProgram: string;
  /** A kubeconfig with this bearer token. */
  kubeconfigFor(name: string, token: string): string;
  kubectl(
    args: string[],
    options?: { input?: string; kubeconfig?: string },
  ): Promise<{ code: number; out: string; err: string }>;
  /** Each request so far, from the audit log. */
  audit(): AuditEntry[];
  stop(): Promise<void>;
}

export interface AuditEntry {
  verb: string;
  user: { username: string };
  objectRef?: { resource: string; subresource?: string; namespace?: string; name?: string; apiGroup?: string };
  responseStatus?: { code?: number };
  requestURI: string;
}

/**
 * Milliseconds between two looks: of a long wait each costs the server, this process and the machine a few milliseconds of
 * processor time, and at most a fifth of the wait is lost.
 */
const pauseAfter = (waited: number): number => Math.min(250, Math.max(50, waited / 5));

/** Polls until the answer is not undefined or false. The error says what was waited for, and the last failure. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  milliseconds = 30_000,
): Promise<T> {
  const limit = patience(milliseconds);
  const begun = performance.now();
  let last: unknown;
  while (performance.now() - begun < limit) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await sleep(pauseAfter(performance.now() - begun));
  }
  throw new Error(`waited ${limit} ms for: ${what}`, last === undefined ? undefined : { cause: last });
}

export function ended(child: ChildProcess): Promise<number | null> {
  return child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once("exit", (code) => resolve(code)));
}

/** `auditLater`: the audit log is written a moment after each request, which does not wait for it then. */
export async function startControlPlane(
  options: { controllers?: string; later?: boolean; auditLater?: boolean } = {},
): Promise<ControlPlane> {
  const terminal = openTerminal({ name: "operator-test" });
  const binary = (name: string) => program("kubernetes", name, { terminal });
  const folder = mkdtempSync(join(tmpdir(), "plane-"));
  const children: ChildProcess[] = [];
  // A run that is interrupted does not come to its afterAll.
  const killAll = () => {
    for (const child of children) child.kill("SIGKILL");
  };
  process.once("exit", killAll);

  function start(path: string, args: string[], name: string): ChildProcess {
    const log = openSync(join(folder, `${name}.log`), "a");
    const child = spawn(path, args, { stdio: ["ignore", log, log] });
    children.push(child);
    return child;
  }
  const logOf = (name: string) =>
    readFileSync(join(folder, `${name}.log`), "utf8")
      .split("\n")
      .slice(-15)
      .join("\n");

  const [etcd, peer, api] = [await freePort(), await freePort(), await freePort()];
  const policy = join(folder, "audit.yaml");
  writeFileSync(
    policy,
    JSON.stringify({
      apiVersion: "audit.k8s.io/v1",
      kind: "Policy",
      omitStages: ["RequestReceived"],
      rules: [{ level: "Metadata" }],
    }),
  );
  const files = await writeControlPlane({
    folder,
    ports: { etcd, peer, api },
    plainEtcd: true,
    apiArguments: [
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${join(folder, "audit.log")}`,
      `--audit-log-mode=${options.auditLater ? "batch" : "blocking-strict"}`,
    ],
  });
  const startComponent = async ({ name, args }: Component) => start(await binary(name), args, name);
  await startComponent(files.etcd);
  let apiServer: ChildProcess;
  const startApiServer = async () => {
    apiServer = await startComponent(files.api);
    await until(
      "the API server",
      async () => {
        if (apiServer.exitCode !== null) throw new Error(`the API server ended: ${logOf("kube-apiserver")}`);
        return (
          (await connection.send<{ major?: string }>({ method: "GET", path: "/api/v1/namespaces/default" })) && true
        );
      },
      60_000,
    );
  };

  const client = planeClient({
    ...{ folder, server: files.server, etcd: files.etcdUrl },
    kubectlProgram: await binary("kubectl"),
  });
  const { connection } = client.admin;
  await startApiServer();

  const manager = options.controllers === undefined ? "" : await binary("kube-controller-manager");
  const startControllers = (controllers: string) => {
    const { name, args } = files.manager(controllers);
    start(manager, args, name);
  };
  if (options.controllers !== undefined && !options.later) startControllers(options.controllers);

  terminal.close();
  return {
    ...client,
    startControllers: () => startControllers(options.controllers ?? ""),
    async stopApiServer() {
      // In order it would wait a minute for the watches to end.
      apiServer.kill("SIGKILL");
      await ended(apiServer);
    },
    startApiServer,
    async stop() {
      await client.stop();
      process.removeListener("exit", killAll);
      for (const child of [...children].reverse()) {
        child.kill("SIGKILL");
        await ended(child);
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What a test does with a control plane that runs already, also in another process. `stop` closes the connections. */
export function planeClient(facts: PlaneFacts): PlaneClient & { facts: PlaneFacts } {
  const { folder, server, kubectlProgram } = facts;
  const ca = readFileSync(join(folder, caFile), "utf8");
  const kubeconfigFor = (name: string, token: string) => {
    const path = join(folder, `${name}.kubeconfig`);
    writeFileSync(path, kubeconfig({ server, ca, user: { token } }), { mode: 0o600 });
    return path;
  };
  const adminConfig = join(folder, adminFile);
  const connection = connect({ kubeconfig: adminConfig });
  return {
    facts,
    folder,
    server,
    admin: { connection, client: createClient(connection), kubeconfig: adminConfig },
    kubectlProgram,
    kubeconfigFor,
    async kubectl(args, { input, kubeconfig } = {}) {
      const { code, ...said } = await runProgram(kubectlProgram, ["--kubeconfig", kubeconfig ?? adminConfig, ...args], {
        ...(input === undefined ? {} : { input }),
        env: { ...process.env, HOME: folder },
      });
      return { code: code ?? 1, ...said };
    },
    audit: () =>
      readFileSync(join(folder, "audit.log"), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as AuditEntry),
    stop: async () => connection.close(),
  };
}
