import { expect, test } from "vitest";
import { type LaunchOptions, launchOf, moved } from "./container.ts";

const options: LaunchOptions = {
  container: {
    name: "operator",
    image: "rowferry.dev/app:1",
    command: ["node", "--max-old-space-size=96", "/app/operator.js"],
    args: ["--config=/app", "/etc/rowferry/tls/tls.crt", "/elsewhere"],
    ports: [{ name: "https-workers", containerPort: 8443 }, { containerPort: 9000 }],
    volumeMounts: [
      { name: "tls", mountPath: "/etc/rowferry/tls" },
      { name: "tmp", mountPath: "/tmp" },
    ],
  },
  values: { ROWFERRY_TOKEN_FILE: "/etc/rowferry/tls/ca.crt", ROWFERRY_NAMESPACE: "rowferry-system" },
  root: "/pods/1/root",
  image: "/images/app",
  inImage: (path) => path.startsWith("/app"),
  node: "/usr/bin/node",
  path: "/bin",
  ports: new Map([
    [8443, 12_001],
    [9000, 12_002],
  ]),
  kubeconfig: "/pods/1/root/kubeconfig",
};

test("paths of the image and of volumes lead to their folders, other words stay", () => {
  expect(launchOf(options).command).toEqual([
    "/usr/bin/node",
    "--max-old-space-size=96",
    "/images/app/app/operator.js",
    "--config=/app",
    "/pods/1/root/etc/rowferry/tls/tls.crt",
    "/elsewhere",
  ]);
});

test("the environment has the pod's own values, its ports on loopback, and nothing of this process", () => {
  const { env } = launchOf(options);
  expect(env).toMatchObject({
    PATH: "/images/app/bin:/bin",
    HOME: "/pods/1/root",
    TMPDIR: "/pods/1/root/tmp",
    KUBECONFIG: "/pods/1/root/kubeconfig",
    ROWFERRY_ENDPOINT_PORT: "12001",
    ROWFERRY_LISTEN_HOST: "127.0.0.1",
    ROWFERRY_NAMESPACE: "rowferry-system",
    ROWFERRY_TOKEN_FILE: "/pods/1/root/etc/rowferry/tls/ca.crt",
  });
  expect(env).not.toHaveProperty("USER");
  expect(launchOf({ ...options, kubeconfig: undefined }).env).not.toHaveProperty("KUBECONFIG");
});

test("a path that only begins like a mount is not in it", () => {
  const mounts = [{ mountPath: "/run" }];
  expect(moved("/run", "/root", mounts)).toBe("/root/run");
  expect(moved("/run/a", "/root", mounts)).toBe("/root/run/a");
  expect(moved("/running", "/root", mounts)).toBe("/running");
});
