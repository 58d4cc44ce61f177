import type { Migration } from "../../resources/migration.ts";
import { Problem } from "../errors.ts";

/** Bytes of the object's JSON before it has a status, so that it stays under 32 KB with one. */
const largest = 16_384;

/** Throws Problem `invalid`. */
export function refuseTooLong(object: { metadata: object; spec: Migration["spec"] }): void {
  if (Buffer.byteLength(JSON.stringify(object)) <= largest) return;
  throw new Problem("invalid", "URLs and options are too long: together at most about 16 KB.", {
    errors: [{ field: "options", message: "is too long: name patterns instead of single tables, and one CA each" }],
  });
}
