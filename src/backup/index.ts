/**
 * Backups of a database in a storage: taken, checked, restored, removed. Nothing here knows Kubernetes; contract.ts has the types.
 */
export { checkArchive } from "./check.ts";
export { generateKey, recipientOf } from "./encryption/age.ts";
export { restoreBackup } from "./restore.ts";
export { storageOf } from "./storage/index.ts";
export { removeRun, takeBackup } from "./take.ts";
