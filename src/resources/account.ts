import * as z from "zod";
import { conditionSchema } from "./conditions.ts";
import type { Resource } from "./metadata.ts";

/** More would make the object large; whoever signs out more often ends every session with the next. */
export const mostEndedSessions = 20;
/** Each is a namespace. */
export const mostOwnTeams = 20;
/** One for each issuer that the installation had. */
export const mostIdentities = 5;

const plan = z.enum(["free", "pro"]);

/**
 * The Account kind (cluster-wide): a person, named by a hash of the e-mail address, which makes an address unique. The password's hash
 * is in a Secret of the installation's namespace. The API writes it; it stands in no aggregated role.
 */
export const accountSpecSchema = z.object({
  email: z.string().min(3).max(254).describe("As the person wrote it; its hash, of the lower-case form, is the name."),
  plan: plan
    .default("free")
    .describe(
      "The plan that is paid for. If the account has had a subscription, the operator writes it as Stripe reports it.",
    ),
  billing: z
    .object({
      customer: z.string().min(1).max(255).describe("The id of the account's customer at Stripe."),
      askedAt: z.iso
        .datetime()
        .optional()
        .describe("When a link to Stripe was last returned. The operator asks Stripe more often after it."),
    })
    .optional()
    .describe("The account at Stripe; written by the API. Without it the operator leaves `plan` as it is."),
  freeMigration: z
    .object({
      namespace: z.string().min(1).max(63).describe("Where the Migration is."),
      name: z.string().min(1).max(253).describe("Its name."),
      at: z.iso.datetime().describe("When it was reserved."),
      uid: z.string().max(64).optional().describe("The Migration's, once the operator has let it start."),
      used: z.boolean().optional().describe("It was completed: the account has no other free one, ever."),
    })
    .optional()
    .describe(
      "The account's free first migration: one at a time has it, by compare-and-swap; a deletion before completion gives it back.",
    ),
  actingTeam: z.string().min(1).max(63).describe("Name of the Team whose resources the person's calls see and change."),
  personalTeam: z.string().min(1).max(63).optional().describe("Name of the Team that was made for this Account."),
  madeTeams: z
    .array(
      z.object({
        name: z.string().min(1).max(63).describe("Name of the Team."),
        at: z.iso.datetime().describe("When it was started."),
      }),
    )
    .max(mostOwnTeams)
    .optional()
    .describe("Teams that the person made; written before each is, so that many at once are no more than allowed."),
  openToSignUp: z
    .boolean()
    .optional()
    .describe(
      "Whether the next sign-up with this address sets the password and has the account. Without it, only an administrator can set the first password.",
    ),
  identities: z
    .array(
      z.object({
        issuer: z.string().min(1).max(500).describe("The issuer's URL."),
        subject: z.string().min(1).max(255).describe("The person's id there: `sub` of the ID token."),
        linkedAt: z.iso.datetime().describe("When it was linked."),
      }),
    )
    .max(mostIdentities)
    .optional()
    .describe("Identities at OpenID Connect issuers that sign in to the account. Remove one to unlink it."),
  sessions: z
    .object({
      generation: z.int().min(0).describe("Session generation. Raising it ends all sessions."),
      ended: z
        .array(z.object({ id: z.string().max(40), until: z.iso.datetime().describe("It ends then by itself.") }))
        .max(mostEndedSessions)
        .describe("Sessions of this generation that were signed out."),
    })
    .optional()
    .describe("Which sessions ended before their time."),
});

/** Type of an Account's condition: whether `spec.plan` follows what Stripe says. */
export const planFollowsStripe = "PlanFollowsStripe";

export const accountStatusSchema = z.object({
  billing: z
    .object({
      customer: z.string().max(255).describe("The customer that it is about."),
      plan: plan.optional().describe("The plan that the subscription means. Absent: there has never been one."),
      subscription: z.string().max(255).optional().describe("The id of the subscription at Stripe."),
      state: z.string().max(32).optional().describe("Its status at Stripe, such as `active` or `past_due`."),
      until: z.iso
        .datetime()
        .optional()
        .describe("When Pro ends if Stripe reports nothing else: the subscription was canceled or is past due."),
      changedAt: z.iso.datetime().describe("When the subscription or its status last changed."),
      lookedAt: z.iso.datetime().describe("Time of the last request to Stripe."),
      hint: z.string().max(255).optional().describe("The last of Stripe's events that was followed up."),
    })
    .optional()
    .describe("The account's subscription, as Stripe last reported it."),
  conditions: z.array(conditionSchema).max(5).optional().describe(`One type: ${planFollowsStripe}.`),
});
export type AccountStatus = z.output<typeof accountStatusSchema>;

export type Account = Resource<z.output<typeof accountSpecSchema>, AccountStatus>;
