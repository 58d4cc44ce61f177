import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PodToRun } from "./objects.ts";
import { MountError, type VolumeHost, writeVolumes } from "./volumes.ts";

/** A cluster that has these Secrets, and gives a token for what it was asked. */
const hostOf = (secrets: Record<string, Record<string, string>>): VolumeHost => ({
  client: {
    get: async (_kind, _namespace, name) => {
      const data = secrets[name];
      return (data && { metadata: { name }, data }) as never;
    },
  },
  connection: { send: async ({ body }) => ({ status: { token: JSON.stringify(body) } }) as never },
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const pod = (volumes: PodToRun["spec"]["volumes"] = []): PodToRun => ({
  metadata: { name: "worker", namespace: "shop", uid: "1" },
  spec: {
    containers: [
      { name: "main", image: "x", volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/var/${name}` })) },
    ],
    volumes,
  },
});

const folder = () => mkdtempSync(join(tmpdir(), "volumes-"));

test("each volume is below the root at its mount path, with the files that the pod names", async () => {
  const root = folder();
  const items = [{ key: "uri", path: "url" }];
  const token = { serviceAccountToken: { audience: "rowferry-operator", path: "token" } };
  const volumes = [
    { name: "tmp", emptyDir: {} },
    {
      name: "source",
      projected: { sources: [{ secret: { name: "source", items } }, { secret: { name: "no", optional: true } }] },
    },
    { name: "token", projected: { sources: [token] } },
  ];
  await writeVolumes(hostOf({ source: { uri: base64("mysql://a"), other: base64("b") } }), pod(volumes), root);
  expect(existsSync(join(root, "var/tmp"))).toBe(true);
  expect(readFileSync(join(root, "var/source/url"), "utf8")).toBe("mysql://a");
  expect(existsSync(join(root, "var/source/other"))).toBe(false);
  const asked = JSON.parse(readFileSync(join(root, "var/token/token"), "utf8"));
  expect(asked.spec).toMatchObject({ audiences: ["rowferry-operator"], boundObjectRef: { name: "worker", uid: "1" } });
});

test("a Secret that is not there, and a key that it lacks, are told as the kubelet does", async () => {
  const volumes = [{ name: "source", secret: { secretName: "source", items: [{ key: "url", path: "url" }] } }];
  const without = writeVolumes(hostOf({}), pod(volumes), folder());
  await expect(without).rejects.toThrow(new MountError("source", 'secret "source" not found'));
  const lacking = writeVolumes(hostOf({ source: { other: base64("b") } }), pod(volumes), folder());
  await expect(lacking).rejects.toThrow(new MountError("source", "references non-existent secret key: url"));
});
