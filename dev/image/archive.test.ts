import { expect, test } from "vitest";
import { imageDocuments } from "./archive.ts";

const config = { env: ["A=1"], user: "7:7", workingDir: "/w", entrypoint: ["n"], cmd: ["x"] };
const layer = { digest: `sha256:${"a".repeat(64)}`, size: 10, diffId: `sha256:${"b".repeat(64)}`, unpacked: 20 };

test("an image's documents name each other by digest and size", () => {
  const { ref, config: settings, manifest, index } = imageDocuments("example.dev/x", [layer], config, "amd64");
  expect(JSON.parse(settings.text)).toEqual({
    architecture: "amd64",
    os: "linux",
    config: { User: "7:7", Env: ["A=1"], WorkingDir: "/w", Entrypoint: ["n"], Cmd: ["x"] },
    rootfs: { type: "layers", diff_ids: [layer.diffId] },
  });
  const parsed = JSON.parse(manifest.text);
  expect(parsed.config).toEqual({ ...settings.blob, size: Buffer.byteLength(settings.text) });
  expect(parsed.layers).toEqual([
    { mediaType: "application/vnd.oci.image.layer.v1.tar+zstd", digest: layer.digest, size: 10 },
  ]);
  const [entry] = JSON.parse(index).manifests;
  expect(entry.digest).toBe(manifest.blob.digest);
  expect(entry.annotations["io.containerd.image.name"]).toBe(ref);
  expect(ref).toBe(`example.dev/x:${settings.blob.digest.slice(7, 19)}`);
});

test("the reference follows from the content", () => {
  const ref = (change: object) => imageDocuments("x/y", [{ ...layer, ...change }], config, "amd64").ref;
  expect(ref({})).toBe(ref({}));
  expect(ref({ digest: `sha256:${"d".repeat(64)}`, size: 11 })).toBe(ref({}));
  expect(ref({ diffId: `sha256:${"c".repeat(64)}` })).not.toBe(ref({}));
});
