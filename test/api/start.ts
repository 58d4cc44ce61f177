import { join } from "node:path";
import { secretFiles, writeFiles } from "../../dev/cluster/processes/kubelet/volumes.ts";
import type { Client } from "../../src/cluster/index.ts";
import { installed } from "../../src/resources/crd/installed.ts";
import { kinds } from "../../src/resources/objects.ts";
import { bundled } from "../bundle.ts";
import { type NodeProcess, startNode } from "../node-process.ts";
import { until } from "../operator/control-plane.ts";
import { home } from "../operator/operator.ts";

/** API and prober as processes of their own, with the files that a pod of theirs has mounted. */

export interface Started extends NodeProcess {
  port: number;
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
  writeFiles(folder, secretFiles(secret));
  return folder;
}

/** A composition root, of the source unless another folder is named. */
const fileOf = (name: string, built?: string): string =>
  built === undefined ? new URL(`../../src/main/${name}.ts`, import.meta.url).pathname : join(built, `${name}.js`);

const withPort = (started: NodeProcess): Started => ({ ...started, port: Number(started.started.port) });

export const startProber = async (folder: string, env: Record<string, string> = {}): Promise<Started> =>
  withPort(
    await startNode({
      name: "the prober",
      file: join(await bundled("prober"), "prober.js"),
      cwd: folder,
      env: {
        ROWFERRY_PROBER_CERT: join(folder, "prober-tls/tls.crt"),
        ROWFERRY_PROBER_KEY: join(folder, "prober-tls/tls.key"),
        ROWFERRY_PROBER_CA: join(folder, "prober-tls/ca.crt"),
        ROWFERRY_PROBER_PORT: "0",
        ROWFERRY_HEALTH_PORT: "0",
        ROWFERRY_LISTEN_HOST: "127.0.0.1",
        ROWFERRY_GUARD_ALLOW: "127.0.0.1/32",
        ...env,
      },
    }),
  );

/** `built`: the folder of a bundle, to run that and not the source. */
export const startApi = async (place: Place, env: Record<string, string> = {}, built?: string): Promise<Started> =>
  withPort(
    await startNode({
      name: "the API",
      file: fileOf("api", built),
      cwd: place.folder,
      env: {
        KUBECONFIG: place.apiKubeconfig,
        ROWFERRY_NAMESPACE: home,
        ROWFERRY_BASE_URL: place.baseUrl,
        ROWFERRY_SIGN_UP: "true",
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
        ROWFERRY_BACKUPS: "true",
        ...env,
      },
      ready: "ready",
    }),
  );

const much = [{ points: 1_000_000, seconds: 60 }];
/** Tests of other things than the limits do not meet them. */
const generous = {
  ai: much,
  probe: much,
  read: much,
  write: much,
  minting: much,
  handshake: much,
  search: much,
  credentials_account: much,
  credentials_accountAndAddress: much,
  credentials_address: much,
  credentials_device: much,
  credentials_passwordChange: much,
  credentials_signUp: much,
  credentials_signUpInAll: much,
};
