// One pod with one container, run as a process of this account.
import type { ChildProcess } from "node:child_process";
import { chmodSync, chownSync, closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Connection } from "../../../../src/cluster/index.ts";
import { kinds, pathOf } from "../../../../src/resources/objects.ts";
import { freePort, isFree } from "../../../databases/free-port.ts";
import { mark } from "../../local/processes.ts";
import { kubeconfig } from "../control-plane.ts";
import { spawnHeld } from "../held.ts";
import { type Account, asAccount } from "./account.ts";
import { type Launch, launchOf } from "./container.ts";
import type { Container, PodToRun } from "./objects.ts";
import { logOf, podFolder, writeMark } from "./pod-folder.ts";
import { containerStatus, podConditions, setPodStatus, terminated } from "./pod-status.ts";
import { followReadiness, runProbe } from "./probes.ts";
import { MountError, podField, writeVolumes } from "./volumes.ts";

export type PodHost = {
  connection: Connection;
  client: Client;
  /** URL of the API server, and its CA (PEM). */
  server: string;
  ca: string;
  /** A folder for each pod, by uid. */
  pods: string;
  /** The folder of an image that was loaded; undefined: not loaded. */
  imageOf(ref: string): string | undefined;
  node: string;
  /** The account of every pod; empty: this process's. */
  account: Account;
  log(text: string): void;
  /** Hears that a pod became ready or is no longer. */
  changed(): void;
};

export type RunningPod = {
  pod: PodToRun;
  ready(): boolean;
  /** The loopback port of a container port, by name or number. */
  portOf(port: string | number): number | undefined;
  /** Ends the process, in `graceSeconds` at most, and removes the pod's folder and object. */
  stop(graceSeconds: number): Promise<void>;
};

/** Of the tokens' hour. */
const renewMs = 20 * 60_000;
const longestBackoffMs = 10_000;

/** Why a container cannot be started now, in Kubernetes' words. */
class NotYet extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The group too: programs that it started end with it. */
const kill = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  for (const pid of signal === "SIGKILL" ? [-child.pid, child.pid] : [child.pid]) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
};

const runVariables = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[0].startsWith("ROWFERRY_TEST") && entry[1] !== undefined,
    ),
  );

