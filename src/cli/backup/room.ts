import zlib from "node:zlib";
import { UsageError } from "../exit.ts";

/** src/backup, as the command line uses it. It is loaded for these commands alone: the client of S3 takes time and memory. */
export type BackupModule = Pick<
  typeof import("../../backup/index.ts"),
  "takeBackup" | "restoreBackup" | "storageOf" | "generateKey" | "recipientOf"
>;

/** Errors: UsageError where this Node cannot compress. */
export async function openBackups({ backups }: { backups(): Promise<BackupModule> }): Promise<BackupModule> {
  if (!("createZstdCompress" in zlib))
    throw new UsageError(
      `backups need Node 22.15 or newer, which has zstd, and this is ${process.versions.node}: see https://nodejs.org`,
    );
  return backups();
}
