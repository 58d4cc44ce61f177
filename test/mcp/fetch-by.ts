import type { Answer, Asked } from "../api/http.ts";

/** `fetch` by a caller of the tests, which trusts the operator's CA. */
export const fetchBy =
  (ask: (path: string, asked: Asked) => Promise<Answer>) =>
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
