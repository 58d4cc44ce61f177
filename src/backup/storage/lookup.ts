import { isIP, type LookupFunction } from "node:net";
import { judgeAddress } from "../../guard/policy.ts";
import { addressRefused, resolveHost } from "../../guard/resolve.ts";
import { BackupError, type StorageGuard } from "../contract.ts";

/** A storage's endpoint as untrusted input: each dial resolves its name once, and every answer must be allowed. */

export const guardedLookup =
  (guard: StorageGuard): LookupFunction =>
  (host, { all }, done) => {
    resolveHost(host, guard).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (all) done(null, found);
        else done(null, first?.address ?? "", first?.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ""),
    );
  };

/** An address in the URL itself is dialled without a lookup. Errors: `storage_address_refused`. */
export function refuseStorageAddress(hostname: string, guard: StorageGuard): void {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) === 0 || judgeAddress(host, guard).allowed) return;
  throw new BackupError("storage_address_refused", addressRefused("the storage's endpoint"));
}
