import { overQuote, wrongStatistics } from "../../src/billing/limit.ts";
import type { PriceList } from "../../src/billing/prices.ts";
import type { Migration } from "../../src/resources/migration.ts";
import type { RunOutcome } from "../../src/worker/protocol.ts";

/** The engine's code (src/engine/run/source-limit.ts). */
const sourceTooLarge = "source_too_large";

/**
 * The outcome with a reason and a message about money, where the engine refused a source that is larger than the payment covers: the
 * engine knows a limit in bytes, but no prices. Any other outcome is unchanged.
 */
export function withPrice({ spec }: Migration, outcome: RunOutcome, prices: PriceList | undefined): RunOutcome {
  const { size, type } = outcome.report;
  if (outcome.reason === wrongStatistics && spec.payment !== undefined)
    return {
      ...outcome,
      message: `${outcome.message}, get a new estimate and create a new migration. Nothing is charged. Copied tables stay in the target.`,
    };
  if (outcome.reason !== sourceTooLarge || size === undefined || type === undefined) return outcome;
  const said = spec.payment && overQuote(spec.payment, { size, type }, prices);
  return said === undefined ? outcome : { ...outcome, ...said };
}
