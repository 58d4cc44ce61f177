// The image of a pod's sandbox: one program of a few bytes that sleeps until it is killed. Kubernetes pulls such an
// image from a registry; written out here, it needs neither registry nor compiler.
import { ociArchive } from "./oci.ts";
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

/** The image as an OCI archive. */
export const pauseArchive = (architecture: Architecture): Buffer =>
  ociArchive({
    ref: pauseImage,
    architecture,
    files: [{ name: "pause", content: pauseProgram(architecture), mode: 0o755 }],
    config: { Entrypoint: ["/pause"], User: "65535:65535" },
  });
