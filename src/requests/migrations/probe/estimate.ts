import { isCovered } from "../../../billing/case.ts";
import { inUnits } from "../../../billing/money.ts";
import { clean } from "../../../guard/text.ts";
import { termsFor } from "../../billing/terms.ts";
import { Problem } from "../../errors.ts";
import type { ProbeCaller, Unreachable } from "../../prober.ts";
import type { Caller, World } from "../../world.ts";
import { packQuote, quoteHours } from "../keys/estimate-token.ts";
import type { Pair } from "../view/shapes.ts";
import { type CheckedPair, checkPair } from "../view/urls.ts";
import type { EstimateView } from "./probe-shapes.ts";

/** A price quote: nothing is created for it. Throws Problem `url_refused`, `invalid`, `source_unreachable`. */
export async function estimate(world: World, caller: Caller, input: Pair, asked: ProbeCaller): Promise<EstimateView> {
  const pair = checkPair(input, world.settings.guard);
  return quoteFor(world, caller, { pair, size: await measuredSize(world, caller, input, asked) });
}

/** Bytes of the source now. Throws Problem `source_unreachable`. */
export async function measuredSize(world: World, caller: Caller, input: Pair, asked: ProbeCaller): Promise<number> {
  const ca = input.options?.source_ca;
  const source = { url: input.source_url, ...(ca === undefined ? {} : { ca }) };
  const measured = await world.prober.measure(source, { account: caller.account.metadata.name, ...asked });
  if ("unreachable" in measured) throw unmeasurable(measured.unreachable);
  return measured.size;
}

/** `options`: of a preflight; a caller that must not change them is held to these. */
export async function quoteFor(
  world: World,
  caller: Caller,
  { pair, size, options }: { pair: CheckedPair; size: number; options?: object },
): Promise<EstimateView> {
  const terms = await termsFor(world, caller, { type: pair.type, size });
  const expiresAt = new Date(world.now().getTime() + quoteHours * 3_600_000);
  const { currency } = terms;
  return {
    estimate_id: packQuote(world.secret, {
      account: caller.account.metadata.name,
      source: pair.source.canonical,
      target: pair.target.canonical,
      size,
      amount: terms.amount,
      currency,
      type: pair.type,
      free: terms.by === "free",
      expiresAt,
      ...(options === undefined ? {} : { options }),
    }),
    amount: inUnits(terms.amount, currency),
    currency,
    lines: terms.lines.map(({ text, amount }) => ({ text, amount: inUnits(amount, currency) })),
    size,
    type: pair.type,
    free_eligible: terms.by === "free",
    covered_by_plan: isCovered(terms),
    expires_at: expiresAt.toISOString(),
  };
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const unmeasurable = (unreachable: readonly Unreachable[]) =>
  new Problem("source_unreachable", unreachable.map(({ message }) => capital(clean(message, 1024))).join(" "), {
    errors: unreachable.map(({ side, message }) => ({
      field: `${side ?? "source"}_url`,
      message: clean(message, 1024),
    })),
  });
