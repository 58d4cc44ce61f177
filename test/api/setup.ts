import type { TestProject } from "vitest/node";
import { type Installation, startInstallation } from "./installation.ts";
import type { Place } from "./start.ts";

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

let installation: Installation | undefined;

export async function setup(project: TestProject): Promise<void> {
  installation = await startInstallation(2);
  const { plane, operator, place, replicas } = installation;
  project.provide("api", {
    ...place,
    ports: replicas.map((replica) => replica.port),
    healths: replicas.map(({ health }) => health),
    operatorHealth: operator.health,
    operatorEndpoint: operator.endpoint,
    server: plane.server,
    adminKubeconfig: plane.admin.kubeconfig,
    kubectlProgram: plane.kubectlProgram,
  });
}

export async function teardown(): Promise<void> {
  await installation?.stop();
}
