import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A listener that can go away and come back on its port. */
export interface Listener {
  host: string;
  port: number;
  /** New connections are refused and the open ones cut. */
  down(): Promise<void>;
  up(): Promise<void>;
}

export const listen = async (handler: RequestListener, host: string, port: number): Promise<Listener> => {
  const server = createServer(handler);
  const up = async (at: number): Promise<void> => {
    server.listen(at, host);
    await once(server, "listening");
  };
  await up(port);
  const own = (server.address() as AddressInfo).port;
  return {
    host,
    port: own,
    async down() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
    async up() {
      if (!server.listening) await up(own);
    },
  };
};

const largest = 1_000_000;

/** A request's body as text. Errors: more than a megabyte. */
export const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largest) throw new Error("The request is larger than a megabyte");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
};

export const sendJson = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  if (response.destroyed) return;
  const text = `${JSON.stringify(body, null, 2)}\n`;
  response.writeHead(status, {
    "Content-Type": "application/json",
    ...headers,
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
};

export const sendHtml = (response: ServerResponse, status: number, html: string): void => {
  response.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(html),
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(html);
};
