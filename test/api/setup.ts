import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { installed } from "../../src/resources/installed.ts";
import { type ControlPlane, freePort, startControlPlane } from "../operator/control-plane.ts";
import {
  installAccount,
  installApiAccount,
  installCrds,
  type OperatorProcess,
  startOperator,
} from "../operator/operator.ts";
import { mountSecret, type Place, type Started, startApi, startProber } from "./start.ts";

/** One control plane, operator and prober, and two replicas of the API, for every file of this part. */

declare module "vitest" {
  export interface ProvidedContext {
    api: Provided;
  }
}

export interface Provided extends Place {
  /** Of each replica. */
  ports: number[];
  healths: string[];
  operatorHealth: string;
  /** For workers. */
  operatorEndpoint: string;
  server: string;
  adminKubeconfig: string;
  kubectlProgram: string;
}

let plane: ControlPlane | undefined;
let operator: OperatorProcess | undefined;
const processes: Started[] = [];

export async function setup(project: TestProject): Promise<void> {
  try {
    plane = await startControlPlane({
      controllers:
        "serviceaccount-controller,garbage-collector-controller,namespace-controller,resourcequota-controller,job-controller",
    });
    await installCrds(plane);
    const [kubeconfig, apiKubeconfig] = [await installAccount(plane), await installApiAccount(plane)];
    operator = await startOperator(plane, kubeconfig, "operator-0", {
      ROWFERRY_API_HOSTS: "localhost",
      ROWFERRY_PROBER_HOSTS: "localhost",
      ROWFERRY_GUARD_ALLOW: "127.0.0.1/32",
    });
    const { folder, admin } = plane;
    for (const name of [installed.apiTls, installed.apiKeys]) await mountSecret(admin.client, name, join(folder, name));
    await mountSecret(admin.client, installed.proberTls, join(folder, "prober-tls"));
    const prober = await startProber(folder);
    processes.push(prober);
    const port = await freePort();
    const place: Place = {
      folder,
      apiKubeconfig,
      baseUrl: `https://localhost:${port}`,
      proberUrl: `https://localhost:${prober.port}`,
    };
    const replicas = await Promise.all([startApi(place, { ROWFERRY_API_PORT: String(port) }), startApi(place)]);
    processes.push(...replicas);
    project.provide("api", {
      ...place,
      ports: replicas.map((replica) => replica.port),
      healths: replicas.map(({ health }) => health),
      operatorHealth: operator.health,
      operatorEndpoint: operator.endpoint,
      server: plane.server,
      adminKubeconfig: admin.kubeconfig,
      kubectlProgram: plane.kubectlProgram,
    });
  } catch (error) {
    await teardown();
    throw error;
  }
}

export async function teardown(): Promise<void> {
  for (const one of processes) await one.stop("SIGKILL");
  await operator?.stop("SIGKILL");
  await plane?.stop();
}
