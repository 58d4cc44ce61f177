// Whether a container answers: its startup probe until that succeeds, then its readiness probe.
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Container, Probe } from "./objects.ts";

export type ProbeHost = {
  /** The loopback port of a port's name or number. */
  portOf(port: string | number): number;
  /** Runs a command as the container would; true if it ends with 0. */
  exec(command: string[], signal: AbortSignal): Promise<boolean>;
};

const connects = (port: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, signal });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

export async function succeeds(probe: Probe, host: ProbeHost, ended: AbortSignal): Promise<boolean> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout((probe.timeoutSeconds ?? 1) * 1000)]);
  if (probe.exec) return host.exec(probe.exec.command, signal);
  if (probe.tcpSocket) return connects(host.portOf(probe.tcpSocket.port), signal);
  if (!probe.httpGet) return true;
  const { path = "/", port } = probe.httpGet;
  return fetch(`http://127.0.0.1:${host.portOf(port)}${path}`, { signal }).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );
}

/** Runs the probes until `ended`; `changed` hears each change of readiness. Without probes the container is ready at once. */
export async function followReadiness(
  { startupProbe, readinessProbe }: Container,
  host: ProbeHost,
  ended: AbortSignal,
  changed: (ready: boolean) => void,
): Promise<void> {
  const wait = (probe: Probe) =>
    sleep((probe.periodSeconds ?? 10) * 1000, undefined, { signal: ended }).catch(() => {});
  while (startupProbe && !ended.aborted && !(await succeeds(startupProbe, host, ended))) {
    // The machine's own pace, not that of a container that may be far away.
    await sleep(200, undefined, { signal: ended }).catch(() => {});
  }
  let ready = false;
  while (!ended.aborted) {
    const now = readinessProbe === undefined || (await succeeds(readinessProbe, host, ended));
    if (now !== ready && !ended.aborted) changed(now);
    ready = now;
    if (readinessProbe === undefined) return;
    if (ready) await wait(readinessProbe);
    else await sleep(200, undefined, { signal: ended }).catch(() => {});
  }
}

/** Runs a program; true if it ends with 0 before the signal. */
export const runProbe = (
  command: string[],
  options: { env: Record<string, string>; cwd: string; uid?: number; gid?: number; signal: AbortSignal },
): Promise<boolean> =>
  new Promise((resolve) => {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { ...options, stdio: "ignore" });
    child.once("error", () => resolve(false)).once("exit", (code) => resolve(code === 0));
  });
