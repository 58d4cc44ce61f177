import { isDeepStrictEqual } from "node:util";
import { hourOf } from "../../src/billing/hour.ts";
import type { SeenCheckout } from "../../src/billing/seen.ts";
import type { Payments } from "../../src/billing/stripe.ts";
import { PaymentsError } from "../../src/billing/stripe-client.ts";
import { assertLeads, type Client, ClusterError, type Informer, kinds } from "../../src/cluster/index.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { paymentFinalizer, paymentHint } from "../../src/resources/payment.ts";
import { type Passed, unlessOutdated } from "../runtime/loop.ts";
import { type Act, decide, type Observed, type Plan } from "./decide.ts";
import { deniedPayment } from "./denied.ts";
import { stopRuns } from "./stop-runs.ts";
import { carriedTo } from "./sums.ts";
import { untilRemoved } from "./unpaid.ts";

/** The effects of a Migration's payment: asks Stripe, does what `decide` says, and saves what came of it. */
export interface PaymentController {
  /** One pass over the Migration of this key (`namespace/name`). */
  reconcile(key: string): Promise<Passed>;
}

interface PaymentControllerOptions {
  /** Its requests must end when the leader's term does. */
  client: Client;
  /** True only while this process is the leader; asked before every effect. */
  leads: () => boolean;
  payments: Payments;
  migrations: Informer<Migration>;
  /** Milliseconds that a failed run keeps its hold. */
  grace: number;
  /** Milliseconds after which an unpaid Migration is removed; absent: never. */
  unpaidKept?: number;
  now: () => Date;
}

/** Field manager of `status.payment`. */
const manager = "rowferry-payment";
/** Milliseconds for which a count of the open pages holds: it reads the complete cache. */
const countKept = 10_000;
/** Rounds of deciding and acting in one pass; more would be a fault in `decide`. */
const rounds = 8;

