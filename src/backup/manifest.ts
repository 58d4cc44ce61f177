import { createHash } from "node:crypto";
import * as z from "zod";
import { type ArchivePart, BackupError, type ExpectedArchive, type Manifest, type Storage } from "./contract.ts";
import { isPartName, manifestName } from "./names.ts";
import { decompressed, type PartReading, type Writing, writePart } from "./parts.ts";
import { once } from "./streams.ts";

/** The manifest of a run: written last, read first. It is untrusted input: whoever can write to the storage can make one. */

const text = z.string().max(100_000);
const count = z.int().nonnegative();
const schema = z.strictObject({
  format: z.literal("rowferry-backup/1"),
  run: z.strictObject({ id: text, schedule: text.optional(), slot: text.optional() }),
  engine: z.enum(["postgres", "mysql"]),
  source: z.strictObject({ product: text, version: text, database: text }),
  tools: z.record(text, text),
  startedAt: text,
  finishedAt: text,
  position: z.strictObject({
    connections: count,
    binlog: z.strictObject({ file: text, offset: count }).optional(),
    gtid: text.optional(),
    lsn: text.optional(),
    transactions: text.optional(),
  }),
  parts: z
    .array(
      z.strictObject({
        name: z.string().refine(isPartName),
        size: count,
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        plain: count,
        holds: z.enum(["dump", "schema", "rows", "finish"]),
        table: text.optional(),
        longest: count.optional(),
        rows: count.optional(),
        tolerated: z.strictObject({ warnings: count, columns: z.array(text) }).optional(),
      }),
    )
    .min(1),
  tables: z.array(
    z.strictObject({
      name: text,
      rows: count,
      checksum: z.strictObject({ sum: z.string().regex(/^[0-9a-f]{16}$/), form: text }).optional(),
    }),
  ),
  checksums: z.strictObject({ hash: z.enum(["md5", "sha256"]), encoding: text }).optional(),
  inventory: z.array(z.strictObject({ kind: text, name: text })),
  warnings: z.array(text),
});

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
  const { success, data, error } = schema.safeParse(found);
  if (!success) {
    const where = error.issues[0]?.path.join(".") ?? "";
    throw new BackupError(
      "archive_format",
      `the manifest has a field that this version does not know, at ${JSON.stringify(where.slice(0, 100))}: restore with the version of Rowferry that made the backup, or a newer one`,
    );
  }
  if (new Set(data.parts.map(({ name }) => name)).size !== data.parts.length)
    throw new BackupError("archive_format", "the manifest names a part twice: it was not written by Rowferry");
  return data as Manifest;
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
