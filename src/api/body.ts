import type { IncomingMessage } from "node:http";
import { Problem } from "../requests/errors.ts";
import { invalid } from "./input.ts";
import { JsonError, parseJson } from "./json.ts";

/** Reads the body of a request: JSON in UTF-8 and no more than so much of it. */

export const largestBody = 65_536;
/** Of who is not known yet: each connection of a stranger may hold as much, for as long as a request may take. */
export const largestUnauthenticatedBody = 16_384;

const tooLarge = (most: number) =>
  new Problem("body_too_large", `The body is larger than the limit of ${most} bytes: send a smaller one.`);

export async function readBytes(request: IncomingMessage, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    // What is too large is answered, on a connection that is still there.
    for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > most) break;
      parts.push(part);
    }
  } catch (cause) {
    throw new Problem("malformed_request", "The body ended before it was complete.", { cause });
  }
  if (size > most) throw tooLarge(most);
  return Buffer.concat(parts);
}

function checkType(request: IncomingMessage): void {
  const [type = "", ...parameters] = (request.headers["content-type"] ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice(8);
  const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (type !== "application/json" || !["utf-8", "utf8", undefined].includes(charset?.replace(/"/g, "")))
    throw new Problem("unsupported_media_type", "Send the body as JSON in UTF-8, with Content-Type: application/json.");
  if (coding !== "identity")
    throw new Problem("unsupported_media_type", "Send the body as it is, without a Content-Encoding.");
}

/** The body's value, undefined for an empty one. Throws Problem 413, 415 and, with the place, `invalid`. */
export async function readBody(request: IncomingMessage, most = largestBody): Promise<unknown> {
  const announced =
    request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
  if (!announced) return undefined;
  // What is no JSON is refused by its head, before it is read.
  if (Number(request.headers["content-length"] ?? 0) > most) throw tooLarge(most);
  checkType(request);
  const bytes = await readBytes(request, most);
  if (bytes.length === 0) return undefined;
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    const message =
      error instanceof JsonError ? `cannot be read as JSON: ${error.message}` : "is not text in UTF-8: send UTF-8";
    throw invalid([{ field: "body", message }], "body");
  }
}
