// Small OCI archives written out by hand: a tar of tars, each blob named by its digest.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

export type TarEntry = { name: string; content: Buffer; mode?: number };

const tarEntry = ({ name, content, mode = 0o644 }: TarEntry): Buffer => {
  if (Buffer.byteLength(name) > 99) throw new Error(`The name is too long for a plain tar: ${name}`);
  const header = Buffer.alloc(512);
  const octal = (value: number, at: number, width: number): void => {
    header.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at, "latin1");
  };
  header.write(name, 0, "latin1");
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(content.length, 124, 12);
  octal(0, 136, 12);
  header.write("        0", 148, "latin1");
  header.write("ustar\u000000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  octal(sum, 148, 7);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
};

const tar = (entries: readonly TarEntry[]): Buffer => Buffer.concat([...entries.map(tarEntry), Buffer.alloc(1024)]);

const digest = (data: Buffer): string => createHash("sha256").update(data).digest("hex");

/** An OCI archive of one image with one layer. `config` is the image's own: Entrypoint, User and so on. */
export const ociArchive = (image: {
  ref: string;
  architecture: string;
  files: readonly TarEntry[];
  config: Record<string, unknown>;
}): Buffer => {
  const layer = tar(image.files);
  const packed = gzipSync(layer, { level: 1 });
  const config = Buffer.from(
    JSON.stringify({
      architecture: image.architecture,
      os: "linux",
      config: image.config,
      rootfs: { type: "layers", diff_ids: [`sha256:${digest(layer)}`] },
    }),
  );
  const described = (kind: string, data: Buffer) => ({
    mediaType: `application/vnd.oci.image.${kind}`,
    digest: `sha256:${digest(data)}`,
    size: data.length,
  });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: described("config.v1+json", config),
      layers: [described("layer.v1.tar+gzip", packed)],
    }),
  );
  const annotations = { "org.opencontainers.image.ref.name": image.ref };
  const index = { schemaVersion: 2, manifests: [{ ...described("manifest.v1+json", manifest), annotations }] };
  return tar([
    { name: "oci-layout", content: Buffer.from(JSON.stringify({ imageLayoutVersion: "1.0.0" })) },
    { name: "index.json", content: Buffer.from(JSON.stringify(index)) },
    ...[config, manifest, packed].map((data) => ({ name: `blobs/sha256/${digest(data)}`, content: data })),
  ]);
};
