import type { Tier } from "../requests/tiers.ts";
import type { Tool } from "./tool.ts";

/** What a JSON-RPC message is, before anything serves it. */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** They cost nothing and ask for nothing. */
const free = ["initialize", "server/discover", "ping"];
const known = [...free, "tools/list", "tools/call", "notifications/initialized", "notifications/cancelled"];

/** The tool that a message calls, if there is one of that name. */
function toolOf(message: unknown, tools: readonly Tool[]): Tool | undefined {
  if (!isObject(message) || message["method"] !== "tools/call" || !isObject(message["params"])) return undefined;
  const { name } = message["params"];
  return tools.find((tool) => tool.name === name);
}

/** What a message counts in: notifications and responses in nothing, every other request in the AI tier, unless its tool says otherwise. */
export function tiersOf(message: unknown, tools: readonly Tool[]): readonly Tier[] {
  if (!isObject(message) || typeof message["method"] !== "string" || !("id" in message)) return [];
  if (free.includes(message["method"])) return [];
  return toolOf(message, tools)?.tiers ?? ["ai"];
}

/** A name for the log and the metrics, of a bounded number. */
export function operationOf(message: unknown, tools: readonly Tool[]): string {
  const method = isObject(message) ? message["method"] : undefined;
  return toolOf(message, tools)?.name ?? known.find((one) => one === method) ?? "other";
}
