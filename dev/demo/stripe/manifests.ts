// The Stripe simulator in the cluster: its program in a ConfigMap, a Deployment and a Service. Pure.
import { createHash } from "node:crypto";
import { restrictedContainer, restrictedPod } from "../../cluster/restricted.ts";
import { stripe } from "./names.ts";

export interface SimulatorOptions {
  namespace: string;
  /** Reference of an image with Node. */
  image: string;
  /** The simulator's bundle, JavaScript. */
  program: string;
  /** PEM of the CA that signed the API's certificate. */
  ca: string;
  /** URL of the simulator for browsers. */
  url: string;
  /** URL of the API for the simulator. */
  webhookBase: string;
}

const secretFrom = (key: string) => ({ valueFrom: { secretKeyRef: { name: stripe.secret, key } } });

const { service: name } = stripe;
const labels = { "app.kubernetes.io/name": name, "app.kubernetes.io/component": "stripe-simulator" };

/** The Service has a node port, so that a browser outside the cluster reaches the checkout pages. */
export const simulatorService = (namespace: string): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace },
  spec: { type: "NodePort", selector: labels, ports: [{ name: "stripe", port: stripe.port, targetPort: "stripe" }] },
});

/** A change of the program, the CA or a URL replaces the pod. The state is kept as long as the pod. */
export function simulatorManifests({ namespace, image, program, ca, url, webhookBase }: SimulatorOptions): object[] {
  const files = { "simulator.mjs": program, "ca.crt": ca };
  const digest = createHash("sha256").update(JSON.stringify(files)).digest("hex");
  const container = {
    name: "simulator",
    image,
    imagePullPolicy: "Never",
    command: ["node", "/simulator/simulator.mjs"],
    env: [
      { name: "STRIPE_URL", value: url },
      { name: "STRIPE_WEBHOOK_BASE", value: webhookBase },
      { name: "STRIPE_FILE", value: "/state/stripe.json" },
      { name: "STRIPE_KEY", ...secretFrom("key") },
      { name: "STRIPE_WEBHOOK_SECRET", ...secretFrom("webhook-secret") },
      { name: "NODE_EXTRA_CA_CERTS", value: "/simulator/ca.crt" },
    ],
    ports: [
      { name: "stripe", containerPort: stripe.port },
      { name: "stripe-control", containerPort: stripe.controlPort },
    ],
    readinessProbe: { tcpSocket: { port: "stripe" }, periodSeconds: 1 },
    resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "256Mi" } },
    securityContext: restrictedContainer({ readOnlyRoot: true }),
    volumeMounts: [
      { name: "program", mountPath: "/simulator" },
      { name: "state", mountPath: "/state" },
    ],
  };
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: files },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace },
      spec: {
        replicas: 1,
        strategy: { type: "Recreate" },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { "rowferry.dev/files-sha256": digest } },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            terminationGracePeriodSeconds: 5,
            securityContext: restrictedPod(65_532),
            containers: [container],
            volumes: [
              { name: "program", configMap: { name } },
              { name: "state", emptyDir: {} },
            ],
          },
        },
      },
    },
  ];
}
