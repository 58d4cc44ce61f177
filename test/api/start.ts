import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Client } from "../../src/cluster/index.ts";
import { installed } from "../../src/resources/installed.ts";
import { kinds } from "../../src/resources/objects.ts";
import { ended, until } from "../operator/control-plane.ts";
import { home } from "../operator/operator.ts";

/** API and prober as processes of their own, with the files that a pod of theirs has mounted. */

export interface Started {
  child: ChildProcess;
  port: number;
  /** Plain HTTP: /healthz, /readyz, /metrics. */
  health: string;
  /** What it logged. */
  lines: Record<string, unknown>[];
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Where the processes of this part find each other. */
export interface Place {
  folder: string;
  apiKubeconfig: string;
  baseUrl: string;
  proberUrl: string;
}

/** Writes a Secret's fields as files, as the kubelet would; waits for the operator to make it. */
export async function mountSecret(client: Client, name: string, folder: string): Promise<string> {
  const secret = await until(`the Secret ${name}`, () => client.get(kinds.secrets, home, name), 60_000);
  mkdirSync(folder, { recursive: true });
  for (const [field, value] of Object.entries(secret.data ?? {}))
    writeFileSync(join(folder, field), Buffer.from(value, "base64"), { mode: 0o600 });
  return folder;
}

/** A composition root, of the source unless another folder is named. */
const fileOf = (name: string, built?: string): string =>
  built === undefined ? new URL(`../../src/main/${name}.ts`, import.meta.url).pathname : join(built, `${name}.js`);

async function startProcess(
  entry: string,
  file: string,
  cwd: string,
  env: Record<string, string>,
  untilReady: string,
): Promise<Started> {
  const child = spawn(process.execPath, [file], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: cwd, TMPDIR: process.env.TMPDIR ?? "/tmp", ...runMark(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.removeListener("exit", kill));
  const lines: Record<string, unknown>[] = [];
  let stderr = "";
  child.stderr.on("data", (data) => {
    stderr += data;
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  });
  const found = await until<Record<string, unknown>>(
    `${entry} to start`,
    () => {
      if (child.exitCode !== null) return { failed: stderr };
      return lines.some(({ msg }) => msg === untilReady) && lines.find(({ msg }) => msg === "started");
    },
    60_000,
  );
  if (typeof found.failed === "string") throw new Error(`${entry} ended: ${found.failed}`);
  return {
    child,
    lines,
    port: Number(found.port),
    health: `http://127.0.0.1:${found.healthPort}`,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended(child);
    },
  };
}

/** The variable by which the runner finds what a test left running. */
const runMark = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("ROWFERRY_TEST"))) as Record<
    string,
    string
  >;

export const startProber = (folder: string, env: Record<string, string> = {}): Promise<Started> =>
  startProcess(
    "prober",
    fileOf("prober"),
    folder,
    {
      ROWFERRY_PROBER_CERT: join(folder, "prober-tls/tls.crt"),
      ROWFERRY_PROBER_KEY: join(folder, "prober-tls/tls.key"),
      ROWFERRY_PROBER_CA: join(folder, "prober-tls/ca.crt"),
      ROWFERRY_PROBER_PORT: "0",
      ROWFERRY_HEALTH_PORT: "0",
      ROWFERRY_LISTEN_HOST: "127.0.0.1",
      ROWFERRY_GUARD_ALLOW: "127.0.0.1/32",
      ...env,
    },
    "started",
  );

/** `built`: the folder of a bundle, to run that and not the source. */
export const startApi = (place: Place, env: Record<string, string> = {}, built?: string): Promise<Started> =>
  startProcess(
    "api",
    fileOf("api", built),
    place.folder,
    {
      KUBECONFIG: place.apiKubeconfig,
      ROWFERRY_NAMESPACE: home,
      ROWFERRY_BASE_URL: place.baseUrl,
      ROWFERRY_API_PORT: "0",
      ROWFERRY_HEALTH_PORT: "0",
      ROWFERRY_LISTEN_HOST: "127.0.0.1",
      ROWFERRY_API_TLS: join(place.folder, installed.apiTls),
      ROWFERRY_API_TLS_SECONDS: "1",
      ROWFERRY_API_KEYS: join(place.folder, installed.apiKeys, "secret"),
      ROWFERRY_PROBER_URL: place.proberUrl,
      ROWFERRY_GUARD_ALLOW: "127.0.0.1/32",
      ROWFERRY_LIMITS: JSON.stringify(generous),
      ROWFERRY_STREAM_RECHECK_SECONDS: "1",
      ROWFERRY_DRAIN_SECONDS: "1",
      ...env,
    },
    "ready",
  );

const much = [{ points: 1_000_000, seconds: 60 }];
/** Tests of other things than the limits do not meet them. */
const generous = {
  ai: much,
  probe: much,
  read: much,
  write: much,
  minting: much,
  credentials_account: much,
  credentials_address: much,
  credentials_signUp: much,
};
