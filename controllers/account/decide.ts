import { isEnded, type Subscription } from "../../src/billing/pro.ts";
import { type Account, type AccountStatus, planFollowsStripe } from "../../src/resources/account.ts";
import { type ConditionFinding, withConditions } from "../../src/resources/conditions.ts";

/**
 * Which plan an Account has, from the Account and from what Stripe says now: no clock, no randomness, no I/O.
 *
 * Invariants: without a customer, or with one that never had a subscription, `spec.plan` stays as it is. Otherwise it follows the
 * subscription, and nothing but Stripe's answer changes it: not an event, not an error.
 */

export interface Observed {
  account: Account;
  /** Stripe's answer of this pass, newest first; "unknown": Stripe has no such customer. Undefined: not asked yet. */
  seen?: readonly Subscription[] | "unknown";
  /** Id of the last event that Stripe sent about the customer. */
  hint?: string;
  /** Milliseconds that a subscription counts as Pro after its renewal was not paid. */
  pastDue: number;
}

interface Plan {
  /** Ask Stripe first, then decide again. */
  look?: true;
  /** To be written to `spec.plan` before the status. */
  plan?: "free" | "pro";
  status: AccountStatus | undefined;
  /** Milliseconds. */
  lookAgain?: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

export function decide(observed: Observed, now: Date): Plan {
  const { account, seen, hint } = observed;
  const before = account.status?.billing;
  const customer = account.spec.billing?.customer;
  if (customer === undefined || account.metadata.deletionTimestamp !== undefined) return { status: account.status };
  if (seen === undefined) {
    const wait = untilLook(observed, now);
    return wait <= 0 ? { look: true, status: account.status } : { status: account.status, lookAgain: wait };
  }
  const at = now.toISOString();
  const common = { customer, lookedAt: at, ...(hint === undefined ? {} : { hint }) };
  if (seen === "unknown") {
    // The key can be of another Stripe account or of test mode: that must not end anybody's plan.
    const { plan: _plan, ...kept } = before?.customer === customer ? before : { changedAt: at };
    return planned(observed, { ...kept, ...common }, customerUnknown, now);
  }
  const judged = judge(seen, observed.pastDue, now);
  if (judged === undefined)
    return planned(observed, { ...common, changedAt: before?.changedAt ?? at }, neverSubscribed, now);
  const { subscription, means, until, finding } = judged;
  const isSame = before?.subscription === subscription.id && before.state === subscription.status;
  const billing: Billing = {
    ...common,
    plan: means,
    subscription: subscription.id,
    state: subscription.status,
    changedAt: isSame ? before.changedAt : at,
    ...(until === undefined ? {} : { until }),
  };
  const changed = { ...account, spec: { ...account.spec, plan: means } };
  const next = planned({ ...observed, account: changed }, billing, finding, now);
  return account.spec.plan === means ? next : { ...next, plan: means };
}

type Billing = NonNullable<AccountStatus["billing"]>;
type Said = Pick<ConditionFinding, "status" | "reason" | "message">;

function planned({ account, ...rest }: Observed, billing: Billing, said: Said, now: Date): Plan {
  const status = { billing, conditions: withFinding(account, said, now) };
  const wait = untilLook({ ...rest, account: { ...account, status } }, now);
  return { status, lookAgain: Math.max(wait, second) };
}

function withFinding({ metadata, status }: Account, said: Said, now: Date) {
  const finding = { type: planFollowsStripe, ...said };
  return withConditions(status?.conditions ?? [], [finding], metadata.generation ?? 0, now.toISOString());
}

/** The status after a request that Stripe denied: what was known before stays. */
export function deniedAccount(account: Account, message: string, now: Date): AccountStatus {
  return {
    ...account.status,
    conditions: withFinding(account, { status: "False", reason: "PaymentKeyDenied", message }, now),
  };
}

const neverSubscribed: Said = {
  status: "True",
  reason: "NeverSubscribed",
  message: "The customer has never had a subscription: spec.plan is an administrator's.",
};
const customerUnknown: Said = {
  status: "False",
  reason: "CustomerUnknown",
  message:
    "Stripe has no such customer: spec.plan is kept. Check that the API key belongs to the same Stripe account and mode as before.",
};

interface Judged {
  subscription: Subscription;
  means: "free" | "pro";
  until?: string;
  finding: Said;
}

/** The subscription that counts: one that means Pro, else one that has not ended, else the newest. */
function judge(seen: readonly Subscription[], pastDue: number, now: Date): Judged | undefined {
  const all = seen.map((one) => judgeOne(one, pastDue, now));
  return (
    all.find(({ means }) => means === "pro") ?? all.find(({ subscription }) => !isEnded(subscription)) ?? all.at(0)
  );
}

function judgeOne(subscription: Subscription, pastDue: number, now: Date): Judged {
  const { status, endsAt, periodStart } = subscription;
  const says = (means: "free" | "pro", reason: string, message: string, until?: string): Judged => ({
    subscription,
    means,
    finding: { status: "True", reason, message },
    ...(until === undefined ? {} : { until }),
  });
  switch (status) {
    case "active":
    case "trialing":
      return endsAt === undefined
        ? says("pro", "Subscribed", "The subscription is active.")
        : says("pro", "Canceled", `The subscription was canceled; Pro ends on ${endsAt}.`, endsAt);
    case "past_due": {
      // Stripe begins a period with its invoice, so that this is when the payment was due.
      const until = new Date(Date.parse(periodStart) + pastDue).toISOString();
      return now.getTime() < Date.parse(until)
        ? says("pro", "PastDue", `The last payment failed; without another card Pro ends on ${until}.`, until)
        : says("free", "PastDue", `The last payment failed, and Pro ended on ${until}. A payment makes it Pro again.`);
    }
    case "unpaid":
      return says("free", "Unpaid", "The subscription is unpaid. A payment makes it Pro again.");
    case "paused":
      return says("free", "Paused", "The subscription is paused.");
    case "incomplete":
      return says("free", "Incomplete", "The subscription's first payment has not succeeded yet.");
    case "incomplete_expired":
    case "canceled":
      return says("free", "Ended", "The subscription has ended.");
  }
}

/**
 * Milliseconds until Stripe is to be asked; zero or less: now. Often while a person may be at one of Stripe's pages, then less and less.
 * Events shorten the wait; without any, a change is seen by this alone.
 */
function untilLook({ account, hint }: Observed, now: Date): number {
  const { spec, status } = account;
  const before = status?.billing;
  if (before === undefined || before.customer !== spec.billing?.customer) return 0;
  if (hint !== undefined && hint !== before.hint) return 0;
  // Somebody else wrote the plan.
  if (before.plan !== undefined && before.plan !== spec.plan) return 0;
  const looked = Date.parse(before.lookedAt);
  // A clock was wrong.
  if (looked > now.getTime()) return 0;
  const since = Math.max(Date.parse(before.changedAt), Date.parse(spec.billing.askedAt ?? before.changedAt));
  const longest = before.plan === "pro" ? hour : 6 * hour;
  const often = Math.min(longest, Math.max(5 * second, (looked - since) / 20));
  const times = [looked + often];
  const until = Date.parse(before.until ?? "") + second;
  if (until > looked) times.push(until);
  return Math.min(...times) - now.getTime();
}
