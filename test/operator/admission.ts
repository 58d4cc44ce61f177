import { render } from "../chart/tools.ts";
import { applyObjects } from "./apply.ts";
import { type PlaneClient, until } from "./control-plane.ts";

/** What the operator of the tests tells workers: its certificate is for this host. */
export const endpointUrl = "https://localhost:8443";
const inCluster = "https://rowferry-operator.rowferry-system.svc:8443";

/** Values of the chart with backups. */
export const withBackups = { enabled: true, storage: { bucket: "backups", secretName: "bucket" } };

/** Lets the chart's admission policies hold, as they are rendered for the operator and the API of the tests. */
export async function installAdmission(plane: PlaneClient, backups: boolean, more: object = {}): Promise<void> {
  const values = {
    ...(backups
      ? { backups: { ...withBackups, verification: { images: { postgres: "postgres:18", mysql: "mysql:9" } } } }
      : {}),
    image: { tag: "test" },
    worker: { command: ["node", "/app/worker.js"] },
    rbac: { admissionImages: ["mirror.example/rowferry"] },
    ...more,
  };
  const policies = (await render(values)).filter(({ kind }) => kind.startsWith("ValidatingAdmissionPolicy"));
  const rendered = JSON.stringify(policies);
  const input = rendered.replaceAll(inCluster, endpointUrl);
  if (input === rendered) throw new Error(`no policy holds workers to ${inCluster}`);
  await applyObjects(plane, JSON.parse(input));
  // A policy holds some moments after it was written. With the operator's own token this would be a request of the operator.
  await until("the admission policies to hold", async () => {
    const tried = [
      "create",
      "configmap",
      "tried",
      "--dry-run=server",
      "--as=system:serviceaccount:rowferry-system:rowferry-operator",
    ];
    return (await plane.kubectl([...tried, "--namespace=default"])).err.includes("ValidatingAdmissionPolicy");
  });
}
