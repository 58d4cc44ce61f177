import type { PaymentEvent } from "../../billing/stripe-events.ts";
import { kinds } from "../../cluster/index.ts";
import { paymentHint } from "../../resources/payment.ts";
import { teamOf } from "../../resources/team.ts";
import { change } from "../change.ts";
import type { World } from "../world.ts";

/** Makes the operator look at Stripe at once for what an event is about; one that is nobody's is passed over. */
export async function followEvent(world: World, { id, about }: PaymentEvent): Promise<void> {
  if (about === undefined || about.installation !== world.billing?.installation) return;
  // Only there does the API write Migrations.
  if (teamOf(about.namespace) === undefined) return;
  await change(world, kinds.migrations, about.namespace, about.name, (migration) => {
    if (migration.spec.payment?.checkout === undefined) return undefined;
    const annotations = { ...migration.metadata.annotations, [paymentHint]: id.slice(0, 255) };
    return { ...migration, metadata: { ...migration.metadata, annotations } };
  });
}
