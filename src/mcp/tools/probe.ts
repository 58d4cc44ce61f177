import * as z from "zod";
import { create } from "../../requests/migrations/create.ts";
import { preflight } from "../../requests/migrations/probe/preflight.ts";
import { createSchema, givenOptionsSchema, pairSchema } from "../../requests/migrations/view/shapes.ts";
import { fenced } from "../fence.ts";
import { refusePlaceholders } from "../placeholders.ts";
import { briefly, idempotencyKey, preparedSchema, startedText, summaryOf, untrusted } from "../shapes.ts";
import { type Tool, tool } from "../tool.ts";
import { dropsOf, durationOf, lossOf, nextAfterPreview, pageOfFindings, priceOf, unchecked } from "./preview-words.ts";
import { sourceAlone } from "./probe-source.ts";

/** The tools that take a pair of URLs: a look before, and the run itself. */

const url = (which: "source" | "target", what: string) =>
  pairSchema.shape[`${which}_url`].meta({
    description: `Connection URL of the ${what}, as the user gave it; never invent one.`,
    examples: [which === "source" ? "mysql://user:password@host:3306/db" : "postgres://user:password@host:5432/db"],
  });
const pair = {
  source_url: url("source", "database to copy from, which is only read"),
  target_url: url("target", "database to copy to"),
};

const previewInput = pairSchema.extend({
  ...pair,
  target_url: pair.target_url
    .meta({ description: "Without it only source_url is tested and priced: any one database." })
    .exactOptional(),
  options: pairSchema.shape.options.unwrap().describe("Usually not needed.").exactOptional(),
  skip: z.number().int().min(0).max(1000).default(0).describe("Findings to skip: next_skip of the page before."),
});
/** How long URLs are kept is for people to choose, by REST: the listing is short. */
const prepareInput = createSchema.omit({ keep_urls_days: true }).extend({
  ...pair,
  name: createSchema.shape.name.unwrap().describe("Shown in lists.").exactOptional(),
  estimate_id: createSchema.shape.estimate_id.unwrap().describe("The preview's estimate.").exactOptional(),
  ...idempotencyKey,
});
/** The same options, which the listing tells once. */
const listedPrepareInput = prepareInput.extend({
  options: z.looseObject({}).describe("The same options as in preview-migration-tool.").exactOptional(),
});

const engine = z.enum(["MySQL", "MariaDB", "PostgreSQL"]).nullable();
const previewOutput = z.object({
  ready: z.boolean().nullable().describe("null: no target_url."),
  type: z.enum(["transfer", "conversion"]).nullable(),
  size: z.number().nullable().describe("Bytes"),
  estimate_id: z.string().nullable().describe("null: not ready."),
  amount: z.number().nullable(),
  currency: z.string(),
  lines: z.array(z.string()),
  free_eligible: z.boolean(),
  covered_by_plan: z.boolean(),
  seconds: z.object({ least: z.number(), most: z.number() }).nullable(),
  source: z.object({
    reachable: z.boolean().nullable(),
    engine,
    tables: z.number().nullable(),
    rows: z.number().nullable(),
    tls: z.boolean().nullable().exactOptional(),
    latency_ms: z.number().nullable().exactOptional(),
  }),
  target: z.object({
    reachable: z.boolean().nullable(),
    engine,
    empty: z.boolean().nullable(),
    drops: z
      .object({ tables: z.number(), rows: z.number() })
      .nullable()
      .exactOptional()
      .describe("Destroyed by options.drop."),
  }),
  reasons: z.array(z.string()).describe("Codes"),
  findings: z
    .object({
      blockers: z.number(),
      warnings: z.number(),
      notes: z.number(),
      converted: z.number(),
      lost: z.number().describe("Source objects not copied, or changed."),
      lost_kinds: z.record(z.string(), z.number()),
    })
    .nullable(),
  next: z.string(),
  next_skip: z.number().nullable().exactOptional().describe("null: no more findings."),
  untrusted,
});

/** Codes of reasons that a result lists. */
const mostReasons = 20;

const engineOf = (name: string | null) => engine.catch(null).parse(name);

