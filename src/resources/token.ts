import * as z from "zod";
import type { Resource } from "./metadata.ts";
import { rules } from "./schema.ts";

/**
 * The ApiToken kind (cluster-wide): its name is the digits before the `|` of the token; the rest is kept as a hash alone.
 * The label `rowferry.dev/account` names the owner too, so that a person's tokens can be listed. It stands in no aggregated role.
 */
export const tokenScopes = ["read", "write", "tokens"] as const;
export type TokenScope = (typeof tokenScopes)[number];

export const tokenSpecSchema = z
  .object({
    account: z.string().min(1).max(63).describe("Name of the owner's Account."),
    title: z.string().min(1).max(100).describe("The owner's name for it."),
    hash: z
      .string()
      .length(64)
      .regex(/^[0-9a-f]*$/)
      .describe("SHA-256, in hex, of the complete token."),
    expiresAt: z.iso.datetime().optional().describe("It is refused from then on."),
    scopes: z
      .array(z.enum(tokenScopes))
      .min(1)
      .max(tokenScopes.length)
      .optional()
      .describe("Allowed actions: see, change, create and revoke tokens. Absent: everything."),
  })
  .meta(
    rules(
      [
        "self.account == oldSelf.account && self.hash == oldSelf.hash",
        "a token's account and hash cannot be changed: delete it and make another one",
      ],
      [
        "has(self.scopes) == has(oldSelf.scopes) && (!has(self.scopes) || self.scopes == oldSelf.scopes)",
        "a token's scopes cannot be changed: delete it and make another one",
      ],
    ),
  );

export const tokenStatusSchema = z.object({
  lastUsedAt: z.iso.datetime().optional().describe("About when it was used last; written every few minutes at most."),
});

export type ApiToken = Resource<z.output<typeof tokenSpecSchema>, z.output<typeof tokenStatusSchema>>;
