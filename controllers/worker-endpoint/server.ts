import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { Logger } from "pino";
import * as z from "zod";
import { ClusterError } from "../../src/cluster/index.ts";
import { outcomeSchema, protocol, reportSchema } from "../../src/worker/protocol.ts";
import { EndpointRefusal } from "./authorise.ts";
import type { WorkerEndpoint } from "./endpoint.ts";

/** The workers' endpoint over TLS: reads a bounded body, checks its shape, and answers JSON. */

/** Bytes. A result carries the report, up to 900,000 characters of base64. */
const largest: Record<string, number> = { "/work": 1024, "/progress": 128 * 1024, "/result": 1280 * 1024 };
/** Requests at the same time, over which one is asked to come again. */
const mostAtOnce = 64;

class BadRequest extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function read(request: IncomingMessage, most: number): Promise<unknown> {
  if (Number(request.headers["content-length"] ?? 0) > most)
    throw new BadRequest(413, `the body is larger than ${most} bytes`);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) throw new BadRequest(413, `the body is larger than ${most} bytes`);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8") || "{}") as unknown;
  } catch {
    throw new BadRequest(400, "the body is not JSON");
  }
}

function check<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  // Paths only: zod's messages may quote what was received.
  const where = parsed.error.issues.slice(0, 5).map((issue) => issue.path.join(".") || "(body)");
  throw new BadRequest(422, `the body is not as the protocol says: ${where.join(", ")}`);
}

function tokenOf(request: IncomingMessage): string {
  const [, token] = /^Bearer ([\w.~+/=-]{1,8192})$/.exec(request.headers.authorization ?? "") ?? [];
  if (token === undefined) throw new EndpointRefusal(401, "token_missing", "the bearer token is missing");
  return token;
}

/** Refuses a worker whose messages this operator does not understand. One of a later version meets an operator of its own after an upgrade. */
function checkVersion({ headers }: IncomingMessage): void {
  const text = headers[protocol.header] ?? "1";
  const version = typeof text === "string" && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
  if (version === undefined) throw new BadRequest(400, `the header ${protocol.header} is not a version`);
  const { version: own, oldest } = protocol;
  if (version > own)
    throw new EndpointRefusal(
      503,
      "protocol_newer",
      `the worker's protocol is version ${version}; this operator knows ${own}`,
    );
  if (version < oldest)
    throw new BadRequest(400, `the worker's protocol is version ${version}; this operator takes ${oldest} to ${own}`);
}

const nothing = z.looseObject({});

async function answer(endpoint: WorkerEndpoint, request: IncomingMessage): Promise<object> {
  const path = request.url ?? "";
  const most = largest[path];
  if (most === undefined) throw new BadRequest(404, "unknown call");
  if (request.method !== "POST") throw new BadRequest(405, "calls are POST requests");
  checkVersion(request);
  const token = tokenOf(request);
  const body = await read(request, most);
  if (path === "/work") {
    check(nothing, body);
    return endpoint.work(token);
  }
  if (path === "/progress") await endpoint.progress(token, check(reportSchema, body));
  else await endpoint.result(token, check(outcomeSchema, body));
  return {};
}

function problemOf(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof EndpointRefusal) return error;
  if (error instanceof BadRequest) return { status: error.status, code: "bad_request", message: error.message };
  if (error instanceof ClusterError) return { status: 503, code: "cluster", message: `the API server: ${error.code}` };
  return { status: 500, code: "internal", message: "an error that the operator did not expect" };
}

export function createWorkerServer(options: {
  endpoint: WorkerEndpoint;
  tls: { cert: string; key: string };
  log: Logger;
}): Server {
  let atOnce = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: object) => {
      const text = JSON.stringify(body);
      response.writeHead(status, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
        ...(status === 503 ? { "retry-after": "1" } : {}),
        // On a new connection the next try may reach another replica, which may be able to answer it.
        ...(request.complete && status !== 503 ? {} : { connection: "close" }),
      });
      response.end(text);
    };
    atOnce += 1;
    try {
      if (atOnce > mostAtOnce) throw new EndpointRefusal(503, "busy", "too many requests at the same time");
      send(200, await answer(options.endpoint, request));
    } catch (error) {
      const { status, code, message } = problemOf(error);
      if (status >= 500) options.log.warn({ path: request.url, code, err: error }, "a worker's request failed");
      else options.log.info({ path: request.url, status, code }, message);
      send(status, { status, code, message });
    } finally {
      atOnce -= 1;
    }
  }

  const server = createServer(
    { ...options.tls, minVersion: "TLSv1.2" },
    (request, response) => void handle(request, response),
  );
  server.requestTimeout = 60_000;
  server.headersTimeout = 10_000;
  server.maxConnections = 1000;
  return server;
}