export function startPod(pod: PodToRun, host: PodHost): RunningPod {
  const { metadata, spec } = pod;
  const uid = metadata.uid ?? "";
  const folder = podFolder(host.pods, uid);
  const root = join(folder, "root");
  const [container, ...others] = spec.containers;
  const { account } = host;
  const stopping = new AbortController();
  const ports = new Map<number, number>();
  const portOf = (port: string | number): number | undefined => {
    const found = container?.ports?.find(({ name, containerPort }) => name === port || containerPort === Number(port));
    return ports.get(found?.containerPort ?? Number(port));
  };
  let child: ChildProcess | undefined;
  let ready = false;
  let restartCount = 0;
  let startedAt = "";

  const write = async (phase: string, state: object, more: object = {}): Promise<void> => {
    if (container === undefined) return;
    const status = {
      phase,
      hostIP: "127.0.0.1",
      podIP: "127.0.0.1",
      conditions: podConditions(ready),
      containerStatuses: [containerStatus(container, state, { ready, restartCount })],
      ...more,
    };
    await setPodStatus(host.connection, pod, status).catch((error: Error) =>
      host.log(`status of ${metadata.namespace}/${metadata.name}: ${error.message}`),
    );
    host.changed();
  };

  const tell = (reason: string, message: string): Promise<unknown> => {
    const now = new Date().toISOString();
    const namespace = metadata.namespace ?? "";
    const name = `${metadata.name}.${Date.now().toString(16)}`;
    return host.connection
      .send({
        method: "POST",
        path: pathOf(kinds.seenEvents, namespace),
        body: {
          metadata: { name, namespace },
          involvedObject: { kind: "Pod", namespace, name: metadata.name, uid },
          ...{ type: "Warning", reason, message, lastTimestamp: now, firstTimestamp: now, count: 1 },
        },
      })
      .catch((error: Error) => host.log(`event: ${error.message}`));
  };

  const fillVolumes = async (): Promise<void> => {
    await writeVolumes(host, pod, root, (write) => asAccount(account, write));
    if (existsSync(join(root, serviceAccountFolder, "token"))) {
      const tokenFile = join(root, serviceAccountFolder, "token");
      const config = kubeconfig({ server: host.server, ca: host.ca, user: { tokenFile } });
      asAccount(account, () => writeFileSync(join(root, "kubeconfig"), config, { mode: 0o600 }));
    }
  };

  /** Waits until every volume can be filled, and says once why not. */
  const untilVolumes = async (): Promise<void> => {
    let told = "";
    while (!stopping.signal.aborted) {
      try {
        return await fillVolumes();
      } catch (error) {
        const { message } = error as Error;
        if (!(error instanceof MountError)) host.log(`volumes of ${metadata.name}: ${message}`);
        if (message !== told) await tell("FailedMount", message);
        told = message;
        await pause(300);
      }
    }
  };

  const valuesOf = async ({ env = [] }: Container): Promise<Record<string, string>> => {
    const pairs = env.map(async ({ name, value: plain = "", valueFrom }) => {
      if (valueFrom?.fieldRef) return [name, podField(pod, valueFrom.fieldRef.fieldPath)];
      const wanted = valueFrom?.secretKeyRef;
      if (wanted === undefined) return [name, plain];
      const secret = await host.client.get(kinds.secrets, metadata.namespace ?? "", wanted.name);
      const value = secret?.data?.[wanted.key];
      if (value === undefined) throw new Error(`secret "${wanted.name}" has no key "${wanted.key}"`);
      return [name, Buffer.from(value, "base64").toString()];
    });
    return Object.fromEntries(await Promise.all(pairs)) as Record<string, string>;
  };

  const launch = async (one: Container, image: string): Promise<Launch> => {
    for (const { containerPort } of one.ports ?? []) {
      const port = ports.get(containerPort);
      if (port === undefined || !(await isFree(port))) ports.set(containerPort, await freePort());
    }
    const config = join(root, "kubeconfig");
    return launchOf({
      ...{ container: one, values: await valuesOf(one), root, image, node: host.node, ports },
      inImage: (path) => existsSync(join(image, path)),
      path: process.env["PATH"] ?? "",
      kubeconfig: existsSync(config) ? config : undefined,
    });
  };

  /** Runs the container to its end; its exit code, 128 + n after signal n. */
  const runOnce = async (one: Container, { command, env }: Launch): Promise<number> => {
    const output = openSync(logOf(host.pods, uid), "a", 0o600);
    const held = spawnHeld(command, { ...account, cwd: root, env: { ...runVariables(), ...env }, output });
    const running = held.child;
    closeSync(output);
    child = running;
    const exited = new Promise<number>((resolve) => {
      running.once("error", () => resolve(127)).once("exit", (code) => resolve(code ?? 137));
    });
    const found = running.pid === undefined ? null : mark(running.pid);
    try {
      if (found !== null) writeMark(folder, found);
    } catch (error) {
      held.drop();
      throw error;
    }
    held.release();
    startedAt = new Date().toISOString();
    const over = new AbortController();
    const state = { running: { startedAt } };
    await write("Running", state);
    const probes = followReadiness(
      one,
      {
        portOf: (port) => portOf(port) ?? 0,
        exec: (words, signal) => runProbe(words, { ...account, env, cwd: root, signal }),
      },
      AbortSignal.any([over.signal, stopping.signal]),
      (now) => {
        ready = now;
        void write("Running", state);
      },
    );
    const code = await exited;
    over.abort();
    await probes;
    ready = false;
    kill(running, "SIGKILL");
    return code;
  };

  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal: stopping.signal }).catch(() => {}) as Promise<void>;

  const prepare = async (one: Container): Promise<string> => {
    mkdirSync(root, { recursive: true });
    // PostgreSQL's socket in there takes its owner without a password, and other accounts could enter the folders above.
    if (account.uid !== undefined && account.gid !== undefined) chownSync(root, account.uid, account.gid);
    chmodSync(root, 0o700);
    const image = host.imageOf(one.image);
    if (image === undefined) throw new NotYet("ErrImageNeverPull", `${one.image} is not loaded`);
    await write("Pending", { waiting: { reason: "ContainerCreating" } });
    await untilVolumes();
    return image;
  };

  /** Runs the container until it is over for good. Rejects where it cannot be started now. */
  const runAll = async (one: Container): Promise<void> => {
    const image = await prepare(one);
    while (!stopping.signal.aborted) {
      const launched = await launch(one, image);
      // A stop may have come meanwhile, when there was no process to end.
      if (stopping.signal.aborted) return;
      const code = await runOnce(one, launched);
      const policy = spec.restartPolicy ?? "Always";
      const end = terminated(code, { startedAt });
      if (stopping.signal.aborted) return;
      if (policy === "Never" || (policy === "OnFailure" && code === 0)) {
        await write(code === 0 ? "Succeeded" : "Failed", end);
        return;
      }
      await write("Running", { waiting: { reason: "CrashLoopBackOff", message: `ended with ${code}` } });
      await pause(Math.min(1000 * 2 ** restartCount, longestBackoffMs));
      restartCount++;
    }
  };

  const live = async (): Promise<void> => {
    if (container === undefined || others.length > 0) {
      await write("Failed", {}, { reason: "Unsupported", message: "A pod has one container here" });
      return;
    }
    let told = "";
    // The API server may not answer for a moment, and a full disk may have room again: no error is the last.
    for (let failures = 0; !stopping.signal.aborted; failures++) {
      try {
        return await runAll(container);
      } catch (error) {
        const { message } = error as Error;
        const reason = error instanceof NotYet ? error.reason : "CreateContainerError";
        if (message !== told) {
          host.log(`${metadata.namespace}/${metadata.name}: ${message}`);
          await write("Pending", { waiting: { reason, message } });
        }
        told = message;
        await pause(Math.min(250 * 2 ** failures, longestBackoffMs));
      }
    }
  };

  const renewal = setInterval(() => {
    if (child?.exitCode === null) fillVolumes().catch((error: Error) => host.log(`renewal: ${error.message}`));
  }, renewMs);
  const life = live().catch((error: Error) => host.log(`${metadata.namespace}/${metadata.name}: ${error.stack}`));

  return {
    pod,
    ready: () => ready,
    portOf,
    async stop(graceSeconds) {
      stopping.abort();
      clearInterval(renewal);
      ready = false;
      host.changed();
      const force = setTimeout(() => child && kill(child, "SIGKILL"), graceSeconds * 1000);
      if (child) kill(child, "SIGTERM");
      await life;
      clearTimeout(force);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      await host.connection
        .send({
          method: "DELETE",
          path: pathOf(kinds.pods, metadata.namespace, metadata.name),
          body: { gracePeriodSeconds: 0, preconditions: { uid } },
        })
        .catch((error: Error) => host.log(`removing ${metadata.name}: ${error.message}`));
    },
  };
}
