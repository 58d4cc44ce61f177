import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "../../../dev/databases/free-port.ts";
import type { Stripe } from "../place.ts";

const root = resolve(import.meta.dirname, "../../..");

/** The simulator as a process that keeps its state in a file, so that it can be killed. */
export interface SimulatorProcess extends Stripe {
  /** Also after a kill: at the same ports, with the same state. `ca`: a file with the CA of the webhook's URL. */
  start(webhook: { url: string; secret: string; ca: string }): Promise<void>;
  kill(): Promise<void>;
}

/** Chooses the ports: the installation is told of them before the simulator starts. */
export async function placeSimulator(): Promise<SimulatorProcess> {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-stripe-"));
  const [port, controlPort] = [await freePort(), await freePort()];
  const key = "sk_test_chaos";
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  return {
    ...{ url: `http://127.0.0.1:${port}`, control: `http://127.0.0.1:${controlPort}`, key, kill },
    async start({ url, secret, ca }) {
      const args = [
        ...[join(root, "dev/stripe/index.ts"), "--file", join(folder, "state.jsonl"), "--key", key],
        ...["--port", String(port), "--control-port", String(controlPort)],
        ...["--webhook", url, "--webhook-secret", secret],
      ];
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: ca };
      const started = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "ignore"] });
      child = started;
      const ended = once(started, "exit").then(([code]) => {
        throw new Error(`the simulator ended with ${code}`);
      });
      ended.catch(() => {});
      await Promise.race([once(createInterface({ input: started.stdout }), "line"), ended]);
    },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
