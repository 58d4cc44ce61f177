// An image as an OCI archive: layers, config, manifest and index in one tar file, as `ctr images import`,
// `kind load image-archive` and `docker load` read it. Format: the OCI image specification 1.1.
import { createHash } from "node:crypto";
import { link, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../terminal/run.ts";
import type { ImageConfig } from "./dockerfile.ts";
import type { Layer } from "./layer.ts";

const types = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+zstd",
};

type Blob = { mediaType: string; digest: string; size: number };
type Document = { blob: Blob; text: string };

const document = (mediaType: string, content: unknown): Document => {
  const text = JSON.stringify(content);
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  return { blob: { mediaType, digest, size: Buffer.byteLength(text) }, text };
};

/** OCI's name for this machine's architecture. */
export const architecture = (arch: string = process.arch): string => (arch === "x64" ? "amd64" : arch);

export type ImageDocuments = {
  /**
   * `<name>:<first 12 digits of the config's digest>`: other content, other reference. The manifest's digest would not do:
   * the compressed bytes of the same content depend on how they came through the pipe.
   */
  ref: string;
  config: Document;
  manifest: Document;
  index: string;
};

/** The JSON documents of an image; pure. */
export const imageDocuments = (
  name: string,
  layers: readonly Layer[],
  settings: ImageConfig,
  arch: string = architecture(),
): ImageDocuments => {
  const config = document(types.config, {
    architecture: arch,
    os: "linux",
    config: {
      User: settings.user,
      Env: settings.env,
      WorkingDir: settings.workingDir,
      Entrypoint: settings.entrypoint,
      Cmd: settings.cmd,
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
  });
  const manifest = document(types.manifest, {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: config.blob,
    layers: layers.map(({ digest, size }) => ({ mediaType: types.layer, digest, size })),
  });
  const tag = config.blob.digest.slice("sha256:".length, "sha256:".length + 12);
  const ref = `${name}:${tag}`;
  const annotations = { "io.containerd.image.name": ref, "org.opencontainers.image.ref.name": tag };
  const platform = { architecture: arch, os: "linux" };
  const index = JSON.stringify({
    schemaVersion: 2,
    mediaType: types.index,
    manifests: [{ ...manifest.blob, platform, annotations }],
  });
  return { ref, config, manifest, index };
};

/** Writes the archive to `file`. Layers' files are linked, so they must be on the same file system. */
export const writeArchive = async (
  file: string,
  documents: ImageDocuments,
  layers: readonly { layer: Layer; file: string }[],
): Promise<void> => {
  const layout = `${file}.layout`;
  const blobs = join(layout, "blobs", "sha256");
  const path = (digest: string) => join(blobs, digest.slice("sha256:".length));
  try {
    await mkdir(blobs, { recursive: true });
    await writeFile(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
    await writeFile(join(layout, "index.json"), documents.index);
    for (const { blob, text } of [documents.config, documents.manifest]) await writeFile(path(blob.digest), text);
    for (const { layer, file: packed } of layers) await link(packed, path(layer.digest));
    const parts = ["oci-layout", "index.json", "blobs"];
    await run("tar", ["--create", "--sort=name", `--file=${file}`, `--directory=${layout}`, ...parts]);
  } finally {
    await rm(layout, { recursive: true, force: true });
  }
};
