import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { request as tlsRequest } from "node:https";
import { isIPv4 } from "node:net";
import type { CustomFetch, CustomFetchOptions } from "openid-client";

/**
 * Requests to the issuer, and to no other kind of address than its own: HTTPS, or HTTP on this machine where the issuer itself is there. No
 * redirect is followed, and an answer is bounded in time and size.
 */

/** Told instead of an answer; its words name no parameter, code or token. */
export class IssuerError extends Error {
  override readonly name = "IssuerError";
}

/** Milliseconds for an answer to be there whole. */
const usualPatience = 10_000;
/** Bytes of an answer: keys of an issuer are the largest, a few dozen of 2 KB. */
const largestAnswer = 256 * 1024;

/** Whether a URL's host is this machine. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || (isIPv4(hostname) && hostname.startsWith("127."));

/** Whether the issuer's own page, keys or tokens may be there. */
export const isAllowed = (url: URL, plain: boolean): boolean =>
  url.protocol === "https:" || (plain && url.protocol === "http:" && isLoopback(url));

const open = (url: URL, options: RequestOptions, body: string | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? tlsRequest : plainRequest;
    const sent = send(url, options, resolve);
    sent.once("error", reject);
    sent.end(body);
  });

async function read(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > largestAnswer) throw new IssuerError(`the issuer's answer has more than ${largestAnswer} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** `ca`: PEM of a private CA, instead of the public ones; `plain`: the issuer is HTTP on this machine; `patience`: milliseconds. */
export function createIssuerFetch({
  ca,
  plain,
  patience = usualPatience,
}: {
  ca?: string;
  plain: boolean;
  patience?: number;
}): CustomFetch {
  return async (href: string, { method, headers, body }: CustomFetchOptions) => {
    const url = new URL(href);
    if (!isAllowed(url, plain)) throw new IssuerError("the issuer names an address that is not https://");
    const over = new AbortController();
    const late = () => over.abort(new IssuerError(`the issuer did not answer in ${patience / 1000} seconds`));
    const timer = setTimeout(late, patience);
    try {
      const options = { method, headers, signal: over.signal, ...(ca === undefined ? {} : { ca }) };
      const response = await open(url, options, body == null ? undefined : String(body));
      const content = await read(response);
      const { statusCode = 0 } = response;
      // A Response takes no body with 204 and 304, nor a status below 200.
      if (statusCode < 200 || content.length === 0) return new Response(null, { status: Math.max(200, statusCode) });
      const type = response.headers["content-type"];
      return new Response(new Uint8Array(content), {
        status: statusCode,
        headers: type === undefined ? {} : { "content-type": type },
      });
    } catch (error) {
      if (over.signal.aborted) throw over.signal.reason;
      if (error instanceof IssuerError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      throw new IssuerError(`the issuer cannot be reached (${code ?? "no code"})`);
    } finally {
      clearTimeout(timer);
    }
  };
}
