import type { Account } from "../../../src/resources/account.ts";
import { kinds } from "../../../src/resources/objects.ts";
import type { Answer, Asked } from "../../api/http.ts";
import { until } from "../../operator/control-plane.ts";
import type { BillingPlace, Person } from "../place.ts";

/** Subscribes an account to Pro at Stripe's page, and ends its subscription, while processes die. */
export interface Subscriber {
  /** As the operator and every replica know it. */
  plan(): "pro" | "free";
  /** Subscribes, or ends the subscription; ends when every process knows it. */
  change(): Promise<void>;
}

export interface Subscribing {
  place: BillingPlace;
  person: Person;
  /** Repeats a request until some replica answers. */
  ask(path: string, asked: Asked): Promise<Answer>;
  control(path: string, body?: object): Promise<boolean>;
  /** Milliseconds. */
  patience: number;
}

export function createSubscriber({ place, person, ask, control, patience }: Subscribing): Subscriber {
  const { client } = place.installation.plane.admin;
  const { token } = person;
  let plan: "pro" | "free" = "free";
  const account = (): Promise<Account | undefined> => client.get(kinds.accounts, "", person.account);
  const asked: Asked = { token, method: "POST" };

  async function subscribe(): Promise<void> {
    const { status, body } = await ask("/api/billing/subscribe", asked);
    // Its last subscription is not over yet.
    if (status !== 200) return;
    const session = String(body.url).split("/").at(-1) ?? "";
    await until(
      "the page to be paid",
      () => control(`/sessions/${session}/authorize`).then(() => isPaid(session)),
      patience,
    );
    await untilKnown("pro");
  }
  const isPaid = async (session: string): Promise<boolean> =>
    (await place.atStripe(`checkout/sessions/${session}`)).status === "complete";

  async function cancel(): Promise<void> {
    // As a person who opens the portal: the operator asks Stripe often for a while.
    await ask("/api/billing/portal", asked);
    await until(
      "the subscription to end",
      async () => {
        const id = (await account())?.status?.billing?.subscription;
        await control(`/subscriptions/${id}/end`);
        return (await place.atStripe(`subscriptions/${id}`)).status === "canceled";
      },
      patience,
    );
    await untilKnown("free");
  }

  async function untilKnown(wanted: "pro" | "free"): Promise<void> {
    await until(`the plan ${wanted}`, async () => (await account())?.spec.plan === wanted, patience);
    // Replicas cache an account for a second.
    for (const at of place.callers.keys())
      await until(
        `the plan ${wanted} at every replica`,
        async () => (await place.ask("/api/account", { token }, at)).body.plan === wanted,
        patience,
      );
    plan = wanted;
  }

  return { plan: () => plan, change: () => (plan === "free" ? subscribe() : cancel()) };
}
