import { check } from "../api/input.ts";
import { problemOf } from "../api/problem.ts";
import type { Problem, ProblemCode } from "../requests/errors.ts";
import { requireScope } from "../requests/sessions/scope.ts";
import type { World } from "../requests/world.ts";
import { fenced } from "./fence.ts";
import { plain } from "./plain.ts";
import { byTools } from "./rest-paths.ts";
import type { Tool, ToolCall, ToolText } from "./tool.ts";
import { withoutUrls } from "./urls.ts";

/** Calls a tool. What goes wrong in it is an answer too, in words that a model can act on, with the code of the registry. */
interface ToolResult {
  content: [{ type: "text"; text: string }];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

export interface CallWorld {
  world: World;
  requestId: string;
  /** Who calls is asked anew for each call, since it may be revoked by now. Throws Problem. */
  call(): Promise<ToolCall>;
  /** Told of what was not foreseen. */
  failed(error: unknown): void;
  /** Told how a tool that changes something ended: `done`, `refused` or the error's code, and the id of what it acted on. */
  acted(result: string, object: string | undefined): void;
}

const text = (words: string): ToolResult["content"] => [{ type: "text", text: words }];

const idIn = ({ id }: Record<string, unknown>): string | undefined => (typeof id === "string" ? id : undefined);

/** Of what a tool made. */
function idOf(data: Record<string, unknown>): string | undefined {
  const made = Object.values(data).find((one) => typeof one === "object" && one !== null && "id" in one);
  return idIn({ ...data, ...made });
}

/** What reaches out to a database acts by the user's name, also if it changes nothing. */
const scopeOf = ({ annotations: { readOnlyHint, openWorldHint } }: Tool) =>
  readOnlyHint && !openWorldHint ? "read" : "write";

export async function callTool(
  tool: Tool,
  input: unknown,
  { world, requestId, call, failed, acted }: CallWorld,
): Promise<ToolResult> {
  const changes = !tool.annotations.readOnlyHint;
  let object: string | undefined;
  try {
    const checked = check(tool.input, input ?? {}, "arguments");
    const made = await call();
    requireScope(made.caller, scopeOf(tool));
    object = idIn(checked);
    const said = await tool.run(world, made, checked);
    if (changes) acted(said.refused ? "refused" : "done", object ?? idOf(said.data));
    return shown(said);
  } catch (error) {
    const problem = problemOf(error);
    if (changes) acted(problem.code, object);
    if (problem.status >= 500) failed(problem.cause ?? problem);
    const trace = problem.status >= 500 ? `\nrequest_id: ${requestId}` : "";
    return { content: text(`${wordsOf(problem, world.randomBytes(8))}${trace}`), isError: true };
  }
}

function shown({ text: words, data, refused }: ToolText): ToolResult {
  const fence = data.untrusted == null ? "" : `\n${data.untrusted}`;
  return {
    content: text(`${words}${fence}`),
    structuredContent: data,
    ...(refused ? { isError: true } : {}),
  };
}

/** Their words are a server's, not ours. */
const quoting = new Set<ProblemCode>(["source_unreachable", "target_unreachable"]);

const safe = (words: string): string => plain(withoutUrls(byTools(words)), 600);

function wordsOf({ code, message, errors = [], retryAfter }: Problem, random: Uint8Array): string {
  const wait = retryAfter === undefined ? [] : [`Wait ${retryAfter} seconds before you try again.`];
  if (quoting.has(code)) return [`${code}:`, fenced([safe(message)], random) ?? "", ...wait].join("\n");
  const fields = errors.length < 2 ? [] : errors.slice(0, 10).map((one) => safe(`- ${one.field}: ${one.message}`));
  return [`${code}: ${safe(message)}`, ...fields, ...wait].join("\n");
}