export function createPaymentController({
  client,
  leads,
  payments,
  migrations,
  grace,
  unpaidKept,
  now,
}: PaymentControllerOptions): PaymentController {
  let counted = { at: Number.NEGATIVE_INFINITY, pages: 0 };
  function openPages(): number {
    const at = now().getTime();
    if (Math.abs(at - counted.at) < countKept) return counted.pages;
    let pages = 0;
    for (const { spec, status } of migrations.all())
      if (spec.payment?.checkout !== undefined && (status?.payment?.state ?? "awaiting") === "awaiting") pages += 1;
    counted = { at, pages };
    return pages;
  }

  const mayAct = () => assertLeads(leads);

  /** Nothing is given back or taken by an old view: a retry keeps a hold, and a delete releases it. */
  async function checkLive({ metadata }: Migration): Promise<void> {
    const live = await client.get(kinds.migrations, metadata.namespace, metadata.name);
    const isSame = live?.metadata.uid === metadata.uid && live.metadata.generation === metadata.generation;
    if (!isSame) throw new ClusterError("Conflict", 409, "the Migration changed");
    mayAct();
  }

  /** A refund of an earlier checkout is in Stripe's answer about that one alone. */
  async function lookAtEarlier(session: string, { status }: Migration): Promise<SeenCheckout[]> {
    const { earlier = [] } = carriedTo(session, status?.payment);
    const seen: SeenCheckout[] = [];
    for (const one of earlier) seen.push(...[await payments.look(one.session)].filter((found) => found !== undefined));
    return seen;
  }

  async function perform(act: Act, observed: Observed): Promise<Observed> {
    const { metadata } = observed.migration;
    const { seen: _before, ...rest } = observed;
    mayAct();
    switch (act.kind) {
      case "look": {
        const seen = await payments.look(act.session);
        // Deleted, there is nothing to release.
        if (seen === undefined && metadata.deletionTimestamp !== undefined)
          return { ...rest, seen: { id: act.session, session: "expired" } };
        if (seen === undefined)
          throw new Error("Stripe does not know the checkout: is it another account's key, or one of test mode?");
        return { ...rest, seen, earlier: await lookAtEarlier(act.session, observed.migration) };
      }
      case "expire":
        await checkLive(observed.migration);
        await payments.expire(act.session);
        break;
      case "cancel":
        await checkLive(observed.migration);
        await payments.cancel(act.intent, `${metadata.uid}-${act.intent}-cancel-${hourOf(now())}`);
        break;
      case "capture":
        await checkLive(observed.migration);
        await payments.capture(act.intent, act.amount, `${metadata.uid}-${act.intent}-capture-${hourOf(now())}`);
        break;
    }
    // What came of it Stripe says: an answer may have been lost, and somebody may have been faster.
    const session = observed.seen?.id ?? "";
    const seen = await payments.look(session);
    return seen === undefined ? rest : { ...rest, seen };
  }

  async function save(migration: Migration, plan: Plan): Promise<void> {
    const { name, namespace, uid } = migration.metadata;
    let { resourceVersion } = migration.metadata;
    if (plan.status !== undefined && !isDeepStrictEqual(plan.status, migration.status?.payment)) {
      mayAct();
      const metadata = { name, namespace, uid, resourceVersion };
      const saved = await client.applyStatus(kinds.migrations, { metadata, status: { payment: plan.status } }, manager);
      resourceVersion = saved.metadata.resourceVersion ?? resourceVersion;
    }
    const finalizers = migration.metadata.finalizers ?? [];
    const has = finalizers.includes(paymentFinalizer);
    const isDeleted = migration.metadata.deletionTimestamp !== undefined;
    // None can be added to what is being deleted.
    if (has === plan.finalizer || (plan.finalizer && isDeleted)) return;
    mayAct();
    const kept = finalizers.filter((one) => one !== paymentFinalizer);
    await client.mergePatch(kinds.migrations, namespace, name, {
      metadata: { uid, resourceVersion, finalizers: plan.finalizer ? [...kept, paymentFinalizer] : kept },
    });
  }

  async function pass(migration: Migration): Promise<Passed> {
    if (migration.metadata.deletionTimestamp !== undefined && migration.metadata.finalizers?.includes(paymentFinalizer))
      await stopRuns(client, mayAct, migration);
    const hint = migration.metadata.annotations?.[paymentHint];
    let observed: Observed = { migration, grace, pages: openPages(), ...(hint === undefined ? {} : { hint }) };
    let plan = decide(observed, now());
    for (let round = 0; plan.act !== undefined; round += 1) {
      if (round === rounds) throw new ClusterError("Loop", 0, `a pass did not end: ${plan.act.kind}`);
      try {
        observed = await perform(plan.act, observed);
      } catch (error) {
        if (error instanceof PaymentsError && error.code === "denied")
          await save(migration, { status: deniedPayment(migration, error.message, now()), finalizer: plan.finalizer });
        throw error;
      }
      plan = decide(observed, now());
    }
    const left = untilRemoved(migration, plan.status, unpaidKept, now());
    if (left !== undefined && left <= 0) return removeUnpaid(migration, plan);
    await save(migration, plan);
    const lookAgain = Math.min(plan.lookAgain ?? Infinity, left ?? Infinity);
    return lookAgain === Infinity ? {} : { lookAgain };
  }

  /** Its page is closed first; where a person was faster, it stays. */
  async function removeUnpaid(migration: Migration, { status }: Plan): Promise<Passed> {
    const { namespace, name, uid, resourceVersion } = migration.metadata;
    if (status?.state === "awaiting") {
      await checkLive(migration);
      await payments.expire(status.session);
      const seen = await payments.look(status.session);
      if (seen !== undefined && seen.session !== "expired") return { lookAgain: 1000 };
    }
    mayAct();
    await client.remove(kinds.migrations, namespace, name, uid, resourceVersion);
    return {};
  }

  return {
    async reconcile(key) {
      const [namespace = "", name = ""] = key.split("/");
      const migration = migrations.get(namespace, name);
      if (migration?.spec.payment?.checkout === undefined) return {};
      return unlessOutdated(() => pass(migration));
    },
  };
}
