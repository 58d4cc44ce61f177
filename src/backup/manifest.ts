import { createHash } from "node:crypto";
import { BackupError, type ExpectedArchive, type Storage } from "./contract.ts";
import { type ArchivePart, type Manifest, manifestSchema } from "./manifest-schema.ts";
import { manifestName } from "./names.ts";
import { decompressed, type PartReading, type Writing, writePart } from "./parts.ts";
import { once } from "./streams.ts";

/** The manifest of a run: written last, read first. */

/** JSON of a manifest; more is none of ours: a million parts and objects. */
const mostPlain = 64 * 1024 * 1024;
const mostStored = 16 * 1024 * 1024;

/** Stores the manifest, which completes the run. Resolves to its digest and its size. */
export async function writeManifest(writing: Writing, manifest: Manifest): Promise<{ digest: string; size: number }> {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  const written = await writePart(writing, { name: "manifest.json", holds: "schema" }, once(text));
  return { digest: `sha256:${written.sha256}`, size: written.size };
}

/**
 * Reads and checks the manifest alone. Errors: `archive_incomplete` where there is none; `archive_manifest_changed`,
 * `archive_of_another_run`, `archive_format`, `archive_key_wrong`, `archive_damaged`.
 */
export async function readManifest(reading: PartReading, expect: ExpectedArchive = {}): Promise<Manifest> {
  const { storage, folder, signal } = reading;
  const name = `${folder}/${manifestName}`;
  const stored = await storage.get(name, signal).catch((error: unknown) => {
    if (error instanceof BackupError && error.code === "storage_object_missing")
      throw incomplete(storage, folder, error);
    throw error;
  });
  const bytes = await collect(stored, mostStored);
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if (expect.manifestDigest !== undefined && digest !== expect.manifestDigest)
    throw new BackupError(
      "archive_manifest_changed",
      `the manifest in ${storage.place} is not the one that the run wrote (${digest} instead of ${expect.manifestDigest}): somebody changed it or put an older one back. Find out who can write there, and restore another run`,
    );
  const plain = await collect(decompressed("the manifest", reading, once(bytes)), mostPlain);
  const manifest = parse(plain);
  if (expect.run !== undefined && manifest.run.id !== expect.run)
    throw new BackupError(
      "archive_of_another_run",
      `the manifest in ${storage.place} is of run ${JSON.stringify(manifest.run.id)}, not of ${JSON.stringify(expect.run)}: somebody moved it. Restore the run that you want from its own folder`,
    );
  return manifest;
}

const incomplete = (storage: Storage, folder: string, cause: unknown) =>
  new BackupError(
    "archive_incomplete",
    `${storage.place} has no complete run under ${folder}: its manifest is missing, because the run failed, is not finished, or was deleted. Restore another run`,
    { cause },
  );

function parse(plain: Buffer): Manifest {
  let found: unknown;
  try {
    found = JSON.parse(plain.toString("utf8"));
  } catch (cause) {
    throw new BackupError("archive_format", "the manifest is not JSON: it was not written by Rowferry", { cause });
  }
  const { success, data, error } = manifestSchema.safeParse(found);
  if (!success) {
    const where = error.issues[0]?.path.join(".") ?? "";
    throw new BackupError(
      "archive_format",
      `the manifest has a field that this version does not know, at ${JSON.stringify(where.slice(0, 100))}: restore with the version of Rowferry that made the backup, or a newer one`,
    );
  }
  if (new Set(data.parts.map(({ name }) => name)).size !== data.parts.length)
    throw new BackupError("archive_format", "the manifest names a part twice: it was not written by Rowferry");
  return data;
}

async function collect(pieces: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > most)
      throw new BackupError(
        "archive_format",
        `the manifest is larger than ${most} bytes: it was not written by Rowferry`,
      );
    all.push(piece);
  }
  return Buffer.concat(all);
}

export const partsHolding = ({ parts }: Manifest, holds: ArchivePart["holds"]): ArchivePart[] =>
  parts.filter((part) => part.holds === holds);
