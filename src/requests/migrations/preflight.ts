import { clean } from "../../guard/words.ts";
import { optionsSchema } from "../../resources/options.ts";
import { isCoveredAnyway } from "../billing/terms.ts";
import type { AskedBy, Assessed, Unreachable } from "../prober.ts";
import type { Caller, World } from "../world.ts";
import { quoteFor } from "./estimate.ts";
import type { Pair, Preflight } from "./shapes.ts";
import { type CheckedPair, checkPair } from "./urls.ts";

/** The longest list of findings; their counts are whole. */
const mostFindings = 200;
const order = { blocker: 0, warning: 1, note: 2 };

/**
 * What a copy would meet, and what it would cost. Creates nothing. A database that cannot be reached is a result (`ready: false` with
 * reasons), not an error. Throws Problem `url_refused`, `invalid`.
 */
export async function preflight(world: World, caller: Caller, input: Pair, asked: AskedBy): Promise<Preflight> {
  const pair = checkPair(input, world.settings.guard);
  const options = optionsSchema.parse(input.options ?? {});
  const { source_ca, target_ca } = options;
  const found = await world.prober.preflight(
    {
      source: { url: input.source_url, ...(source_ca === undefined ? {} : { ca: source_ca }) },
      target: { url: input.target_url, ...(target_ca === undefined ? {} : { ca: target_ca }) },
    },
    options,
    { account: caller.account.metadata.name, ...asked },
  );
  return "unreachable" in found
    ? unreachablePreflight(world, caller, pair, found.unreachable)
    : assessedPreflight(world, caller, pair, found);
}

async function assessedPreflight(
  world: World,
  caller: Caller,
  pair: CheckedPair,
  { assessment, counts, size }: Assessed,
): Promise<Preflight> {
  const { source, target, estimate, findings, ready } = assessment;
  const { seconds, basis, latencyMs } = estimate;
  const quote = await quoteFor(world, caller, pair, size);
  const worst = [...findings].sort((a, b) => order[a.severity] - order[b.severity]).slice(0, mostFindings);
  const shown = worst.map(({ severity, ...words }) => ({
    severity,
    code: clean(words.code, 64),
    object: clean(words.object, 256),
    reason: clean(words.reason, 1024),
    fix: clean(words.fix, 1024),
  }));
  const blockers = shown.filter(({ severity }) => severity === "blocker");
  return {
    ready,
    estimate: { ...quote, seconds, basis: clean(basis, 1024) },
    free_eligible: quote.free_eligible,
    covered_by_plan: quote.covered_by_plan,
    estimate_id: quote.estimate_id,
    amount: quote.amount,
    currency: quote.currency,
    type: pair.type,
    size,
    source: {
      reachable: true,
      engine: clean(source.engine, 64),
      version: clean(source.version, 128),
      latency_ms: latencyMs.source,
      tables: source.tables,
      rows: source.rows,
    },
    target: {
      reachable: true,
      engine: clean(target.engine, 64),
      version: clean(target.version, 128),
      latency_ms: latencyMs.target,
      empty: target.empty,
      free_space: target.free,
    },
    reasons: blockers.map(({ code, object, reason, fix }) => ({
      side: null,
      code,
      message: [`${object}: ${reason}`, fix].filter((part) => part !== "").join(" — "),
    })),
    findings: shown,
    counts,
  };
}

/** Both sides are always tried; one that was reached and asked too much is not called unreachable. */
const reached = new Set(["probe_timeout", "probe_too_large", "internal_error", "cancelled"]);
const reachableOf = (why: Unreachable | undefined): boolean | null =>
  why === undefined ? true : reached.has(why.code) ? null : false;

function unreachablePreflight(
  world: World,
  caller: Caller,
  pair: CheckedPair,
  unreachable: readonly Unreachable[],
): Preflight {
  const side = (which: Unreachable["side"]) => ({
    reachable: reachableOf(unreachable.find((one) => one.side === which)),
    engine: null,
    version: null,
    latency_ms: null,
  });
  return {
    ready: false,
    estimate: null,
    free_eligible: false,
    covered_by_plan: isCoveredAnyway(world, caller),
    estimate_id: null,
    amount: null,
    currency: world.settings.currency,
    type: pair.type,
    size: null,
    source: { ...side("source"), tables: null, rows: null },
    target: { ...side("target"), empty: null, free_space: null },
    reasons: unreachable.map(({ side: which, code, message }) => ({
      side: which,
      code,
      message: clean(message, 1024),
    })),
    findings: [],
    counts: null,
  };
}
