// One layer of an image: a folder or file as a tar archive, compressed, with the digests that name it.
import { spawn } from "node:child_process";
import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";

export type Layer = {
  /** `sha256:…` of the compressed bytes. */
  digest: string;
  /** Compressed bytes. */
  size: number;
  /** `sha256:…` of the tar archive. */
  diffId: string;
  /** Bytes of the tar archive. */
  unpacked: number;
};

export type LayerContent = {
  /** A folder; its content is the layer's. */
  folder: string;
  /** Which of its entries; default: all. */
  entries?: string[];
  /** Where they go in the image; default: the root. */
  under?: string;
  /** Keep the owners of the files; default: root's, with the owner's rights for all. */
  owners?: boolean;
};

const counted = (hash: Hash, total: { bytes: number }): Transform =>
  new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      total.bytes += chunk.length;
      done(null, chunk);
    },
  });

/** GNU tar's arguments: the same content gives the same archive, whenever and wherever it is run. */
const tarArguments = ({ folder, entries = ["."], under, owners = false }: LayerContent): string[] => [
  ...["--create", "--format=gnu", "--sort=name", "--mtime=@0", "--numeric-owner", `--directory=${folder}`],
  ...(owners ? [] : ["--owner=0", "--group=0", "--mode=u=rwX,go=rX"]),
  ...(under === undefined ? [] : [`--transform=flags=r;s,^\\(\\./\\?\\)\\?,${under}/,`]),
  ...entries,
];

/** Writes the layer to `file`. Aborting leaves a part of it behind. */
export const writeLayer = async (content: LayerContent, file: string, signal?: AbortSignal): Promise<Layer> => {
  const tar = spawn("tar", tarArguments(content), { stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(tar, "close");
  let complaint = "";
  tar.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  const [plain, packed] = [createHash("sha256"), createHash("sha256")];
  const [plainTotal, packedTotal] = [{ bytes: 0 }, { bytes: 0 }];
  try {
    await pipeline(
      tar.stdout,
      counted(plain, plainTotal),
      createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
      counted(packed, packedTotal),
      createWriteStream(file),
      signal === undefined ? {} : { signal },
    );
  } catch (error) {
    // After its last byte it ends by itself, a moment later.
    tar.kill();
    throw error;
  }
  const [code] = (await closed) as [number | null];
  if (code !== 0) throw new Error(`tar of ${content.folder} failed with ${code}: ${complaint.trim()}`);
  return {
    digest: `sha256:${packed.digest("hex")}`,
    size: packedTotal.bytes,
    diffId: `sha256:${plain.digest("hex")}`,
    unpacked: plainTotal.bytes,
  };
};
