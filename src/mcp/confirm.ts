import { createHash } from "node:crypto";
import * as z from "zod";

/**
 * What cannot be undone is shown before it is done. The preview has a digest of what it would meet; a call with `confirm` that passes it is
 * refused where that has changed.
 */
export const confirmation = {
  confirm: z
    .boolean()
    .default(false)
    .describe("Leave out to preview. true acts: only after the user agreed to the preview."),
  digest: z
    .string()
    .regex(/^[0-9a-f]{16}$/, {
      error: "is not one that a preview returns (16 characters, 0-9 and a-f): call without confirm to get one",
    })
    .describe("The preview's digest: then a state that changed since is refused.")
    .exactOptional(),
};

/** Of what decides on the effect, not of what moves by itself, such as progress. */
export const effectDigest = (...parts: readonly (string | number | boolean | null)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
