import { isCovered } from "../../../billing/case.ts";
import { inUnits } from "../../../billing/money.ts";
import type { RunType } from "../../../billing/prices.ts";
import { clean } from "../../../guard/text.ts";
import { isCoveredAnyway, termsFor } from "../../billing/terms.ts";
import type { ProbeCaller } from "../../prober.ts";
import type { Caller, World } from "../../world.ts";
import { checkOne } from "../view/urls.ts";
import { reachableOf } from "./reached.ts";
import { alone } from "./test-connection.ts";

/** What a copy of a source would cost, by the kind of its target. */
interface SourcePrice {
  /** In units of the currency; null where the source cannot be measured. */
  amounts: Record<RunType, number> | null;
  currency: string;
  free_eligible: boolean;
  covered_by_plan: boolean;
}

export interface SourceTest extends SourcePrice {
  /** Null where that could not be found out in time. */
  reachable: boolean | null;
  engine: string | null;
  version: string | null;
  tls: boolean | null;
  latency_ms: number | null;
  /** Bytes; null where it cannot be measured. */
  size: number | null;
  reasons: { code: string; message: string }[];
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
  return {
    reachable: facts === undefined ? reachableOf(unreachable[0]) : true,
    engine: facts?.engine ?? null,
    version: facts === undefined ? null : clean(facts.version, 128),
    tls: facts?.tls ?? null,
    latency_ms: facts?.latencyMs ?? null,
    size,
    reasons: unreachable.map(({ code, message }) => ({ code, message: clean(alone(message), 1024) })),
    ...(await priceOfSource(world, caller, size)),
  };
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
