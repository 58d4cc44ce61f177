import { workOff } from "../engine/run/pool.ts";
import { checkBytes, type Marks } from "./checked-bytes.ts";
import { BackupError, type CheckRequest } from "./contract.ts";
import { openIdentities } from "./encryption/age.ts";
import { readManifest } from "./manifest.ts";
import type { Manifest } from "./manifest-schema.ts";
import { checkName } from "./names.ts";
import type { CheckedReading, PartReading } from "./parts.ts";

/** Whether an archive is as its run wrote it: every part's size, then every part's bytes. Nothing is decrypted but the manifest. */

const readers = 2;

/** Errors: those of manifest.ts, `archive_part_missing`, `archive_part_changed`. */
export async function checkArchive(
  request: Omit<CheckRequest, "progress" | "clock" | "log">,
  read: (bytes: number) => void = () => undefined,
): Promise<{ manifest: Manifest; reading: CheckedReading }> {
  const { storage, signal, identities, expect } = request;
  const folder = checkName(request.folder);
  const reading: PartReading = { storage, folder, identities: openIdentities(identities), signal };
  const manifest = await readManifest(reading, expect);
  const sizes = new Map<string, number>();
  for await (const { name, size } of storage.list(`${folder}/`, signal)) sizes.set(name, size);
  for (const { name, size } of manifest.parts) {
    const found = sizes.get(`${folder}/${name}`);
    if (found === undefined)
      throw new BackupError(
        "archive_part_missing",
        `part ${name} is not in ${storage.place} under ${folder}: it was deleted after the backup. Restore another run`,
      );
    if (found !== size)
      throw new BackupError(
        "archive_part_changed",
        `part ${name} was changed after the backup: it has ${found} bytes, and the manifest names ${size}. Restore another run`,
      );
  }
  const marks = new Map<string, Marks>();
  const tasks = manifest.parts.map((part) => ({
    weight: part.size,
    run: async () => {
      const stored = await storage.get(`${folder}/${part.name}`, signal);
      marks.set(part.name, await checkBytes(part, stored, read));
      return [];
    },
  }));
  await workOff(Array.from({ length: readers }), tasks);
  return { manifest, reading: { ...reading, marks } };
}
