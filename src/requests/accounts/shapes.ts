import * as z from "zod";
import type { Account } from "../../resources/account.ts";
import { labels } from "../../resources/group.ts";
import { roleSchema, type Team } from "../../resources/team.ts";
import { type ApiToken, tokenScopes } from "../../resources/token.ts";
import { memberOf, personalTeamOf } from "../teams/membership.ts";
import { longest, shortest } from "./password.ts";

/** What the verbs of accounts, tokens and teams take and answer, field by field. */

/** What is one is for readEmail to find, with the fix: it takes domains in Unicode too. */
const email = z
  .string()
  .min(3)
  .max(254)
  .meta({ description: "E-mail address; upper and lower case are one.", format: "email" });
/** The bounds are of bytes, which a password check counts; characters are never more. */
const password = (what: string) => z.string().min(1).max(longest).describe(what);
const newPassword = password(`${shortest} to ${longest} bytes in UTF-8. It is not trimmed or shortened.`);

const time = (what: string) => z.iso.datetime().describe(what);
const id = (what: string) => z.string().min(1).max(63).describe(what);

/** As characters: other languages have other escapes. No control characters, nor those that turn the direction of text: a person or a model reads it in a list. */
const unseen = "\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069";
const spaces = " \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\ufeff";
const oneLine = `^[^${spaces}${unseen}]([^${unseen}]{0,98}[^${spaces}${unseen}])?$`;
const isOneLine = new RegExp(oneLine, "u");
export const title = z
  .string()
  .refine((text) => isOneLine.test(text), {
    error: "must be 1 to 100 characters on one line, without space around them",
  })
  .meta({ description: "1 to 100 characters on one line.", pattern: oneLine });

export const credentialsSchema = z.strictObject({ email, password: password("The current password.") });

export const signUpSchema = z.strictObject({ email, password: newPassword });

export const passwordChangeSchema = z.strictObject({
  password: password("The current password."),
  new_password: newPassword,
  revoke_tokens: z
    .boolean()
    .default(false)
    .describe(
      "Also revoke every API token of the account, including the token of this call. Use it if a token was stolen.",
    ),
});

export const accountSchema = z.object({
  id: id("Id of the account."),
  email: z.string(),
  plan: z.enum(["free", "pro"]).describe("The plan that is paid for."),
  acting_team: id("Id of the team whose resources calls see and change."),
  personal_team: id("Id of the team that was created at sign-up."),
  created_at: time("When the account was created."),
});

const scopes = z.array(z.enum(tokenScopes)).min(1).max(tokenScopes.length);

export const mintSchema = z.strictObject({
  name: title.describe("Name of the token: 1 to 100 characters on one line."),
  expires_at: z.iso
    .datetime({ offset: true })
    .describe("Expiry of the token. Default: none, the token is valid until you revoke it.")
    .exactOptional(),
  scopes: scopes
    .describe(
      "Allowed actions. `read`: see everything of the account. `write`: change everything but tokens, and connect to databases. `tokens`: create and revoke tokens. Default: everything.",
    )
    .exactOptional(),
});

export const tokenSchema = z.object({
  id: z.string().describe("The digits before the `|` of the token."),
  name: z.string().describe("Name of the token."),
  created_at: time("When the token was created."),
  expires_at: time("Expiry of the token; null: none.").nullable(),
  last_used_at: time("About when the token was last used; updated every few minutes. null: never.").nullable(),
  scopes: scopes.nullable().describe("Allowed actions; null: everything."),
});
export type ShownToken = z.output<typeof tokenSchema>;

export const teamSchema = z.object({
  id: id("Id of the team."),
  name: z.string().describe("The team's name."),
  role: roleSchema,
  acting: z.boolean().describe("`true`: the team is your acting team."),
  personal: z.boolean().describe("`true`: the team was created at your sign-up."),
  own: z
    .boolean()
    .describe("`true`: you created the team. `false`: an owner of the team invited you, and you can leave it."),
  members: z.int().min(1).describe("Number of members."),
  ready: z.boolean().describe("`true`: you can create migrations in the team. A new team is ready after a moment."),
  created_at: time("When the team was created."),
});
export type ShownTeam = z.output<typeof teamSchema>;

export const newTeamSchema = z.strictObject({
  name: title.describe("Name of the team: 1 to 100 characters on one line."),
});

export const newMemberSchema = z.strictObject({
  email: email.describe("E-mail address of an existing account."),
  role: roleSchema.default("member"),
});

export const memberSchema = z.object({
  account: id("Id of the account."),
  email: z.string().nullable().describe("E-mail address; null if the account was deleted."),
  role: roleSchema,
  accepted: z.boolean().describe("`false`: the invitation is open, and the account is not in the team yet."),
});
export type ShownMember = z.output<typeof memberSchema>;

export const invitationSchema = z.object({
  code: z.string().describe("Give it to the person. Shown once."),
  expires_at: time("Expiry of the code."),
});

export const acceptedSchema = z.strictObject({
  code: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .describe("The invitation's code, from an owner of the team."),
});

/** A list's query. */
export const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20).describe("Entries of a page, at most."),
  cursor: z.string().min(1).max(500).describe("`next_cursor` of the previous page.").exactOptional(),
});

/** What a verb that changes something returns. */
export const resultOf = <S extends z.ZodRawShape>(shape: S) =>
  z.object({ message: z.string().describe("The result, as a sentence."), ...shape });

export const listOf = <T extends z.ZodType>(element: T) =>
  z.object({
    data: z.array(element),
    next_cursor: z.string().nullable().describe("`cursor` of the next page; null on the last one."),
  });

const seconds = (timestamp: string | undefined): string => new Date(timestamp ?? "1970-01-01T00:00:00Z").toISOString();

export const shownAccount = (account: Account): z.output<typeof accountSchema> => ({
  id: account.metadata.name,
  email: account.spec.email,
  plan: account.spec.plan,
  acting_team: account.spec.actingTeam,
  personal_team: personalTeamOf(account),
  created_at: seconds(account.metadata.creationTimestamp),
});

/** An account, the value of the cookie of a session that was just opened, and of the device's. */
export interface SignedIn {
  account: z.output<typeof accountSchema>;
  cookie: string;
  device?: string;
}

export const shownToken = ({ metadata, spec, status }: ApiToken): ShownToken => ({
  id: metadata.name,
  name: spec.title,
  created_at: seconds(metadata.creationTimestamp),
  expires_at: spec.expiresAt ?? null,
  last_used_at: status?.lastUsedAt ?? null,
  scopes: spec.scopes ?? null,
});

/** Milliseconds by which clocks of two API servers differ at most. */
const clocksDiffer = 60_000;

/** By what stands in the team from its first moment on: the account's own note may be read a second late. Who had the address before is another. */
function isMadeBy({ metadata: team }: Team, { metadata: account }: Account): boolean {
  const [made, since] = [team, account].map(({ creationTimestamp }) => Date.parse(seconds(creationTimestamp)));
  return team.labels?.[labels.account] === account.name && (made ?? 0) + clocksDiffer >= (since ?? 0);
}

/** As a member of it sees it. */
export function shownTeam(team: Team, account: Account): ShownTeam {
  const { metadata, spec, status } = team;
  const personal = personalTeamOf(account) === metadata.name;
  return {
    id: metadata.name,
    name: spec.title,
    role: memberOf(team, account)?.role ?? "member",
    acting: account.spec.actingTeam === metadata.name,
    personal,
    own: personal || isMadeBy(team, account),
    members: spec.members.length,
    ready: status?.namespace !== undefined,
    created_at: seconds(metadata.creationTimestamp),
  };
}
