import type { TestProject } from "vitest/node";
import { type ControlPlane, type PlaneFacts, startControlPlane, until } from "./control-plane.ts";
import { type Snapshot, snapshot } from "./etcd.ts";
import { installAccount, installApiAccount, installCrds } from "./operator.ts";

/** One control plane for the files of a part that need none of their own: `borrowControlPlane`. */

declare module "vitest" {
  export interface ProvidedContext {
    plane: { facts: PlaneFacts; before: Snapshot };
  }
}

/** The global setup of a part, by the names of the controllers that its control plane has. */
export function planeSetup(controllers: readonly string[]) {
  let plane: ControlPlane | undefined;
  return {
    async setup(project: TestProject): Promise<void> {
      plane = await startControlPlane({
        controllers: controllers.map((name) => `${name}-controller`).join(","),
        // Kubernetes' garbage collector learns of a new kind only after half a minute or more.
        later: true,
      });
      await installCrds(plane);
      await installApiAccount(plane);
      await installAccount(plane);
      plane.startControllers();
      await until("what controllers make in each namespace", () => settled(plane));
      project.provide("plane", { facts: plane.facts, before: await snapshot(plane.facts.etcd) });
    },
    async teardown(): Promise<void> {
      await plane?.stop();
    },
  };
}

export const controllers = [
  "serviceaccount",
  "job",
  "garbage-collector",
  "resourcequota",
  "root-ca-certificate-publisher",
];
export const { setup, teardown } = planeSetup(controllers);

/** Each namespace has its account and its CA, which controllers would make again if a snapshot lacked them. */
async function settled(plane: ControlPlane | undefined): Promise<boolean> {
  const list = async (kind: string, name: string) =>
    (await plane?.kubectl(["get", kind, "-A", "--field-selector", `metadata.name=${name}`, "-o", "name"]))?.out.trim();
  const counts = await Promise.all(
    [list("serviceaccount", "default"), list("configmap", "kube-root-ca.crt")].map(
      async (found) => (await found)?.split("\n").filter(Boolean).length,
    ),
  );
  const namespaces = (await plane?.kubectl(["get", "namespaces", "-o", "name"]))?.out.trim().split("\n").length;
  return counts.every((count) => count === namespaces);
}
