import { isDeepStrictEqual } from "node:util";
import { PaymentsError } from "../../src/billing/stripe-client.ts";
import type { Subscriptions } from "../../src/billing/stripe-subscriptions.ts";
import { assertLeads, type Client, type Informer, kinds } from "../../src/cluster/index.ts";
import type { Account, AccountStatus } from "../../src/resources/account.ts";
import { paymentHint } from "../../src/resources/payment.ts";
import { type Passed, unlessOutdated } from "../runtime/loop.ts";
import { decide, deniedAccount, type Observed } from "./decide.ts";

/** The effects of an Account's subscription: asks Stripe, then writes the plan and the status that `decide` returns. */
export interface AccountController {
  /** One pass over the Account of this name. */
  reconcile(name: string): Promise<Passed>;
}

interface AccountControllerOptions {
  /** Its requests must end when the leader's term does. */
  client: Client;
  /** True only while this process is the leader; checked before every write. */
  leads: () => boolean;
  subscriptions: Subscriptions;
  accounts: Informer<Account>;
  /** Milliseconds that a subscription counts as Pro after its renewal was not paid. */
  pastDue: number;
  now: () => Date;
}

/** Field manager of an Account's status. */
const manager = "rowferry-account";

export function createAccountController(options: AccountControllerOptions): AccountController {
  const { client, leads, subscriptions, accounts, pastDue, now } = options;

  const mustLead = () => assertLeads(leads);

  /** Writes the plan to the live object. Returns its resourceVersion; undefined: look again later. */
  async function writePlan(account: Account, plan: "free" | "pro"): Promise<string | undefined> {
    const live = await client.get(kinds.accounts, "", account.metadata.name);
    if (live === undefined || live.metadata.uid !== account.metadata.uid) return undefined;
    if (live.spec.billing?.customer !== account.spec.billing?.customer) return undefined;
    mustLead();
    const saved = await client.update(kinds.accounts, { ...live, spec: { ...live.spec, plan } });
    return saved.metadata.resourceVersion;
  }

  async function saveStatus(account: Account, status: AccountStatus | undefined, version?: string): Promise<void> {
    if (status === undefined || isDeepStrictEqual(status, account.status)) return;
    const { name, uid = "", resourceVersion = "" } = account.metadata;
    mustLead();
    const metadata = { name, namespace: "", uid, resourceVersion: version ?? resourceVersion };
    await client.applyStatus(kinds.accounts, { metadata, status }, manager);
  }

  async function pass(account: Account, customer: string): Promise<Passed> {
    const hint = account.metadata.annotations?.[paymentHint];
    const observed: Observed = { account, pastDue, ...(hint === undefined ? {} : { hint }) };
    let plan = decide(observed, now());
    if (plan.look) {
      try {
        plan = decide({ ...observed, seen: (await subscriptions.list(customer)) ?? "unknown" }, now());
      } catch (error) {
        if (error instanceof PaymentsError && error.code === "denied")
          await saveStatus(account, deniedAccount(account, error.message, now()));
        throw error;
      }
    }
    let version: string | undefined;
    if (plan.plan !== undefined) {
      version = await writePlan(account, plan.plan);
      if (version === undefined) return { lookAgain: 300 };
    }
    await saveStatus(account, plan.status, version);
    return plan.lookAgain === undefined ? {} : { lookAgain: plan.lookAgain };
  }

  return {
    async reconcile(name) {
      const account = accounts.get("", name);
      const customer = account?.spec.billing?.customer;
      if (account === undefined || customer === undefined) return {};
      return unlessOutdated(() => pass(account, customer));
    },
  };
}
