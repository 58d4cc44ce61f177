import type { PriceList } from "../billing/prices.ts";
import type { ProPrice } from "../billing/pro.ts";
import type { Payments } from "../billing/stripe.ts";
import type { Subscriptions } from "../billing/stripe-subscriptions.ts";
import type { Client, Informer, ReportBucket } from "../cluster/index.ts";
import type { SealingKey } from "../guard/envelope.ts";
import type { GuardPolicy } from "../guard/policy.ts";
import type { Account } from "../resources/account.ts";
import type { Migration } from "../resources/migration.ts";
import type { Kind } from "../resources/objects.ts";
import type { Role, Team } from "../resources/team.ts";
import type { ApiToken, TokenScope } from "../resources/token.ts";
import type { Ceilings } from "./ceilings.ts";
import type { Groups } from "./groups.ts";
import type { MigrationOrder } from "./migrations/view/order.ts";
import type { Oidc } from "./oidc/provider.ts";
import type { Prober } from "./prober.ts";

/** What the verbs need of the outside, passed in: a test gives its own. */
export interface World {
  client: Client;
  /** Filled by list and watch; a moment behind, so that they say what there is and not who may do what. Trimmed: see src/main/api/caches.ts. */
  caches: {
    migrations: Informer<Migration>;
    /** Of `migrations`, and in step with it, as the groups are with theirs. */
    order: MigrationOrder;
    teams: Informer<Team>;
    teamsByMember: Groups<Team>;
    accounts: Informer<Account>;
    tokens: Informer<ApiToken>;
    tokensByAccount: Groups<ApiToken>;
  };
  /** As it was a second ago at most: from the caches where they are known to be that new, else live. */
  fresh: {
    account(name: string): Promise<Account | undefined>;
    team(name: string): Promise<Team | undefined>;
    token(digits: string): Promise<ApiToken | undefined>;
    /** As far as it is shown, from the cache alone: undefined where that is not known to be new enough, or does not have it. */
    migration(namespace: string, name: string): Promise<Migration | undefined>;
    /** Resolves when no replica acts any more on what was before this version of an object of the kind. Undefined: it is gone, and not by us. */
    everywhere(
      kind: Kind<Account> | Kind<Team> | Kind<ApiToken> | Kind<Migration>,
      resourceVersion: string | undefined,
    ): Promise<void>;
    /** What a look found, of which all was read so shortly after each other that it holds at the same time. Throws Problem `unavailable`. */
    inOnePass<T>(look: () => Promise<T>): Promise<T>;
    /** Begins a look; the answer tells whether all that was read since then still holds. */
    look(): () => boolean;
  };
  /** Absent: there are none. */
  ceilings?: Ceilings;
  /** Where reports are kept; absent: in ConfigMaps alone. */
  reports?: ReportBucket;
  prober: Prober;
  /** Absent: nothing is charged. */
  billing?: Billing;
  /** Absent: nobody signs in by OpenID Connect. */
  oidc?: Oidc;
  /** To seal URLs to; read anew, since it may be renewed. */
  sealingKey(): Promise<SealingKey>;
  /** 32 bytes, the same on every replica: HMAC keys are derived from it by purpose. */
  secret: Uint8Array;
  now(): Date;
  randomBytes(count: number): Uint8Array;
  /** Resolves after so many milliseconds. */
  pause(milliseconds: number): Promise<void>;
  settings: ApiSettings;
}

export interface Billing {
  prices: PriceList;
  payments: Payments;
  subscriptions: Subscriptions;
  /** Price of a subscription; absent: the installation has no plan Pro. */
  pro?: ProPrice;
  /** Migrations that await payment, of one account. */
  mostUnpaid: number;
  /** Tells this installation's checkouts from another's of the same Stripe account. Rejects with ClusterError. */
  installation: () => Promise<string>;
}

export interface ApiSettings {
  /** Whether a stranger may sign up. */
  signUp: boolean;
  /** Whether a token may create and revoke tokens; otherwise only a session may. */
  tokensByToken: boolean;
  /** The installation's namespace, where the Secrets of passwords are. */
  namespace: string;
  /** Without a slash at the end. */
  baseUrl: string;
  currency: string;
  /** Whether the installation takes backups. */
  backups: boolean;
  /** Which addresses a URL may name. */
  guard: GuardPolicy;
}

/** Whose call it is, as the token or the session told: checked anew for each call. */
export interface Identity {
  account: Account;
  /** The digits of the token that was shown. */
  token?: string;
  /** Of this token; absent: it may do everything. */
  scopes?: readonly TokenScope[];
  /** When this token ends, if it does. */
  tokenEnds?: Date;
  /** The session that was shown; either this or a token is there. */
  session?: { id: string; expiresAt: Date };
}

/** Who calls and for which team. */
export interface Caller extends Identity {
  /** The acting team: what the call sees and changes. */
  team: Team;
  role: Role;
}
