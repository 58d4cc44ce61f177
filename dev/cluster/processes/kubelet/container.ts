// A container's specification as a process: which program, with which arguments and environment. Pure.
import { join } from "node:path";
import type { Container } from "./objects.ts";

export type Launch = { command: string[]; env: Record<string, string> };

export type LaunchOptions = {
  container: Container;
  /** Values of the container's variables, those from Secrets and fields included. */
  values: Record<string, string>;
  /** The pod's root folder: each volume is below it at its mount path. */
  root: string;
  /** The image's folder: its files are below it, its programs in `bin`. */
  image: string;
  /** Whether the image has this absolute path. */
  inImage(path: string): boolean;
  /** This machine's Node. */
  node: string;
  path: string;
  /** The loopback port for each of the container's ports, by number. */
  ports: ReadonlyMap<number, number>;
  /** A kubeconfig with the pod's token, where it has one. */
  kubeconfig: string | undefined;
};

/** Variables by which Rowferry's programs and databases learn the port of each name. */
const portVariables: Record<string, string> = {
  "https-workers": "ROWFERRY_ENDPOINT_PORT",
  "http-metrics": "ROWFERRY_HEALTH_PORT",
  api: "ROWFERRY_API_PORT",
  prober: "ROWFERRY_PROBER_PORT",
  database: "DATABASE_PORT",
  stripe: "STRIPE_PORT",
  "stripe-control": "STRIPE_CONTROL_PORT",
};

const tls = "/etc/rowferry/tls";

/** What these programs find at fixed paths and addresses in a container. */
const places = (root: string): Record<string, string> => ({
  ROWFERRY_LISTEN_HOST: "127.0.0.1",
  ROWFERRY_PROBER_HOSTS: "localhost",
  ROWFERRY_MOUNTS_ROOT: root,
  ROWFERRY_API_KEYS: join(root, "/etc/rowferry/keys/secret"),
  ROWFERRY_PROBER_CERT: join(root, tls, "tls.crt"),
  ROWFERRY_PROBER_KEY: join(root, tls, "tls.key"),
  ROWFERRY_PROBER_CA: join(root, tls, "ca.crt"),
  DATABASE_ROOT: root,
  DATABASE_BIND: "127.0.0.1",
});

/** A value that leads to a volume leads to its folder. */
export function moved(value: string, root: string, mounts: readonly { mountPath: string }[]): string {
  const inVolume = mounts.some(({ mountPath }) => value === mountPath || value.startsWith(`${mountPath}/`));
  return inVolume ? join(root, value) : value;
}

export function launchOf(options: LaunchOptions): Launch {
  const { container, values, root, image, inImage, node, path, ports, kubeconfig } = options;
  const mounts = container.volumeMounts ?? [];
  const words = [...(container.command ?? []), ...(container.args ?? [])].map((word) =>
    word.startsWith("/") && inImage(word) ? join(image, word) : moved(word, root, mounts),
  );
  const [program = "", ...args] = words;
  const portsByName = (container.ports ?? []).flatMap(({ name = "", containerPort }) => {
    const variable = portVariables[name];
    return variable === undefined ? [] : [[variable, String(ports.get(containerPort))]];
  });
  const hasTmp = mounts.some(({ mountPath }) => mountPath === "/tmp");
  return {
    command: [program === "node" ? node : program, ...args],
    env: {
      PATH: `${join(image, "bin")}:${path}`,
      HOME: root,
      TMPDIR: hasTmp ? join(root, "tmp") : root,
      ROWFERRY_NODE: node,
      ...places(root),
      ...Object.fromEntries(portsByName),
      ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, moved(value, root, mounts)])),
    },
  };
}
