import { randomUUID } from "node:crypto";
import { kinds, pathOf } from "../../src/resources/objects.ts";
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
  await untilAllHold(plane);
}

/** A policy holds some moments after it was written, in the order of writing: when a last one holds, the others do. */
async function untilAllHold({ admin }: Pick<PlaneClient, "admin">): Promise<void> {
  const name = `last-${randomUUID()}`;
  const apiVersion = "admissionregistration.k8s.io/v1";
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
  const spec = {
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression: `object.metadata.name != '${name}'` }],
  };
  const bound = { policyName: name, validationActions: ["Deny"] };
  const kind = "ValidatingAdmissionPolicy";
  await applyObjects({ admin }, [
    { apiVersion, kind, metadata: { name }, spec },
    { apiVersion, kind: `${kind}Binding`, metadata: { name }, spec: bound },
  ]);
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
  const tried = { method: "POST", path: pathOf(kinds.configMaps, "default"), query: { dryRun: "All" }, body } as const;
  await until("the admission policies to hold", () =>
    admin.connection.send(tried).then(
      () => false,
      (error: Error) => error.message.includes(`ValidatingAdmissionPolicy '${name}'`),
    ),
  );
  for (const plural of ["validatingadmissionpolicybindings", "validatingadmissionpolicies"])
    await admin.connection.send({ method: "DELETE", path: `/apis/${apiVersion}/${plural}/${name}` });
}
