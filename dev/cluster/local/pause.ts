// The image of a pod's sandbox: one program of a few bytes that sleeps until it is killed. Kubernetes pulls such an
// image from a registry; written out here, it needs neither registry nor compiler.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { pauseImage } from "./plan.ts";

// In a loop: the system call pause(2) on amd64, ppoll(NULL, 0, NULL, NULL) on arm64, which has no pause.
const machines = {
  amd64: { elf: 0x3e, code: [0xb8, 0x22, 0x00, 0x00, 0x00, 0x0f, 0x05, 0xeb, 0xf7] },
  arm64: {
    elf: 0xb7,
    // mov x0, 0; mov x1, 0; mov x2, 0; mov x3, 0; mov x8, 73; svc 0; b -24
    code: [0xd2800000, 0xd2800001, 0xd2800002, 0xd2800003, 0xd2800928, 0xd4000001, 0x17fffffa].flatMap((word) => [
      word & 0xff,
      (word >>> 8) & 0xff,
      (word >>> 16) & 0xff,
      word >>> 24,
    ]),
  },
} as const;

export type Architecture = keyof typeof machines;

/** A static ELF program: file header, one loadable segment, the code. */
export const pauseProgram = (architecture: Architecture): Buffer => {
  const { elf, code } = machines[architecture];
  const [headers, base] = [64 + 56, 0x400000n];
  const size = BigInt(headers + code.length);
  const b = Buffer.alloc(headers + code.length);
  b.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]); // 64 bit, little endian, version 1
  b.writeUInt16LE(2, 16); // executable
  b.writeUInt16LE(elf, 18);
  b.writeUInt32LE(1, 20);
  b.writeBigUInt64LE(base + BigInt(headers), 24); // entry point
  b.writeBigUInt64LE(64n, 32); // offset of the program header
  b.writeUInt16LE(64, 52);
  b.writeUInt16LE(56, 54);
  b.writeUInt16LE(1, 56); // one program header
  b.writeUInt16LE(64, 58);
  b.writeUInt32LE(1, 64); // PT_LOAD
  b.writeUInt32LE(5, 68); // readable and executable
  b.writeBigUInt64LE(base, 80);
  b.writeBigUInt64LE(base, 88);
  b.writeBigUInt64LE(size, 96);
  b.writeBigUInt64LE(size, 104);
  b.writeBigUInt64LE(0x1000n, 112);
  b.set(code, headers);
  return b;
};

const tarEntry = (name: string, content: Buffer, mode: number): Buffer => {
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
  header.write("ustar\0" + "00", 257, "latin1");
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
};

const tar = (entries: { name: string; content: Buffer; mode?: number }[]): Buffer =>
  Buffer.concat([...entries.map((e) => tarEntry(e.name, e.content, e.mode ?? 0o644)), Buffer.alloc(1024)]);

const digest = (data: Buffer): string => createHash("sha256").update(data).digest("hex");

/** The image as an OCI archive. */
export const pauseArchive = (architecture: Architecture): Buffer => {
  const layer = tar([{ name: "pause", content: pauseProgram(architecture), mode: 0o755 }]);
  const packed = gzipSync(layer);
  const config = Buffer.from(
    JSON.stringify({
      architecture,
      os: "linux",
      config: { Entrypoint: ["/pause"], User: "65535:65535" },
      rootfs: { type: "layers", diff_ids: [`sha256:${digest(layer)}`] },
    }),
  );
  const described = (mediaType: string, data: Buffer) => ({
    mediaType,
    digest: `sha256:${digest(data)}`,
    size: data.length,
  });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      config: described("application/vnd.oci.image.config.v1+json", config),
      layers: [described("application/vnd.oci.image.layer.v1.tar+gzip", packed)],
    }),
  );
  const annotations = { "org.opencontainers.image.ref.name": pauseImage };
  const index = {
    schemaVersion: 2,
    manifests: [{ ...described("application/vnd.oci.image.manifest.v1+json", manifest), annotations }],
  };
  return tar([
    { name: "oci-layout", content: Buffer.from(JSON.stringify({ imageLayoutVersion: "1.0.0" })) },
    { name: "index.json", content: Buffer.from(JSON.stringify(index)) },
    ...[config, manifest, packed].map((data) => ({ name: `blobs/sha256/${digest(data)}`, content: data })),
  ]);
};
