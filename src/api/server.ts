import { createServer as createPlain, type RequestListener, type Server } from "node:http";
import { createServer as createTls, type Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { Problem, type ProblemCode, problems } from "../requests/errors.ts";
import { problemDocument, problemType } from "./problem.ts";

/** The public port: TLS unless it is to be plain, with bounds on what a slow, large or silent client may hold. */
export interface ServerOptions {
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

const codes: Record<string, { code: ProblemCode; detail: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: "timed_out",
    detail: "Send the headers in 10 seconds and the whole request in 30.",
  },
  HPE_HEADER_OVERFLOW: {
    code: "headers_too_large",
    detail: `Send no more than ${bounds.largestHeaders} bytes of headers.`,
  },
};

export function createApiServer(options: ServerOptions, listener: RequestListener): Server | TlsServer {
  const common = {
    maxHeaderSize: bounds.largestHeaders,
    headersTimeout: options.times?.headers ?? 10_000,
    requestTimeout: options.times?.request ?? 30_000,
    keepAliveTimeout: bounds.keepAliveTimeout,
    connectionsCheckingInterval: Math.min(1000, options.times?.headers ?? 1000),
    noDelay: true,
  };
  const server =
    options.tls === undefined
      ? createPlain(common, listener)
      : createTls(
          { ...common, ...options.tls, minVersion: "TLSv1.2", handshakeTimeout: bounds.handshakeTimeout },
          listener,
        );
  server.maxConnections = options.mostConnections;
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => refuse(error, socket, options));
  return server;
}

/** Answers on the bare socket what never became a request. */
function refuse(error: NodeJS.ErrnoException, socket: Socket, { baseUrl, newId }: ServerOptions): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const { code, detail } = codes[error.code ?? ""] ?? {
    code: "malformed_request" as const,
    detail: "The request breaks the rules of HTTP/1.1.",
  };
  const id = newId();
  const body = JSON.stringify(problemDocument(new Problem(code, detail), id, baseUrl));
  const { status } = problems[code];
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
