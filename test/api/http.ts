import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { installed } from "../../src/resources/crd/installed.ts";

/** HTTPS as a client of the API speaks it, trusting the operator's CA and nothing else. */

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The text as JSON, where it is. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there
  body: any;
}

export interface Asked {
  method?: string;
  token?: string;
  /** Of a session. */
  cookie?: string;
  headers?: Record<string, string | string[]>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  raw?: string | Buffer;
  /** Hangs up. */
  signal?: AbortSignal;
}

export interface Caller {
  ask(path: string, asked?: Asked): Promise<Answer>;
  /** The response as it begins; read it or destroy it. */
  open(path: string, asked?: Asked): Promise<IncomingMessage>;
  close(): void;
}

export function createCaller(folder: string, port: number): Caller {
  const agent = new Agent({ ca: readFileSync(join(folder, installed.apiTls, "ca.crt")), keepAlive: true });

  function open(path: string, asked: Asked = {}): Promise<IncomingMessage> {
    const content = asked.raw ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body));
    const headers: Record<string, string | string[]> = {
      ...(asked.token === undefined ? {} : { authorization: `Bearer ${asked.token}` }),
      ...(asked.cookie === undefined ? {} : { cookie: asked.cookie }),
      ...(content === undefined
        ? {}
        : {
            "content-type": "application/json",
            ...(asked.headers?.["transfer-encoding"] === undefined
              ? { "content-length": String(Buffer.byteLength(content)) }
              : {}),
          }),
      ...asked.headers,
    };
    return new Promise((resolve, reject) => {
      const method = asked.method ?? (content === undefined ? "GET" : "POST");
      const { signal } = asked;
      const options = {
        host: "localhost",
        // Not by the header Host, which a test may set.
        servername: "localhost",
        port,
        agent,
        path,
        method,
        headers,
        ...(signal === undefined ? {} : { signal }),
      };
      const sent = request(options, resolve);
      sent.once("error", reject);
      sent.end(content);
    });
  }

  return {
    open,
    async ask(path, asked) {
      const response = await open(path, asked);
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part as Buffer);
      const text = Buffer.concat(parts).toString("utf8");
      let body: unknown;
      try {
        body = JSON.parse(text);
      } catch {
        body = undefined;
      }
      return { status: response.statusCode ?? 0, headers: response.headers, text, body };
    },
    close: () => agent.destroy(),
  };
}
