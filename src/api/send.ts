import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import { clientOf } from "../requests/client-address.ts";
import { noteAudit } from "./audit.ts";
import { type Flight, small } from "./flight.ts";
import type { Operation, OperationResult } from "./openapi/operation.ts";
import { deliver } from "./streams/deliver.ts";

/**
 * Sends an operation's answer. A GET's has a strong ETag, of its bytes; who shows it gets 304. A large one goes in slices, as its reader
 * takes them, and counts among those that are on their way.
 */

const sessionFlags = { path: "/", secure: true, httpOnly: true, sameSite: "lax" } as const;

function shows(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((part) => part.trim() === "*" || part.trim().replace(/^W\//, "") === tag);
}

/** The path of what was made, filled in from the body. */
const locationOf = (template: string, body: unknown): string =>
  template.replace(/\{\/([^}]+)\}/g, (_, pointer: string) =>
    encodeURIComponent(
      String(pointer.split("/").reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], body)),
    ),
  );

export async function send(
  request: Request,
  response: Response,
  operation: Operation,
  answer: OperationResult,
  flight: Flight,
): Promise<void> {
  const status = answer.status ?? operation.answer.status;
  for (const { name, value, maxAgeSeconds } of answer.cookies ?? [])
    response.cookie(name, value, { ...sessionFlags, maxAge: maxAgeSeconds * 1000, encode: String });
  response.status(status).set(answer.headers ?? {});
  const { type = "application/json; charset=utf-8", location } = operation.answer;
  if (location !== undefined && status === operation.answer.status) {
    const made = locationOf(location, answer.body);
    response.set("Location", made);
    if (response.locals["audit"] !== undefined) noteAudit(response, { object: made.replace(/^.*\//, "") });
  }
  if (status === 204) {
    response.end();
    return;
  }
  const content = contentOf(operation, answer);
  if (operation.method === "get" && status === 200) await sendTagged(request, response, type, content, flight);
  else await sendContent(request, response, type, content, flight);
}

/** A body before it is sent. */
export interface Content {
  /** Bytes. */
  length: number;
  /** Bytes that are in memory for this answer alone until its reader took them. */
  held: number;
  tag(): string;
  read(): AsyncIterable<Buffer> | Iterable<Buffer>;
}

const tagOf = (digest: Buffer): string => `"${digest.toString("base64url").slice(0, 27)}"`;

/** `isShared`: the same for whoever asks, and kept. */
export function textContent(text: string, isShared = false): Content {
  const bytes = Buffer.from(text, "utf8");
  let tag: string | undefined;
  return {
    length: bytes.length,
    held: isShared ? 0 : bytes.length,
    tag() {
      tag ??= tagOf(createHash("sha256").update(bytes).digest());
      return tag;
    },
    read: () => [bytes],
  };
}

/** Of public bodies: the OpenAPI document is large, the same object each time, and anybody's to ask for. */
const kept = new WeakMap<object, Content>();

function contentOf({ auth, answer: { type } }: Operation, { body, large }: OperationResult): Content {
  if (large !== undefined) return { ...large, tag: () => tagOf(large.digest) };
  const text = () => (type === undefined ? JSON.stringify(body ?? {}) : String(body));
  if (auth !== "none" || typeof body !== "object" || body === null) return textContent(text());
  const found = kept.get(body) ?? textContent(text(), true);
  kept.set(body, found);
  return found;
}

/** Sends a content with its ETag, or 304. */
export async function sendTagged(
  request: Request,
  response: Response,
  type: string,
  content: Content,
  flight: Flight,
): Promise<void> {
  const tag = content.tag();
  response.set("ETag", tag);
  if (shows(request.get("if-none-match"), tag)) response.status(304).end();
  else await sendContent(request, response, type, content, flight);
}

async function sendContent(
  request: Request,
  response: Response,
  type: string,
  { length, held, read }: Content,
  flight: Flight,
): Promise<void> {
  const head = { "Content-Type": type, "Content-Length": String(length) };
  if (request.method === "HEAD" || length === 0) {
    response.set(head).end();
    return;
  }
  const giveBack = flight.take(String(response.locals["account"] ?? clientOf(request.ip ?? "")), held);
  try {
    response.set(head);
    const pieces = read();
    if (length <= small && Array.isArray(pieces)) response.end(pieces[0]);
    else await deliver(response, pieces, length);
  } finally {
    giveBack();
  }
}
