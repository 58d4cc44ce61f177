import { createHash } from "node:crypto";
import * as z from "zod";
import { kinds } from "../../cluster/index.ts";
import { type Account, mostIdentities } from "../../resources/account.ts";
import { replacePassword, storedPassword } from "../accounts/password-store.ts";
import { asJson } from "../as-json.ts";
import { Problem } from "../errors.ts";
import { change } from "../update-with-retry.ts";
import type { Identity, World } from "../world.ts";

/**
 * Which account an identity at an issuer signs in to. An entry in the Secrets of passwords leads from the identity to the account, and the account
 * lists the identity: only both together are a link. So an identity has one account at most, and who removes it from the account ends the link.
 */
interface Subject {
  issuer: string;
  subject: string;
}

const entrySchema = z.strictObject({ account: z.string(), uid: z.string() });

/** Of the entry: `o` and 40 hex digits. */
function nameOf({ issuer, subject }: Subject): string {
  const one = JSON.stringify([issuer, subject]);
  return `o${createHash("sha256").update(one).digest("hex").slice(0, 40)}`;
}

/** Whether the account lists it. */
export const lists = ({ spec }: Account, { issuer, subject }: Subject): boolean =>
  spec.identities?.some((one) => one.issuer === issuer && one.subject === subject) === true;

export const asIdentity = ({ issuer, subject }: Subject, now: Date) => ({
  issuer,
  subject,
  linkedAt: now.toISOString(),
});

async function look(world: World, subject: Subject): Promise<{ stored: string | undefined; account?: Account }> {
  const stored = await storedPassword(world, nameOf(subject));
  const entry = entrySchema.safeParse(asJson(stored ?? ""));
  if (!entry.success) return { stored };
  const account = await world.client.get(kinds.accounts, "", entry.data.account);
  const holds = account?.metadata.uid === entry.data.uid && lists(account, subject);
  return holds && account.metadata.deletionTimestamp === undefined ? { stored, account } : { stored };
}

/** The account of an identity, read live. */
export const linkedAccount = async (world: World, subject: Subject): Promise<Account | undefined> =>
  (await look(world, subject)).account;

/** Leads an identity to an account that lists it. Throws Problem `state_conflict` where it leads to another that does. */
export async function leadTo(world: World, subject: Subject, account: Account): Promise<void> {
  const { name, uid = "" } = account.metadata;
  const found = await look(world, subject);
  if (found.account?.metadata.uid === uid) return;
  const taken = new Problem("state_conflict", "This identity is linked to another account: unlink it there first.");
  if (found.account !== undefined) throw taken;
  if (!(await replacePassword(world, nameOf(subject), found.stored, JSON.stringify({ account: name, uid }))))
    throw taken;
}

/** Adds an identity to an account. Throws Problem `state_conflict` where another account has it, and `limit_reached`. */
export async function link(world: World, subject: Subject, account: Account): Promise<Account> {
  const { name, uid } = account.metadata;
  await leadTo(world, subject, account);
  const linked = await change(world, kinds.accounts, "", name, (found) => {
    if (found.metadata.uid !== uid || lists(found, subject)) return undefined;
    const others = found.spec.identities ?? [];
    if (others.some(({ issuer }) => issuer === subject.issuer))
      throw new Problem(
        "state_conflict",
        "Another identity at this issuer is linked to your account: unlink it first.",
      );
    if (others.length >= mostIdentities)
      throw new Problem("limit_reached", `An account has at most ${mostIdentities} identities: unlink one first.`);
    return { ...found, spec: { ...found.spec, identities: [...others, asIdentity(subject, world.now())] } };
  });
  if (linked === undefined || linked.metadata.uid !== uid)
    throw new Problem("not_found", "The account is no longer there.");
  return linked;
}

/**
 * Removes every identity from the account of the session that calls. Throws Problem `session_required`, and `state_conflict` for an account without
 * a password, which nobody could sign in to any more.
 */
export async function unlink(world: World, { account, session }: Identity): Promise<void> {
  const { name, uid } = account.metadata;
  if (session === undefined)
    throw new Problem("session_required", "Only a session unlinks identities: sign in with POST /api/session.");
  if (world.oidc?.only)
    throw new Problem("state_conflict", "OpenID Connect is the only way to sign in here: the identity stays.");
  if ((await storedPassword(world, name)) === undefined)
    throw new Problem("state_conflict", "Your account has no password; ask your administrator to set one first.");
  await change(world, kinds.accounts, "", name, (found) => {
    const { identities, ...spec } = found.spec;
    return found.metadata.uid === uid && identities !== undefined ? { ...found, spec } : undefined;
  });
}