const preview = tool({
  name: "preview-migration-tool",
  title: "Preview a migration",
  description:
    "Connects to both databases and tells whether a copy would succeed, its kind (transfer or conversion), size, time and price. Creates nothing. Use it first; prepare-migration-tool comes next. With source_url alone: a connection test of one database, with its size and price.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  tiers: ["ai", "probe"],
  input: previewInput,
  output: previewOutput,
  async run(world, call, { target_url, skip, ...alone }) {
    const { source_url, options } = alone;
    refusePlaceholders({ source_url, ...(target_url === undefined ? {} : { target_url }) });
    if (target_url === undefined) return sourceAlone(world, call, { url: source_url, ca: options?.source_ca });
    const found = await preflight(world, call.caller, { ...alone, target_url }, call.asked);
    const { ready, type, size, amount, currency, free_eligible, covered_by_plan, counts } = found;
    const { source, target } = found;
    // One that is not ready is previewed again, which gives another.
    const estimate_id = ready ? found.estimate_id : null;
    const page = pageOfFindings(found, skip);
    const next = nextAfterPreview(found, page.next);
    const data = {
      ready,
      type,
      size,
      estimate_id,
      amount,
      currency,
      lines: (found.estimate?.lines ?? []).map((line) => `${line.text} = ${line.amount}`),
      free_eligible,
      covered_by_plan,
      seconds: found.estimate?.seconds ?? null,
      source: {
        reachable: source.reachable,
        engine: engineOf(source.engine),
        tables: source.tables,
        rows: source.rows,
      },
      target: {
        reachable: target.reachable,
        engine: engineOf(target.engine),
        empty: target.empty,
        drops: target.drops,
      },
      reasons: [...new Set(found.reasons.map(({ code }) => code))].slice(0, mostReasons),
      findings: counts && {
        blockers: counts.blockers,
        warnings: counts.warnings,
        notes: counts.notes,
        converted: counts.converted,
        lost: counts.reported,
        lost_kinds: counts.reported_kinds,
      },
      next,
      next_skip: page.next,
      untrusted: fenced(page.lines, world.randomBytes(8)),
    };
    const measured = size === null ? "not measured" : `${size} bytes`;
    const { seconds } = data;
    const long = seconds === null ? "" : `, ${durationOf(seconds)}`;
    const price = priceOf(found, data.lines);
    const lost = `${lossOf(found)}${ready ? unchecked(found) : ""}`;
    const drops = dropsOf(found, options?.content);
    // Not every client shows a model more than the text: what the next call needs stands there too.
    const quote = estimate_id === null ? "" : ` estimate_id: ${estimate_id}`;
    const what = `${ready ? "Ready" : "Not ready"}: a ${type}, source ${measured}${long}, ${price}.${drops}${lost}`;
    return { text: `${what} ${data.next}${quote}`, data };
  },
});

/** A model may have forgotten the preview's options. */
function optionsOf(options: z.output<typeof prepareInput>["options"] = undefined): string {
  const unchanged: Record<string, unknown> = givenOptionsSchema.parse({});
  const named = Object.entries(options ?? {})
    .flatMap(([name, value]) => (value === unchanged[name] ? [] : [name]))
    .sort();
  const drop = options?.drop?.length ?? 0;
  const loss =
    drop === 0
      ? ""
      : `At its start it ${options?.content === "data" ? "empties" : "drops"} the ${drop} ${drop === 1 ? "table" : "tables"} that options.drop names, with all rows. `;
  return `${loss}Options of this run: ${named.length === 0 ? "none, so everything is copied" : named.join(", ")}. `;
}

const prepare = tool({
  name: "prepare-migration-tool",
  title: "Create a migration",
  description:
    "Creates a migration, best after preview-migration-tool. It never charges. `options.drop` drops those tables of the target with their rows when the run starts. Name only tables whose loss the user agreed to after a preview. If the result has `checkout_url`, the user, not you, must open that link to authorize the payment. Then the run starts by itself. Without it the run has started. Next: get-migration-tool.",
  // By `options.drop`: preview-migration-tool names what it destroys.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  tiers: ["ai"],
  input: prepareInput,
  listedInput: listedPrepareInput,
  output: preparedSchema,
  listedOutput: preparedSchema.extend(briefly),
  async run(world, { caller, asked, spend }, { idempotency_key: key, ...given }) {
    refusePlaceholders({ source_url: given.source_url, target_url: given.target_url });
    const { migration, checkout_url, ...made } = await create(world, caller, given, {
      ...{ asked, spend, asPreviewed: true },
      ...(key === undefined ? {} : { idempotencyKey: key }),
    });
    const link = checkout_url === undefined ? {} : { checkout_url };
    const { text, next } = startedText(migration, { ...made, ...link }, optionsOf(given.options));
    return { text, data: { ...made, migration: summaryOf(migration), ...link, next } };
  },
});

export const probeTools: readonly Tool[] = [preview, prepare];
