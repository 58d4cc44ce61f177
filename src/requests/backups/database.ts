import type { CheckedUrl } from "../../guard/check.ts";
import { signature } from "../keys.ts";

/** The same text for each way to write the same database, whatever the user, the password and TLS. */
export const databaseDigest = (secret: Uint8Array, { engine, host, port, database }: CheckedUrl["endpoint"]): string =>
  signature(secret, "database", engine, host.toLowerCase().replace(/\.$/, ""), String(port), database)
    .subarray(0, 16)
    .toString("base64url");
