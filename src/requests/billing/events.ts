import { type CurrentCheckout, orphanKey, releaseOf } from "../../billing/orphan.ts";
import type { EventReader, PaymentEvent } from "../../billing/stripe-events.ts";
import { type KubeObject, kinds } from "../../cluster/index.ts";
import { paymentHint } from "../../resources/payment.ts";
import { teamOf } from "../../resources/team.ts";
import { Problem } from "../errors.ts";
import { change } from "../update-with-retry.ts";
import type { World } from "../world.ts";
import { requestStripe } from "./from-stripe.ts";

/**
 * Follows an event of Stripe's. An event is a hint: the operator asks Stripe about the Migration or the Account that it concerns, and
 * nothing follows from the event's own content. Other events are ignored. Throws Problem `invalid`, `unavailable`.
 */
export async function followEvent(
  world: World,
  read: EventReader,
  { body, signature }: { body: Uint8Array; signature: string },
): Promise<void> {
  const event = read(body, signature);
  if (event === undefined)
    throw new Problem("invalid", "The signature is not valid for this body, or it is too old.", {
      errors: [{ field: "stripe-signature", message: "is not valid for this body, or is too old" }],
    });
  const { id, session, customer, disputed } = event;
  const about = event.about ?? (disputed === undefined ? undefined : await paidBy(world, disputed));
  if (customer !== undefined) await hintAccount(world, customer, id);
  if (about === undefined || about.installation !== (await world.billing?.installation())) return;
  // The API writes Migrations only into namespaces of teams.
  if (teamOf(about.namespace) === undefined) return;
  const found = await change(world, kinds.migrations, about.namespace, about.name, (migration) => {
    if (migration.spec.payment?.checkout === undefined) return undefined;
    return withHint(migration, id);
  });
  if (session !== undefined && found?.spec.payment?.checkout?.session !== session)
    await releaseOrphan(world, session, found?.spec.payment?.checkout);
}

/** A person paid at a page that no Migration names any more: the hold is released at once. Throws Problem `unavailable`. */
async function releaseOrphan(
  { billing, now }: World,
  session: string,
  present: CurrentCheckout | undefined,
): Promise<void> {
  if (billing === undefined) return;
  const { payments } = billing;
  const seen = await requestStripe(() => payments.look(session));
  if (seen?.about?.installation !== (await billing.installation())) return;
  const release = releaseOf({ seen }, present, now());
  if (release?.kind === "cancel")
    await requestStripe(() => payments.cancel(release.intent, orphanKey(release.intent, now())));
}

/** The customer is on its Account before Stripe can send an event about its subscription. */
async function hintAccount(world: World, customer: string, event: string): Promise<void> {
  for (const { metadata, spec } of world.caches.accounts.all())
    if (spec.billing?.customer === customer)
      await change(world, kinds.accounts, "", metadata.name, (account) =>
        account.spec.billing?.customer === customer ? withHint(account, event) : undefined,
      );
}

const withHint = <T extends KubeObject>(object: T, event: string): T => {
  const annotations = { ...object.metadata.annotations, [paymentHint]: event.slice(0, 255) };
  return { ...object, metadata: { ...object.metadata, annotations } };
};

/** The Migration that an intent paid for. Disputes are rare, so it searches the complete cache. */
async function paidBy({ caches, billing }: World, intent: string): Promise<PaymentEvent["about"]> {
  if (billing === undefined) return undefined;
  for (const { metadata, spec, status } of caches.migrations.all())
    if (status?.payment?.intent === intent)
      return {
        installation: await billing.installation(),
        namespace: metadata.namespace,
        name: metadata.name,
        checkout: spec.payment?.checkout?.number ?? 1,
      };
  return undefined;
}
