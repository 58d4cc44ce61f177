import { probeSource, type SourceTest } from "../../requests/migrations/probe/probe-source.ts";
import type { World } from "../../requests/world.ts";
import { fenced, inLines } from "../fence.ts";
import type { ToolCall, ToolText } from "../tool.ts";

/** preview-migration-tool with `source_url` alone: a connection test of one database, and what a copy of it would cost. */

const untrustedLines = ({ version, reasons }: SourceTest): string[] =>
  [
    ...(version === null ? [] : [`version: ${version}`]),
    ...reasons.map(({ code, message }) => `reason ${code}: ${message}`),
  ].flatMap(inLines);

function priceOf({ amounts, currency, covered_by_plan }: SourceTest): { amount: number | null; lines: string[] } {
  if (covered_by_plan) return { amount: amounts === null ? null : 0, lines: [] };
  if (amounts === null) return { amount: null, lines: [] };
  const { transfer, conversion } = amounts;
  if (transfer === conversion) return { amount: transfer, lines: [] };
  return {
    amount: null,
    lines: [
      `transfer, to a target of the same engine = ${transfer} ${currency}`,
      `conversion, between MySQL and PostgreSQL = ${conversion} ${currency}`,
    ],
  };
}

/** What the server is and how it was reached, in words of ours. */
function reached({ engine, tls, latency_ms, size }: SourceTest): string {
  const encrypted = tls === null ? [] : [tls ? "encrypted" : "not encrypted"];
  const latency = latency_ms === null ? [] : [`round trip ${latency_ms} ms`];
  const measured = size === null ? "size not measured" : `${size} bytes`;
  return [engine, ...encrypted, ...latency, measured].join(", ");
}

function wordsOf(found: SourceTest, { amount, lines }: { amount: number | null; lines: string[] }): string {
  if (found.reachable !== true)
    return found.reachable === null ? "The database did not answer in time." : "The database cannot be reached.";
  if (found.engine === null) return "The server responds, but refuses the connection.";
  const price = found.covered_by_plan ? ["no charge"] : amount === null ? lines : [`${amount} ${found.currency}`];
  return `The database can be reached: ${[reached(found), ...price].join("; ")}. No target was given, so nothing else was checked.`;
}

export async function sourceAlone(
  world: World,
  { caller, asked }: ToolCall,
  { url, ca }: { url: string; ca: string | undefined },
): Promise<ToolText> {
  const found = await probeSource(world, caller, { url, ...(ca === undefined ? {} : { ca }) }, asked);
  const { reachable, engine, tls, latency_ms, size, reasons } = found;
  const price = priceOf(found);
  const next =
    reasons.length === 0
      ? "To copy it, ask the user for the target's URL and call preview-migration-tool with both."
      : "Tell the user the reasons; when they are fixed, call preview-migration-tool again.";
  const data = {
    ready: null,
    type: null,
    size,
    estimate_id: null,
    ...price,
    currency: found.currency,
    free_eligible: found.free_eligible,
    covered_by_plan: found.covered_by_plan,
    seconds: null,
    source: { reachable, engine, tables: null, rows: null, tls, latency_ms },
    target: { reachable: null, engine: null, empty: null },
    reasons: [...new Set(reasons.map(({ code }) => code))],
    findings: null,
    next,
    untrusted: fenced(untrustedLines(found), world.randomBytes(8)),
  };
  return { text: `${wordsOf(found, price)} ${next}`, data };
}
