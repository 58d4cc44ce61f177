import type { Asked } from "../api/http.ts";
import { api, provided } from "../api/world.ts";
import { connectTo, type McpClient } from "./connect.ts";

/** The client of the protocol over the test's HTTPS. */

type Ask = (path: string, asked: Asked) => ReturnType<typeof api>;

const fetchBy =
  (ask: Ask) =>
  async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { method = "GET", body } = init;
    const { status, headers, text } = await ask(new URL(url instanceof Request ? url.url : url).pathname, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" ? { raw: body } : {}),
    });
    const flat = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(text === "" ? null : text, { status, headers: flat });
  };

export const connectMcp = (token: string, path: string, ask: Ask = api): Promise<McpClient> =>
  connectTo(new URL(path, provided.baseUrl), token, fetchBy(ask));
