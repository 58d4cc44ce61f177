import * as z from "zod";
import type { Resource } from "./metadata.ts";
import { conditions, listBy, rules } from "./schema.ts";

/**
 * The Team kind (cluster-wide): people who share Migrations. The operator makes its namespace, `rowferry-<name>`, with a quota and
 * with the API's rights in it. The API writes the spec.
 */

export const roleSchema = z
  .enum(["owner", "member"])
  .describe("An owner adds and removes members; both may do everything else.");
export type Role = z.infer<typeof roleSchema>;

export const mostMembers = 200;
export const mostInvitations = 50;
/** In place of a uid: a member that no account is, whatever its name. */
export const nobody = "none";

export const teamSpecSchema = z.object({
  title: z.string().min(1).max(100).describe("The team's name."),
  members: z
    .array(
      z.object({
        account: z.string().min(1).max(63).describe("Name of the Account."),
        uid: z
          .string()
          .min(1)
          .max(63)
          .optional()
          .describe(
            "The Account's metadata.uid: one that is made later under this name is not the member. Without it, whichever Account has the name.",
          ),
        role: roleSchema,
      }),
    )
    .min(1)
    .max(mostMembers)
    .describe("Members of the team; at least one owner.")
    .meta({
      ...listBy("account"),
      ...rules(["self.exists(one, one.role == 'owner')", "a team has at least one owner: name one of its members"]),
    }),
  invitations: z
    .array(
      z.object({
        account: z.string().min(1).max(63).describe("Name of the Account that is invited."),
        uid: z.string().min(1).max(63).describe("The Account's metadata.uid."),
        role: roleSchema,
        codeHash: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .describe("SHA-256 of the code that the invited person needs, in hexadecimal digits."),
        expiresAt: z.iso.datetime().describe("From when on the code is refused."),
        by: z
          .object({
            account: z.string().min(1).max(63).describe("Its name."),
            uid: z.string().min(1).max(63).describe("Its metadata.uid."),
          })
          .optional()
          .describe("The Account that invited: the code is refused once that is no owner of the team any more."),
      }),
    )
    .max(mostInvitations)
    .optional()
    .describe("Accounts that become members once they accept with their code.")
    .meta(listBy("account")),
});

export const teamStatusSchema = z.object({
  observedGeneration: z.int().min(0).optional().describe("metadata.generation of the spec that this speaks of."),
  namespace: z.string().max(63).optional().describe("Its namespace, once it is there with quota and rights."),
  conditions: conditions("Ready, with a named reason.", 8),
});

/** A Team's name is at most this long, so that its namespace's name fits. */
const longestTeamName = 50;
export const namespaceOf = (team: string): string => `rowferry-${team}`;

/** Name of the Team whose namespace is called so, if there is one. */
export function teamOf(namespace: string): string | undefined {
  const prefix = namespaceOf("");
  return namespace.startsWith(prefix) ? namespace.slice(prefix.length) : undefined;
}

/** Rules on the whole object, where its name is seen. */
export const teamRules = [
  {
    rule: `self.metadata.name.size() <= ${longestTeamName} && !self.metadata.name.contains('.')`,
    message: `a Team's name is part of its namespace's: at most ${longestTeamName} lower-case letters, digits and hyphens`,
  },
];

export type Team = Resource<z.output<typeof teamSpecSchema>, z.output<typeof teamStatusSchema>>;
