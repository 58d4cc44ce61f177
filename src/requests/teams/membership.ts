import { createHash } from "node:crypto";
import type { Account } from "../../resources/account.ts";
import type { Role, Team } from "../../resources/team.ts";

/** Who an account is in a team, and which team is its own. */

export type Member = Team["spec"]["members"][number];

/**
 * Whether a member is this very account: the uid tells it from who had the address before. One without a uid, as kubectl and earlier versions
 * write it, is the account of its name; before an address signs up anew, those of its name are bound to nobody.
 */
export const isMember = (member: Member, { metadata }: Pick<Account, "metadata">): boolean =>
  member.account === metadata.name && (member.uid === undefined || member.uid === metadata.uid);

export const memberOf = ({ spec }: Team, account: Account): Member | undefined =>
  spec.members.find((member) => isMember(member, account));

export const asMember = ({ metadata }: Account, role: Role): Member => ({
  account: metadata.name,
  ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
  role,
});

export const newTeamName = (randomBytes: (count: number) => Uint8Array): string =>
  `t${Buffer.from(randomBytes(10)).toString("hex")}`;

/** Of the team that was made at sign-up. Of an account of an earlier version, or that kubectl made, it follows from the name. */
export const personalTeamOf = ({ metadata, spec }: Account): string =>
  spec.personalTeam ?? `t${createHash("sha256").update(`personal:${metadata.name}`).digest("hex").slice(0, 20)}`;
