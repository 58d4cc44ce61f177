import { kinds } from "../../cluster/index.ts";
import { type Account, mostEndedSessions } from "../../resources/account.ts";
import { Problem } from "../errors.ts";
import { change } from "../update-with-retry.ts";
import type { Identity, World } from "../world.ts";

/** The account without one of its sessions. When it has signed out too often in a week, all of them end. */
export function withoutSession(account: Account, session: { id: string; expiresAt: Date }, now: Date): Account {
  const { generation, ended } = account.spec.sessions ?? { generation: 0, ended: [] };
  const still = ended.filter((one) => Date.parse(one.until) > now.getTime() && one.id !== session.id);
  const sessions =
    still.length < mostEndedSessions
      ? { generation, ended: [...still, { id: session.id, until: session.expiresAt.toISOString() }] }
      : { generation: generation + 1, ended: [] };
  return { ...account, spec: { ...account.spec, sessions } };
}

/** Ends the session that calls. Once it has answered, no replica takes its cookie. Throws Problem `state_conflict` for a token. */
export async function signOut(world: World, identity: Identity): Promise<void> {
  const { session } = identity;
  if (session === undefined)
    throw new Problem("state_conflict", "A token has no session to end; DELETE /api/tokens/{id} revokes a token.");
  const account = await change(world, kinds.accounts, "", identity.account.metadata.name, (found) =>
    found.metadata.uid === identity.account.metadata.uid ? withoutSession(found, session, world.now()) : undefined,
  );
  await world.fresh.everywhere(kinds.accounts, account?.metadata.resourceVersion);
}
