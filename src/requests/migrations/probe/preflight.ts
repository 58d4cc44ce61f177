import { clean } from "../../../guard/text.ts";
import { optionsSchema } from "../../../resources/options.ts";
import { isCoveredAnyway } from "../../billing/terms.ts";
import type { Assessed, ProbeCaller, SideProbe } from "../../prober.ts";
import type { Caller, World } from "../../world.ts";
import { withoutOtherRuns } from "../view/other-runs.ts";
import { givenOptionsSchema, type Pair } from "../view/shapes.ts";
import { type CheckedPair, checkPair } from "../view/urls.ts";
import { quoteFor } from "./estimate.ts";
import { isReported, notCopied } from "./not-copied.ts";
import type { Preflight } from "./probe-shapes.ts";
import { reachableOf } from "./test-connection.ts";

type Assessment = Assessed["assessment"];

/** The longest list of findings; their counts are whole. */
const mostFindings = 200;
const order = { blocker: 0, warning: 2, note: 3 };
/** The target's own rows are worth more than what the copy changes. */
const rankOf = ({ severity, code }: { severity: keyof typeof order; code: string }): number =>
  code === "target_rows_dropped" ? 1 : order[severity];

/**
 * What a copy would meet, and what it would cost. Creates nothing. A database that cannot be reached is a result (`ready: false` with
 * reasons), not an error. Throws Problem `url_refused`, `invalid`.
 */
export async function preflight(world: World, caller: Caller, input: Pair, asked: ProbeCaller): Promise<Preflight> {
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
  const of = { pair, options: givenOptionsSchema.parse(input.options ?? {}) };
  return "unreachable" in found ? halfPreflight(world, caller, of, found) : assessedPreflight(world, caller, of, found);
}

interface Asked {
  pair: CheckedPair;
  options: object;
}

async function assessedPreflight(
  world: World,
  caller: Caller,
  { pair, options }: Asked,
  { assessment, counts, size }: Assessed,
): Promise<Preflight> {
  const { source, target, estimate, findings, ready } = assessment;
  const { seconds, basis, latencyMs } = estimate;
  const quote = await quoteFor(world, caller, { pair, size, options });
  const lost = notCopied(assessment);
  const worst = [...findings, ...lost].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, mostFindings);
  const shown = worst.map(({ severity, ...words }) => ({
    severity,
    code: clean(words.code, 64),
    object: clean(words.object, 256),
    reason: withoutOtherRuns(clean(words.reason, 1024), caller.team.status?.namespace),
    fix: words.fix === "" ? null : clean(words.fix, 1024),
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
      drops: target.drops ?? null,
    },
    reasons: blockers.map(({ code, object, reason, fix }) => ({
      side: null,
      code,
      message: [`${object}: ${reason}`, fix].filter((part) => part !== null).join(" — "),
    })),
    findings: shown,
    counts: { ...counts, warnings: counts.warnings + lost.length, reported_kinds: kindsOf(assessment) },
  };
}

function kindsOf({ objects }: Assessment): Record<string, number> {
  const kinds = Map.groupBy(objects.filter(isReported), ({ kind }) => clean(kind, 64));
  return Object.fromEntries([...kinds].map(([kind, list]) => [kind, list.length]));
}

/** The facts of each side that was reached, and the price if the source is one of them. */
async function halfPreflight(
  world: World,
  caller: Caller,
  { pair, options }: Asked,
  { unreachable, source, target }: SideProbe,
): Promise<Preflight> {
  const side = (which: "source" | "target", facts: SideProbe["source" | "target"]) => ({
    reachable: facts !== undefined || reachableOf(unreachable.find((one) => one.side === which)),
    engine: facts === undefined ? null : clean(facts.engine, 64),
    version: facts === undefined ? null : clean(facts.version, 128),
    latency_ms: facts?.latencyMs ?? null,
  });
  const quote = source === undefined ? undefined : await quoteFor(world, caller, { pair, size: source.size, options });
  return {
    ready: false,
    estimate: quote === undefined ? null : { ...quote, seconds: null, basis: null },
    free_eligible: quote?.free_eligible ?? false,
    covered_by_plan: quote?.covered_by_plan ?? isCoveredAnyway(world, caller),
    estimate_id: quote?.estimate_id ?? null,
    amount: quote?.amount ?? null,
    currency: quote?.currency ?? world.settings.currency,
    type: pair.type,
    size: source?.size ?? null,
    source: { ...side("source", source), tables: source?.tables ?? null, rows: source?.rows ?? null },
    target: { ...side("target", target), empty: target?.empty ?? null, free_space: null, drops: null },
    reasons: unreachable.map(({ side: which, code, message }) => ({
      side: which,
      code,
      message: clean(message, 1024),
    })),
    findings: [],
    counts: null,
  };
}
