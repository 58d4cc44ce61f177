import { validateHostHeader } from "@modelcontextprotocol/server";
import type { Request as Asked, Response as Reply } from "express";
import type { Mounted } from "../api/app.ts";
import { auditedCaller, noteAudit } from "../api/audit.ts";
import { authenticateAndSpend, createMeter, whoCalls } from "../api/authenticate-and-spend.ts";
import { readBody } from "../api/body.ts";
import { checkHeaders, goneOf } from "../api/incoming.ts";
import type { LimitName, RateLimiter } from "../api/limits.ts";
import type { ProblemDocument } from "../api/problem.ts";
import { Problem } from "../requests/errors.ts";
import { authenticate, type RequestCredentials } from "../requests/sessions/authenticate.ts";
import type { World } from "../requests/world.ts";
import { operationOf, tiersOf } from "./message.ts";
import { createServe } from "./serve.ts";
import type { McpServerDescription, ToolCall } from "./tool.ts";
import { withoutUrlsInError } from "./urls.ts";

/**
 * An MCP server as a path of the API: streamable HTTP without a session. The order is REST's: the headers, who calls, the body, the limit,
 * the message. Only what is not the message's fault is an error of HTTP; the rest is JSON-RPC's, or the tool's.
 */
interface McpRouteOptions {
  world: World;
  limits: RateLimiter;
  description: McpServerDescription;
  version: string;
  /** Of foreign pages that may call with a token. */
  origins: readonly string[];
}

/** What counts in no tier. */
const handshake: readonly LimitName[] = ["handshake"];

export function createMcpRoute({ world, limits, description, version, origins }: McpRouteOptions): Mounted {
  const { path, tools } = description;
  const base = new URL(world.settings.baseUrl);
  const serve = createServe({ description, version });

  /** A page of a foreign name that leads here, and a foreign page, are no clients. Throws Problem `origin_refused`. */
  function checkOrigin(request: Asked): void {
    // What the middleware of `@modelcontextprotocol/express` asks, too: here the answer is of the registry's form.
    if (!validateHostHeader(request.get("host"), [base.hostname]).ok)
      throw new Problem("origin_refused", `The header Host must name ${base.hostname}.`);
    const origin = request.get("origin");
    if (origin !== undefined && origin !== base.origin && !origins.includes(origin))
      throw new Problem("origin_refused", "The header Origin names a foreign page: a client leaves it out.");
  }

  return {
    path,
    errorBody: rpcProblem,
    async handle(request, response) {
      response.locals["operation"] = path.slice(1);
      checkHeaders(request);
      checkOrigin(request);
      // A token and nothing else: a session's cookie is a browser's.
      const shown: RequestCredentials = {
        authorization: request.get("authorization"),
        cookie: undefined,
        origin: undefined,
        method: "POST",
      };
      const first = await authenticateAndSpend({
        ...{ meter: createMeter(limits, response), response },
        who: () => whoCalls(world, shown, "account"),
        countsIn: async () => {
          const read = await readMessage(request);
          if (!("message" in read)) return { read, limits: handshake };
          response.locals["message"] = read.message;
          response.locals["operation"] = operationOf(read.message, tools);
          const tiers = tiersOf(read.message, tools);
          return { read, limits: tiers.length === 0 ? handshake : tiers };
        },
      });
      const { read } = first.counted;
      if ("problem" in read) throw read.problem;
      if (request.accepts("application/json") === false) return send(response, 406, rpcError(notAccepted));
      if ("refused" in read) return send(response, 400, rpcError(read.refused));
      const signal = goneOf(response);
      const requestId = String(response.locals["id"]);
      let calls = {};
      const answer = await serve(webRequest(request, new URL(path, base), signal), read.message, {
        world,
        requestId,
        call: async () => {
          const caller = await authenticate(world, shown);
          calls = auditedCaller({ identity: caller, caller });
          // The headers tell then of what a tool took last.
          const spend: ToolCall["spend"] = (tier) =>
            createMeter(limits, response).spend([tier], caller.account.metadata.name);
          return { caller, asked: { requestId, signal }, spend };
        },
        acted: (result, object) =>
          noteAudit(response, { ...calls, result, ...(object === undefined ? {} : { object }) }),
        failed: (error) => {
          response.locals["failure"] = error;
        },
      });
      return send(response, answer.status, withoutUrlsInError(await answer.text()));
    },
  };
}

interface RpcFault {
  code: number;
  message: string;
}

const rpcError = (error: RpcFault): string => JSON.stringify({ jsonrpc: "2.0", error, id: null });

/** For every error of HTTP with a code, since clients of the protocol show nothing of a problem document; `data` holds it. */
function rpcProblem(problem: ProblemDocument, message: unknown): object {
  const id = typeof message === "object" && message !== null && "id" in message ? message.id : null;
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  return { jsonrpc: "2.0", error: { code: -32000, message: problem.detail, data: problem }, id: known };
}

/** Every answer is JSON: what a client of the protocol lists beside it is for servers that stream. */
const notAccepted: RpcFault = {
  code: -32000,
  message: "The answer is JSON: send Accept: application/json, text/event-stream.",
};

/** Who sends no message has made a call all the same: what is wrong with it is told after that was counted. */
async function readMessage(
  request: Asked,
): Promise<{ message: unknown } | { refused: RpcFault } | { problem: Problem }> {
  try {
    const message = await readBody(request);
    if (Array.isArray(message))
      return { refused: { code: -32600, message: "Send one message in a request: batches are not supported." } };
    if (message !== undefined) return { message };
    return { refused: { code: -32700, message: "The body is empty: send a JSON-RPC message." } };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code === "invalid" ? { refused: { code: -32700, message: error.message } } : { problem: error };
  }
}

/** The head of the request, of which its token and `Accept` were looked at; the message goes along as it was read. */
function webRequest({ headersDistinct }: Asked, url: URL, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct))
    if (name !== "authorization" && name !== "accept") for (const value of values) headers.append(name, value);
  // The library looks for both by their letters, where HTTP has more ways to say that JSON is taken.
  headers.set("accept", "application/json, text/event-stream");
  return new Request(url, { method: "POST", headers, signal });
}

function send(response: Reply, status: number, text: string): void {
  response.status(status);
  if (text !== "")
    response.set({ "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(text)) });
  response.end(text);
}
