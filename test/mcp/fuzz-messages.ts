import { mcpServers } from "../../src/mcp/servers.ts";
import type { Tool } from "../../src/mcp/tool.ts";
import type { Asked } from "../api/http.ts";
import type { Random } from "../chaos/random.ts";

/** Messages as a client of the protocol sends them, half of them broken somewhere. */

/** A password that stands in the URLs of messages; no answer may have it. */
export const secret = "Pl4nted-Passw0rd";

const junk: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  "\u0000\u202e",
  "\ud800",
  "x".repeat(3000),
  "a.".repeat(14_000),
  "constructor",
  "00000000-0000-4000-8000-000000000000",
  `mysql://reader:${secret}@127.0.0.1:9/shop`,
  `file://${secret}`,
  [],
  {},
  [[[[[[]]]]]],
  { toString: 1, constructor: null },
  JSON.parse('{"__proto__":{"isError":true}}'),
  JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`),
  { $ref: "#/x" },
];

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const tools = mcpServers.flatMap(({ path, tools: those }) => those.map((tool) => ({ path, tool })));
const methods = [
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "tools/call",
  "resources/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "subscriptions/listen",
  "notifications/cancelled",
  "notifications/initialized",
  "tasks/get",
  "",
];

/** What there is to be named, of the account's own and of others. */
export interface Known {
  /** Of migrations and backup schedules. */
  ids: readonly string[];
  /** Of backup runs. */
  runs: readonly string[];
}

/** An input's fields with what may be right for each. */
const fields = ({ ids, runs }: Known): Record<string, readonly unknown[]> => ({
  id: ids,
  confirm: [true, false],
  digest: ["0123456789abcdef"],
  source_url: [`mysql://reader:${secret}@127.0.0.1:9/shop`, "mysql://user:password@host/db"],
  target_url: [`postgres://writer:${secret}@127.0.0.1:9/shop`],
  database_url: [`postgres://writer:${secret}@127.0.0.1:9/shop`],
  options: [{}, { jobs: 2 }],
  limit: [1, 100],
  log_lines: [0, 50],
  cursor: ["AAAA"],
  status: ["failed", "completed"],
  idempotency_key: ["00000000-0000-4000-8000-00000000000a"],
  run: [...runs, "latest"],
  interval: ["daily", "weekly"],
  cron: ["30 2 * * *"],
  time_zone: ["Europe/Berlin"],
  name: ["Shop"],
  suspend: [true, false],
  verify: [true, false],
  retention: [{ daily: 7 }],
  verification: [{ policy: "never" }],
  deletion_policy: ["keep"],
  recipients: [[`age1${"q".repeat(58)}`]],
  storage: [{ endpoint: "http://127.0.0.1:9", bucket: "backups", access_key_id: "id", secret_access_key: secret }],
});

const required = ["id", "run", "source_url", "target_url", "database_url"];

function input(chance: Random, tool: Tool, known: Known): Record<string, unknown> {
  const good = fields(known);
  const taken = Object.keys(tool.input.shape).filter((name) => chance.next() < (required.includes(name) ? 0.95 : 0.3));
  const names = chance.next() < 0.1 ? [...taken, chance.pick(Object.keys(good))] : taken;
  return Object.fromEntries(names.map((name) => [name, chance.pick((chance.next() < 0.85 && good[name]) || junk)]));
}

interface Message {
  path: string;
  method: string;
  tool?: string;
  body: Record<string, unknown>;
}

function message(chance: Random, modern: boolean, known: Known): Message {
  const { path, tool } = chance.pick(tools);
  const method = chance.next() < 0.6 ? "tools/call" : chance.pick(methods);
  const calls = method === "tools/call";
  const params: Record<string, unknown> = {
    ...(calls ? { name: tool.name, arguments: input(chance, tool, known) } : {}),
    ...(method === "initialize"
      ? { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } }
      : {}),
    ...(method === "subscriptions/listen" ? { notifications: { toolsListChanged: true } } : {}),
    ...(modern ? { _meta: meta } : {}),
  };
  const id = method.startsWith("notifications/") ? {} : { id: chance.below(1000) };
  return { path, method, ...(calls ? { tool: tool.name } : {}), body: { jsonrpc: "2.0", ...id, method, params } };
}

/** Puts junk somewhere, or takes something away. */
function mutated(chance: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || chance.next() < 0.2) return chance.pick(junk);
  const keys = Object.keys(value);
  const key = keys.length === 0 ? "more" : chance.pick(keys);
  const copy = { ...(value as Record<string, unknown>) };
  if (chance.next() < 0.2) delete copy[key];
  else copy[key] = mutated(chance, copy[key]);
  return copy;
}

/** Cut off, or with a byte that is another. */
function broken(chance: Random, text: string): string | Buffer {
  if (chance.next() < 0.5) return text.slice(0, chance.below(text.length));
  const bytes = Buffer.from(text);
  bytes[chance.below(bytes.length)] = chance.below(256);
  return bytes;
}

const versions = ["2025-11-25", "2025-06-18", "2025-03-26", "1999-01-01", "\u00ff"];

function headers(chance: Random, modern: boolean, { method, tool }: Message) {
  const accept = chance.next() < 0.97 ? "application/json, text/event-stream" : "text/html";
  const type: Record<string, string> = chance.next() < 0.02 ? { "content-type": "text/plain" } : {};
  const version = chance.next() < 0.3 ? { "mcp-protocol-version": chance.pick(versions) } : {};
  if (!modern) return { accept, ...type, ...version };
  const name: Record<string, string> = tool === undefined ? {} : { "mcp-name": tool };
  const named = (chance.next() < 0.95 && method) || "x";
  return { accept, ...type, "mcp-protocol-version": "2026-07-28", "mcp-method": named, ...name };
}

/** The next request, and the tool that it calls where it is whole. */
export function nextRequest(chance: Random, known: Known): { path: string; asked: Asked; tool?: string } {
  const modern = chance.next() < 0.4;
  const made = message(chance, modern, known);
  const sent = chance.next() < 0.6 ? made.body : mutated(chance, made.body);
  const text = JSON.stringify(chance.next() < 0.03 ? [sent, sent] : sent);
  const raw = chance.next() < 0.05 ? broken(chance, text) : text;
  return {
    path: made.path,
    asked: { method: "POST", raw, headers: headers(chance, modern, made) },
    ...(sent === made.body && raw === text && made.tool !== undefined ? { tool: made.tool } : {}),
  };
}
