import type { PaymentSpec } from "../../resources/payment.ts";
import type { World } from "../world.ts";

/**
 * Closes a checkout that no Migration names, since another create was first or the API server refused this one. Never rejects: the operator's
 * sweep closes what is left.
 */
export async function closeUnused(
  { billing }: Pick<World, "billing">,
  opened: PaymentSpec | undefined,
  stored: PaymentSpec | undefined,
): Promise<void> {
  const session = opened?.checkout?.session;
  if (session === undefined || session === stored?.checkout?.session) return;
  await billing?.payments.expire(session).catch(() => {});
}
