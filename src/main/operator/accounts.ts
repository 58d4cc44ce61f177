import { type AccountController, createAccountController } from "../../../controllers/account/controller.ts";
import { subscribersFirst } from "../../../controllers/payment/first.ts";
import type { Queue } from "../../../controllers/runtime/queue.ts";
import type { Subscriptions } from "../../billing/stripe-subscriptions.ts";
import { type Client, type Connection, type Informer, noInformer, startInformer } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import { kinds } from "../../resources/objects.ts";
import { paymentHint } from "../../resources/payment.ts";
import { present } from "../../resources/present.ts";

/**
 * The Accounts' part of the operator: what starts a pass, and one leader's term of passes. They are objects of the cluster: an operator
 * that works in some namespaces alone has none.
 */
interface Accounts {
  caches: Record<string, Informer<Account>>;
  /** Looks at every Account that has a customer once, then at each that changes, until the queue is closed. */
  lead(term: {
    client: Client;
    leads: () => boolean;
    /** Its own, so that many accounts never delay a Migration. */
    queue: Queue;
    subscriptions: Subscriptions;
    /** Milliseconds. */
    pastDue: number;
    now: () => Date;
    loop: (reconcile: AccountController["reconcile"]) => Promise<void>;
  }): Promise<void>;
}

export function watchAccounts(
  connection: Connection,
  common: { namespaces: string[]; resync: number; now: () => number; random: () => number; signal: AbortSignal },
  problem: (what: string) => (error: unknown) => void,
): Accounts {
  let queue: Queue | undefined;
  const tell = (account: Account | undefined) => {
    if (account?.spec.billing !== undefined) queue?.add(account.metadata.name);
  };
  const watch = () =>
    startInformer<Account>(connection, {
      ...common,
      kind: kinds.accounts,
      trim,
      changed: (before, after) => tell(after ?? before),
      problem: problem("watching Accounts"),
    });
  const isWatched = common.namespaces.length === 0;
  const cache = isWatched ? watch() : noInformer<Account>(common.now);
  return {
    caches: isWatched ? { accounts: cache } : {},
    async lead({ queue: own, loop, ...options }) {
      const controller = createAccountController({ ...options, accounts: cache });
      queue = own;
      for (const account of subscribersFirst(cache.all())) tell(account);
      await loop(controller.reconcile);
      queue = undefined;
    },
  };
}

/** Sessions, teams and the e-mail address are not read here. */
function trim({ metadata, spec, status }: Account): Account {
  const { name, uid, resourceVersion, generation, deletionTimestamp, annotations } = metadata;
  const hint = annotations?.[paymentHint];
  const hinted = hint === undefined ? undefined : { [paymentHint]: hint };
  return {
    metadata: present({ name, uid, resourceVersion, generation, deletionTimestamp, annotations: hinted }),
    spec: { email: "", plan: spec.plan, actingTeam: "", ...present({ billing: spec.billing }) },
    ...present({ status }),
  };
}
