import type { IncomingHttpHeaders } from "node:http";
import { type RequestOptions, request } from "node:https";

/** The text of a body, of at most so many bytes. Errors: `tooLarge`. */
export async function readText(response: AsyncIterable<Buffer>, most: number, tooLarge: Error): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > most) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export interface JsonAnswer {
  /** 0 without one. */
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * Sends JSON by one POST. Errors: `tooLarge`, in words, and the connection's, with `reusedSocket` where it had carried a request before: the other
 * side may have closed it, and took nothing then.
 */
export function postJson(
  to: URL,
  body: string,
  { headers, ...options }: RequestOptions & { headers: Record<string, string> },
  { most, tooLarge }: { most: number; tooLarge: string },
): Promise<JsonAnswer> {
  const all = { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(to, { method: "POST", ...options, headers: all }, (response) => {
      const { statusCode: status = 0, headers } = response;
      readText(response, most, new Error(tooLarge)).then((text) => resolve({ status, headers, text }), reject);
    });
    sent.once("error", (error) => reject(Object.assign(error, { reusedSocket: sent.reusedSocket })));
    sent.end(body);
  });
}
