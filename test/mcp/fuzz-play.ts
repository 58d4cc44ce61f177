import { mcpServers } from "../../src/mcp/servers.ts";
import { problems } from "../../src/requests/errors.ts";
import type { Answer, Asked } from "../api/http.ts";
import { random } from "../chaos/random.ts";
import { type Known, nextRequest, secret } from "./fuzz-messages.ts";

/** Fuzzes both servers by messages, and judges each answer by what docs/mcp.md says of answers. */
export interface McpFuzz {
  /** The same messages follow from the same seed. */
  seed: number;
  messages: number;
  token: string;
  known: Known;
  /** What no answer may have, beside the password of the messages' URLs. */
  secrets?: readonly string[];
  ask(path: string, asked: Asked): Promise<Answer>;
}

export interface McpPlayed {
  messages: number;
  statuses: Record<string, number>;
  /** How often each tool answered, by `done` or by the code of its error. */
  tools: Record<string, number>;
  failures: { what: string; how: string }[];
}

const atOnce = 8;
/** Beside what a fuzz never does: to come without a token, and too often. */
export const byHttp = [200, 202, 400, 404, 406, 413, 415];
const longestError = 4000;
const tools = new Map(mcpServers.flatMap((server) => server.tools.map((tool) => [tool.name, tool])));

export async function playMcpFuzz(
  { seed, messages, token, known, ask, secrets = [] }: McpFuzz,
  signal?: AbortSignal,
): Promise<McpPlayed> {
  const chance = random(seed);
  const played: McpPlayed = { messages: 0, statuses: {}, tools: {}, failures: [] };
  const seen = new Set<string>();
  const count = (counts: Record<string, number>, name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };

  async function one(): Promise<void> {
    const { path, asked, tool } = nextRequest(chance, known);
    const answer = await ask(path, { token, ...asked });
    played.messages += 1;
    count(played.statuses, String(answer.status));
    const called = tool === undefined ? undefined : outcomeOf(answer);
    if (called !== undefined) count(played.tools, `${tool} ${called}`);
    // The id goes back as it came.
    const shown = JSON.stringify({ ...answer.body, id: 0 });
    const leaked = [secret, ...secrets].some((one) => shown.includes(one)) ? ["it shows what it may not"] : [];
    for (const what of [...leaked, ...faultsOf(answer, tool)]) {
      if (seen.has(what)) continue;
      seen.add(what);
      const how = `${path} ${JSON.stringify(asked.headers)}\n${String(asked.raw).slice(0, 2000)}\n→ ${answer.status} ${answer.text.slice(0, 2000)}`;
      played.failures.push({ what, how });
    }
  }

  async function some(): Promise<void> {
    for (let left = Math.ceil(messages / atOnce); left > 0; left -= 1) {
      signal?.throwIfAborted();
      await one();
    }
  }
  await Promise.all(Array.from({ length: atOnce }, some));
  return played;
}

const wordsOf = ({ body }: Answer): string => String(body?.result?.content?.[0]?.text ?? "");
const codeOf = (words: string): string => /^(\w+):/.exec(words)?.[1] ?? "";

/** What a call of a tool came to; undefined where it came to no tool. */
function outcomeOf(answer: Answer): string | undefined {
  if (answer.body?.result?.content === undefined) return undefined;
  return answer.body.result.isError === true ? codeOf(wordsOf(answer)) || "refused" : "done";
}

/** What is wrong with an answer, in words that are the same for the same fault. */
function faultsOf(answer: Answer, tool: string | undefined): string[] {
  const { status, text, body } = answer;
  const faults: string[] = [];
  if (!byHttp.includes(status)) faults.push(`the status ${status} is not documented`);
  if (status === 202) return text === "" ? faults : [...faults, "a notification has an answer"];
  if (status === 413 || status === 415)
    return body?.error?.data?.code === undefined ? [...faults, "no problem document"] : faults;
  if (body?.jsonrpc !== "2.0" || "result" in body === "error" in body) return [...faults, "no answer of JSON-RPC"];
  if (body.error !== undefined) {
    if (JSON.stringify(body.error).length > longestError) faults.push("an error quotes too much of what was sent");
    return Number.isInteger(body.error.code) && typeof body.error.message === "string"
      ? faults
      : [...faults, "an error without code or message"];
  }
  return body.result.content === undefined ? faults : [...faults, ...faultsOfCall(answer, tool)];
}

function faultsOfCall(answer: Answer, tool: string | undefined): string[] {
  const { isError, structuredContent } = answer.body.result;
  const code = codeOf(wordsOf(answer));
  if (code === "internal" || code === "unavailable") return [`${tool} answers ${code}`];
  if (isError === true && structuredContent === undefined)
    return code in problems ? [] : [`${tool} fails without a code of the registry`];
  const said = tool === undefined ? undefined : tools.get(tool)?.output.strict().safeParse(structuredContent);
  return said === undefined || said.success
    ? []
    : [`${tool} answers other than its output schema: ${said.error.message}`];
}
