import { isCovered } from "../../../billing/case.ts";
import { inUnits } from "../../../billing/money.ts";
import type { RunType } from "../../../billing/prices.ts";
import { isCoveredAnyway, termsFor } from "../../billing/terms.ts";
import type { ProbeCaller } from "../../prober.ts";
import type { Caller, World } from "../../world.ts";
import { checkOne } from "../view/urls.ts";
import type { ConnectionResponse } from "./probe-shapes.ts";
import { connectionOf } from "./test-connection.ts";

/** What a copy of a source would cost, by the kind of its target. */
interface SourcePrice {
  /** In units of the currency; null where the source cannot be measured. */
  amounts: Record<RunType, number> | null;
  currency: string;
  free_eligible: boolean;
  covered_by_plan: boolean;
}

export interface SourceTest extends SourcePrice, ConnectionResponse {
  /** Bytes; null where it cannot be measured. */
  size: number | null;
}

/** A connection test of one database, and what a copy of it would cost: its target is not known. Throws Problem `url_refused`. */
export async function probeSource(
  world: World,
  caller: Caller,
  { url, ca }: { url: string; ca?: string },
  asked: ProbeCaller,
): Promise<SourceTest> {
  checkOne("source_url", url, ca, world.settings.guard);
  const database = { url, ...(ca === undefined ? {} : { ca }) };
  const by = { account: caller.account.metadata.name, ...asked };
  const found = await world.prober.test(database, by);
  const facts = "unreachable" in found ? undefined : found;
  const measured = facts === undefined ? found : await world.prober.measure(database, by);
  const unreachable = "unreachable" in measured ? measured.unreachable : [];
  const size = "size" in measured ? measured.size : null;
  return { ...connectionOf(facts, unreachable), size, ...(await priceOfSource(world, caller, size)) };
}

async function priceOfSource(world: World, caller: Caller, size: number | null): Promise<SourcePrice> {
  if (size === null) {
    const { currency } = world.settings;
    return { amounts: null, currency, free_eligible: false, covered_by_plan: isCoveredAnyway(world, caller) };
  }
  const [transfer, conversion] = await Promise.all([
    termsFor(world, caller, { type: "transfer", size }),
    termsFor(world, caller, { type: "conversion", size }),
  ]);
  const { currency } = transfer;
  return {
    amounts: { transfer: inUnits(transfer.amount, currency), conversion: inUnits(conversion.amount, currency) },
    currency,
    free_eligible: transfer.by === "free" || conversion.by === "free",
    covered_by_plan: isCovered(transfer) && isCovered(conversion),
  };
}
