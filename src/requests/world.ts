import type { Client, Informer } from "../cluster/index.ts";
import type { GuardPolicy } from "../guard/policy.ts";
import type { PublicKey } from "../guard/seal.ts";
import type { Account } from "../resources/account.ts";
import type { Migration } from "../resources/migration.ts";
import type { Role, Team } from "../resources/team.ts";
import type { ApiToken } from "../resources/token.ts";
import type { MigrationOrder } from "./migrations/order.ts";
import type { Prober } from "./prober.ts";

/** What the verbs need of the outside, passed in: a test gives its own. */
export interface World {
  client: Client;
  /** Filled by list and watch; a moment behind. `order` is of `migrations`, and in step with it. */
  caches: { migrations: Informer<Migration>; order: MigrationOrder; teams: Informer<Team> };
  /** Live, but for a second: so long an object that was read is believed. */
  fresh: {
    account(name: string): Promise<Account | undefined>;
    team(name: string): Promise<Team | undefined>;
    token(digits: string): Promise<ApiToken | undefined>;
    /** Milliseconds after which no replica believes what it read before. */
    believed: number;
  };
  prober: Prober;
  /** To seal URLs to; read anew, since it may be renewed. */
  sealingKey(): Promise<PublicKey>;
  /** 32 bytes, the same on every replica: HMAC keys are derived from it by purpose. */
  secret: Uint8Array;
  now(): Date;
  randomBytes(count: number): Uint8Array;
  /** Resolves after so many milliseconds. */
  pause(milliseconds: number): Promise<void>;
  settings: Settings;
}

export interface Settings {
  /** Whether a stranger may sign up. */
  signUp: boolean;
  /** The installation's namespace, where the Secrets of passwords are. */
  namespace: string;
  /** Without a slash at the end. */
  baseUrl: string;
  currency: string;
  /** Which addresses a URL may name. */
  guard: GuardPolicy;
}

/** Whose call it is, as the token or the session told: checked anew for each call. */
export interface Identity {
  account: Account;
  /** The digits of the token that was shown. */
  token?: string;
  /** The session that was shown; either this or a token is there. */
  session?: { id: string; expiresAt: Date };
}

/** Who calls and for which team. */
export interface Caller extends Identity {
  /** The acting team: what the call sees and changes. */
  team: Team;
  role: Role;
}
