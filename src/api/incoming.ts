import type { Request, Response } from "express";
import { Problem } from "../requests/errors.ts";

/** What REST and MCP ask of a request alike. */

/** Of a header that is security's business a second one would be read by one party and the first by another. */
const single = [
  "authorization",
  "content-type",
  "content-encoding",
  "idempotency-key",
  "last-event-id",
  "origin",
  "x-request-id",
];

/** Throws Problem `malformed_request`. */
export function checkHeaders(request: Request): void {
  for (const name of single)
    if ((request.headersDistinct[name]?.length ?? 0) > 1)
      throw new Problem("malformed_request", `The header ${name} is repeated: send it once.`);
}

/** Aborts when the answer has ended or its reader is gone. */
export function goneOf(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  // While who calls was looked at.
  if (response.destroyed) gone.abort();
  return gone.signal;
}
