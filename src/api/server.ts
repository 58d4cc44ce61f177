import {
  createServer as createPlain,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTls, type Server as TlsServer } from "node:https";
import type { Duplex } from "node:stream";
import { Problem, type ProblemCode, problems } from "../requests/errors.ts";
import { problemDocument, problemType } from "./problem.ts";

/** The public port: TLS unless it is to be plain, with bounds on what a slow, large or silent client may hold. */
interface ServerOptions {
  /** PEM; without it the port is plain HTTP. */
  tls?: { cert: string; key: string };
  /** Of the documentation, in errors that are told before a request is one. */
  baseUrl: string;
  newId: () => string;
  mostConnections: number;
  /** Milliseconds that a client has for its headers, and for a whole request. */
  times?: { headers: number; request: number };
}

/** Milliseconds; bytes. */
const bounds = {
  // Longer than what is usual before it (60 s), so that no proxy sends into a connection that ends.
  keepAliveTimeout: 75_000,
  handshakeTimeout: 10_000,
  largestHeaders: 16_384,
};

interface Refusal {
  code: ProblemCode;
  detail: string;
}

const broken: Refusal = { code: "malformed_request", detail: "The request breaks the rules of HTTP/1.1." };
const codes: Record<string, Refusal> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: "timed_out",
    detail: "Send the headers within 10 seconds and the complete request within 30.",
  },
  HPE_HEADER_OVERFLOW: {
    code: "headers_too_large",
    detail: `Send no more than ${bounds.largestHeaders} bytes of headers.`,
  },
};

export function createApiServer(options: ServerOptions, listener: RequestListener): Server | TlsServer {
  const common = {
    maxHeaderSize: bounds.largestHeaders,
    // Node would answer by itself, and not with a problem.
    requireHostHeader: false,
    headersTimeout: options.times?.headers ?? 10_000,
    requestTimeout: options.times?.request ?? 30_000,
    keepAliveTimeout: bounds.keepAliveTimeout,
    connectionsCheckingInterval: Math.min(1000, options.times?.headers ?? 1000),
    noDelay: true,
  };
  const checked: RequestListener = (request, response) => {
    if (request.httpVersion === "1.1" && request.headers.host === undefined)
      answer(response, options, "The `Host` header is required in HTTP/1.1.");
    else listener(request, response);
  };
  const server =
    options.tls === undefined
      ? createPlain(common, checked)
      : createTls(
          { ...common, ...options.tls, minVersion: "TLSv1.2", handshakeTimeout: bounds.handshakeTimeout },
          checked,
        );
  server.maxConnections = options.mostConnections;
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
    else refuse(socket, options, codes[error.code ?? ""] ?? broken);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    refuse(socket, options, {
      code: "malformed_request",
      detail: "CONNECT is not supported: this server is not a proxy.",
    });
    // Node listens to it no more: what still comes is read, so that its end is seen.
    socket.resume();
  });
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) =>
    answer(response, options, "Only `Expect: 100-continue` is supported: remove other values."),
  );
  return server;
}

/** Answers a request before it comes to the app. */
function answer(response: ServerResponse, { baseUrl, newId }: ServerOptions, detail: string): void {
  const problem = new Problem("malformed_request", detail);
  const id = newId();
  const body = JSON.stringify(problemDocument(problem, id, baseUrl));
  response
    .writeHead(problem.status, {
      "Content-Type": problemType,
      "Content-Length": Buffer.byteLength(body),
      "X-Request-Id": id,
      "Cache-Control": "no-store",
      Connection: "close",
    })
    .end(body);
}

/** Milliseconds for a client to take the answer to what never became a request. */
const parting = 2_000;

/** Answers on the bare socket what never became a request, and ends it whatever the client does. */
function refuse(socket: Duplex, { baseUrl, newId }: ServerOptions, { code, detail }: Refusal): void {
  const id = newId();
  const body = JSON.stringify(problemDocument(new Problem(code, detail), id, baseUrl));
  const { status } = problems[code];
  socket.on("error", () => socket.destroy());
  const late = setTimeout(() => socket.destroy(), parting);
  socket.once("close", () => clearTimeout(late));
  socket.end(
    [
      `HTTP/1.1 ${status} ${problems[code].title}`,
      `Content-Type: ${problemType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${id}`,
      "Cache-Control: no-store",
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
