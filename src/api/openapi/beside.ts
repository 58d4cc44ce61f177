import * as z from "zod";
import { bounds } from "../docs/search.ts";
import { problemType } from "../problem.ts";
import { type Components, type Json, problemSchema } from "./components.ts";

/**
 * What the service answers beside the operations of REST: the MCP servers and the documentation. They have entries in the
 * document, each with its tier, so that a reader of it finds them; their own routes check and answer.
 */

const tags = {
  mcp: {
    name: "MCP servers",
    description:
      "The Model Context Protocol for agents, over streamable HTTP without a session: one JSON-RPC message for each request.",
  },
  docs: { name: "Documentation", description: "The documentation as pages, as Markdown and as texts for models." },
};

const messageSchema = z
  .strictObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.int()]).optional().describe("The id of a request; a notification has no id."),
    method: z.string().describe("The method, for example `tools/call`."),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .describe("One JSON-RPC message; a batch is refused.");

const answerSchema = z
  .looseObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.int(), z.null()]).optional(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.object({ code: z.int(), message: z.string() }).optional(),
  })
  .describe("A JSON-RPC response: `result` or `error`.");

const requestId: Json = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
const retryAfter: Json = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

function mcp(name: string, covers: string, components: Components): Json {
  const error = (description: string, headers: Json = {}): Json => ({
    description,
    headers: { ...requestId, ...headers },
    content: { "application/json": { schema: components.schema(answerSchema, "output", "McpAnswer") } },
  });
  const example = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  return {
    operationId: `call${name}McpServer`,
    summary: `Call the ${name.toLowerCase()} MCP server`,
    description: `${covers} Tool calls and lists count in the tier \`ai\` (or in that of their tool), \`initialize\`, \`ping\` and notifications in \`handshake\`.`,
    tags: [tags.mcp.name],
    security: [{ token: [] }],
    "x-rate-limit-tier": "ai",
    requestBody: {
      required: true,
      content: { "application/json": { schema: components.schema(messageSchema, "input", "McpMessage"), example } },
    },
    responses: {
      "200": {
        description: "The response.",
        headers: requestId,
        content: { "application/json": { schema: components.schema(answerSchema, "output", "McpAnswer") } },
      },
      "202": { description: "A notification was taken.", headers: requestId },
      "400": error("The request or its message is not valid."),
      "401": error("Authentication required: send an API token."),
      "403": error("`Origin` or `Host` is not allowed."),
      "404": error("A client of revision 2026-07-28 called a method that does not exist."),
      "406": error("`Accept` takes no JSON."),
      "408": error("Request timed out."),
      "413": error("Request body too large."),
      "415": error("`Content-Type` is not `application/json`."),
      "429": error("Rate limit exceeded.", retryAfter),
      "431": error("Request headers too large."),
      "500": error("Internal error."),
      "503": error("Server busy.", retryAfter),
    },
  };
}

interface Text {
  path: string;
  id: string;
  summary: string;
  description: string;
  type: string;
  parameters?: Json[];
  /** In the tier `search`. */
  limited?: true;
}

const text = (name: string, where: "path" | "query", description: string, schema: Json = {}): Json => ({
  name,
  in: where,
  required: where === "path",
  description,
  schema: { type: "string", maxLength: 100, ...schema },
});

const page = text("page", "path", "Its name, such as `quick-start`.");

const texts: readonly Text[] = [
  {
    path: "/docs",
    id: "getDocs",
    summary: "Read the contents of the documentation",
    description: "The list of all pages, as HTML. `/docs.md` returns it as Markdown.",
    type: "text/html",
  },
  {
    path: "/docs/search",
    id: "searchDocs",
    summary: "Search the documentation",
    description: "Headings with all of the words, or with words of the same meaning, as HTML.",
    type: "text/html",
    parameters: [
      text("q", "query", "The words to search for.", { maxLength: bounds.length, examples: ["resume copy"] }),
    ],
    limited: true,
  },
  {
    path: "/docs/{page}",
    id: "getDocsPage",
    summary: "Read a page of the documentation",
    description: "As HTML.",
    type: "text/html",
    parameters: [page],
  },
  {
    path: "/docs/{page}.md",
    id: "getDocsMarkdown",
    summary: "Read a page of the documentation as Markdown",
    description: "The same page as Markdown.",
    type: "text/markdown",
    parameters: [page],
  },
  {
    path: "/llms.txt",
    id: "getLlmsText",
    summary: "Read the list of pages for models",
    description: "A title, a summary and a list of links, by the rules of llmstxt.org.",
    type: "text/plain",
  },
  {
    path: "/llms-full.txt",
    id: "getLlmsFullText",
    summary: "Read all pages as one text",
    description: "Every page of the documentation, one after the other.",
    type: "text/plain",
  },
];

/** What only a search may answer beside the rest. */
function searchErrors(components: Components): Json {
  const problem = (description: string, headers: Json = {}): Json => ({
    description,
    headers: { ...requestId, ...headers },
    content: { [problemType]: { schema: components.schema(problemSchema, "output", "Problem") } },
  });
  return {
    "422": problem("The words to search for are too long (`invalid`)."),
    "429": problem("Rate limit exceeded (`rate_limited`).", retryAfter),
    "503": problem("The service cannot respond now (`unavailable`).", retryAfter),
  };
}

const described = (
  { id, summary, description, type, parameters, limited }: Text,
  components: Components,
  search: Windows,
): Json => ({
  operationId: id,
  summary,
  description,
  tags: [tags.docs.name],
  security: [],
  "x-rate-limit-tier": limited ? "search" : "none",
  ...(limited ? { "x-rate-limits": search } : {}),
  ...(parameters === undefined ? {} : { parameters }),
  responses: {
    "200": { description: "The text.", headers: requestId, content: { [type]: { schema: { type: "string" } } } },
    "304": { description: "It is what you have.", headers: requestId },
    "404": { description: "The page does not exist.", headers: requestId },
    ...(limited ? searchErrors(components) : {}),
  },
});

type Windows = readonly { points: number; seconds: number }[];

/** Tags and paths for the document. `search`: the limits of a search of the documentation. */
export const besideRest = (
  components: Components,
  search: Windows,
): { tags: Json[]; paths: Record<string, Record<string, Json>> } => ({
  tags: Object.values(tags),
  paths: {
    "/mcp-migrations": {
      post: mcp("Migrations", "List, inspect, pre-flight, create, retry, reset and delete migrations.", components),
    },
    "/mcp": { post: mcp("Backups", "Backup schedules, their runs, and restores.", components) },
    ...Object.fromEntries(texts.map((one) => [one.path, { get: described(one, components, search) }])),
  },
});
