import type { EventReader } from "../../billing/stripe-events.ts";
import { kinds } from "../../cluster/index.ts";
import { paymentHint } from "../../resources/payment.ts";
import { teamOf } from "../../resources/team.ts";
import { change } from "../change.ts";
import { Problem } from "../errors.ts";
import type { World } from "../world.ts";

/**
 * Follows an event of Stripe's. An event is a hint: the operator asks Stripe about the Migration that the event names, and nothing is done
 * by the event's own content. Events about other objects are ignored. Throws Problem `invalid`.
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
  const { id, about } = event;
  if (about === undefined || about.installation !== world.billing?.installation) return;
  // The API writes Migrations only into namespaces of teams.
  if (teamOf(about.namespace) === undefined) return;
  await change(world, kinds.migrations, about.namespace, about.name, (migration) => {
    if (migration.spec.payment?.checkout === undefined) return undefined;
    const annotations = { ...migration.metadata.annotations, [paymentHint]: id.slice(0, 255) };
    return { ...migration, metadata: { ...migration.metadata, annotations } };
  });
}
