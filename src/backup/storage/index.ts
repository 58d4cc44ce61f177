import { isAbsolute } from "node:path";
import {
  BackupError,
  type Storage,
  type StorageCredentials,
  type StorageGuard,
  type StorageSpec,
} from "../contract.ts";
import { openFolder } from "./folder.ts";
import { openBucket } from "./s3.ts";

/** Opens a storage; nothing is dialled yet. Errors: `storage_invalid`, `storage_address_refused`. */
export function storageOf(spec: StorageSpec, credentials?: StorageCredentials, guard?: StorageGuard): Storage {
  if ("folder" in spec) {
    if (isAbsolute(spec.folder)) return openFolder(spec.folder, spec.place);
    throw new BackupError("storage_invalid", `the folder ${JSON.stringify(spec.folder)} is not an absolute path`);
  }
  if (credentials !== undefined) return openBucket(spec.bucket, credentials, guard);
  throw new BackupError(
    "storage_invalid",
    "a bucket needs an access key and a secret key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  );
}
