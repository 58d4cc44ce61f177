import { constants, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { TLSSocket } from "node:tls";
import type { Logger } from "pino";
import type { GuardPolicy } from "../guard/policy.ts";
import { readText } from "../guard/post-json.ts";
import { asJson } from "../requests/as-json.ts";
import { unreachableResponse } from "./ended.ts";
import { Busy, type PoolCall, type ProcessPool } from "./pool.ts";
import {
  accountHeader,
  type CallKind,
  callSchemas,
  clientName,
  largestCall,
  type ProbeCall,
  type ProbeResponse,
  requestIdHeader,
  responseSchemas,
} from "./protocol.ts";
import type { TlsFiles } from "./tls-files.ts";

/**
 * The prober over mutual TLS: takes calls of the API alone, hands each to a child of its own, and answers JSON. What is logged
 * of a call is its kind, its outcome's codes and its time; never a word of what was sent or answered.
 */

class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface ProberOptions {
  pool: ProcessPool;
  guard: GuardPolicy;
  /** Milliseconds by kind. */
  deadlines: Record<CallKind, number>;
  /** Between PostgreSQL servers pg_dump tells what depends on the tables that are left out. */
  tools: NonNullable<PoolCall["tools"]>;
  /** Its major version; undefined where there is none. */
  pgDump(): number | undefined;
  /** Bytes of heap of the workers. */
  workerHeap: number;
  tls: TlsFiles;
  log: Logger;
  /** Monotonic milliseconds. */
  now(): number;
  /** Told each outcome, for the metrics. */
  ended(outcome: "answered" | "unreachable" | "busy" | "refused" | "failed"): void;
}

/** A body that comes slower than this is not waited for. */
const bodyMs = 5_000;
const mostConnections = 256;
/** Seconds after which a caller that was told to come again may. */
const retryAfter = 2;

/** A certificate is looked at anew for each connection: no session of before is taken up. */
export const secureContext = ({ cert, key, ca }: TlsFiles) => ({
  cert,
  key,
  ca,
  minVersion: "TLSv1.3" as const,
  secureOptions: constants.SSL_OP_NO_TICKET,
});

export function createProberServer(options: ProberOptions): Server {
  const { log, now } = options;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begin = now();
    const id = headerOf(request, requestIdHeader) ?? randomUUID();
    const account = headerOf(request, accountHeader);
    const kind = (request.url ?? "").slice(1);
    const gone = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    const took = () => Math.round(now() - begin);
    try {
      const call = await callOf(request);
      const answer = await answerOf(
        call,
        { account, until: begin + options.deadlines[call.kind], signal: gone.signal },
        options,
      );
      const codes = "unreachable" in answer ? answer.unreachable.map(({ side, code }) => `${side}: ${code}`) : [];
      log.info({ request_id: id, kind, ms: took(), codes }, "probed");
      options.ended(codes.length === 0 ? "answered" : "unreachable");
      send(request, response, 200, answer);
    } catch (error) {
      const { status, code, message } = refusalOf(error);
      // An unexpected error's own words could hold what was sent.
      const type = status === 500 && error instanceof Error ? { type: error.name } : {};
      log[status === 500 ? "error" : "info"](
        { request_id: id, kind: kind.slice(0, 20), ms: took(), status, code, ...type },
        "refused",
      );
      options.ended(status === 500 ? "failed" : status === 503 ? "busy" : "refused");
      send(request, response, status, { code, message });
    }
  }

  const server = createServer(
    {
      ...secureContext(options.tls),
      requestCert: true,
      rejectUnauthorized: true,
      maxHeaderSize: 8 * 1024,
      headersTimeout: 5_000,
      requestTimeout: bodyMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 60_000,
    },
    (request, response) => void handle(request, response),
  );
  server.maxConnections = mostConnections;
  server.on("resumeSession", (_id, done) => done(null, null));
  return server;
}

/** A harmless word of a header, or none. */
function headerOf(request: IncomingMessage, name: string): string | undefined {
  const [value, ...more] = request.headersDistinct[name] ?? [];
  return value !== undefined && more.length === 0 && /^[\w.:/+=@-]{1,100}$/.test(value) ? value : undefined;
}

async function callOf(request: IncomingMessage): Promise<ProbeCall> {
  const { subject } = (request.socket as TLSSocket).getPeerCertificate();
  if (subject?.CN !== clientName) throw new Refusal(403, "forbidden", "this client may not ask");
  const kind = (request.url ?? "").slice(1);
  if (!Object.hasOwn(callSchemas, kind)) throw new Refusal(404, "not_found", "unknown call");
  if (request.method !== "POST") throw new Refusal(405, "method_not_allowed", "calls are POST requests");
  if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? ""))
    throw new Refusal(415, "unsupported_media_type", "the body is JSON");
  return parsed(kind as CallKind, await read(request));
}

async function read(request: IncomingMessage): Promise<unknown> {
  const tooLarge = new Refusal(413, "body_too_large", `the body is larger than ${largestCall} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > largestCall) throw tooLarge;
  const body = asJson(await readText(request, largestCall, tooLarge));
  if (body === undefined) throw new Refusal(400, "bad_request", "the body is not JSON");
  return body;
}

function parsed(kind: CallKind, body: unknown): ProbeCall {
  const result = callSchemas[kind].safeParse(body);
  if (result.success) return { kind, ...result.data } as ProbeCall;
  // Paths only: zod's messages may quote what was received.
  const where = result.error.issues.slice(0, 5).map((issue) => issue.path.join(".").slice(0, 80) || "(body)");
  throw new Refusal(422, "invalid", `the body is not as the protocol says: ${where.join(", ")}`);
}

const asksPgDump = (call: ProbeCall): boolean =>
  call.kind === "preflight" &&
  (call.options.include !== undefined || call.options.exclude !== undefined) &&
  isPostgres(call.source) &&
  isPostgres(call.target);

const isPostgres = ({ url }: { url: string }) => /^\s*postgres(ql)?:/i.test(url);

async function answerOf(
  call: ProbeCall,
  asking: Omit<PoolCall, "tools">,
  { pool, guard, tools, pgDump, workerHeap }: ProberOptions,
): Promise<ProbeResponse> {
  const work = { call, guard, pgDump: pgDump(), workerHeap };
  const result = await pool.run(work, asksPgDump(call) ? { ...asking, tools } : asking);
  if (!("answer" in result)) return unreachableResponse(call.kind, result);
  // The child has talked to a stranger's server: what it says is checked as a stranger's.
  const answer = responseSchemas[call.kind].safeParse(result.answer);
  return answer.success ? answer.data : unreachableResponse(call.kind, { why: "crash", reached: new Set() });
}

function refusalOf(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof Refusal) return error;
  if (error instanceof Busy) return { status: 503, code: error.own ? "account_busy" : "busy", message: error.message };
  return { status: 500, code: "internal", message: "an error that the prober did not expect" };
}

function send(request: IncomingMessage, response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...(status === 503 ? { "retry-after": String(retryAfter) } : {}),
    // What was not read of a refused body would be taken for the next request.
    ...(request.complete ? {} : { connection: "close" }),
  });
  response.end(text);
}
