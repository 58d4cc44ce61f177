import { find, type Rendered } from "./tools.ts";

/** The pods of a Deployment, as the chart renders them. */

interface Pod {
  serviceAccountName: string;
  automountServiceAccountToken: boolean;
  securityContext: object;
  containers: {
    env: { name: string; value?: string; valueFrom?: object }[];
    ports: { name: string; containerPort: number }[];
    securityContext: object;
    command: string[];
    resources: { limits: { memory: string } };
    lifecycle?: { preStop: { sleep: { seconds: number } } };
    volumeMounts: { name: string; mountPath: string }[];
  }[];
  volumes: { name: string; secret: { secretName: string; items: { path: string }[] } }[];
  terminationGracePeriodSeconds: number;
  topologySpreadConstraints?: object[];
}
export type Deployment = { spec: { replicas: number; strategy: { rollingUpdate: object }; template: { spec: Pod } } };

export const podOf = (objects: readonly Rendered[], name: string) =>
  find<Deployment>(objects, "Deployment", name).spec.template.spec;
export function containerOf(objects: readonly Rendered[], name: string): Pod["containers"][number] {
  const [container] = podOf(objects, name).containers;
  if (container === undefined) throw new Error(`${name}'s pod has no container`);
  return container;
}
/** Its environment as the pod has it. */
export const environmentOf = (objects: readonly Rendered[], name: string): Record<string, string> =>
  Object.fromEntries(containerOf(objects, name).env.map((one) => [one.name, one.value ?? `(${one.name})`]));
