import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import type { Answer, Operation } from "./operation.ts";

/** Sends an operation's answer. A GET's has a strong ETag, of its bytes; who shows it gets 304. */

const sessionFlags = { path: "/", secure: true, httpOnly: true, sameSite: "lax" } as const;

function shows(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((part) => part.trim() === "*" || part.trim().replace(/^W\//, "") === tag);
}

export function send(request: Request, response: Response, operation: Operation, answer: Answer): void {
  const status = answer.status ?? operation.answer.status;
  for (const { name, value, maxAgeSeconds } of answer.cookies ?? [])
    response.cookie(name, value, { ...sessionFlags, maxAge: maxAgeSeconds * 1000, encode: String });
  response.status(status).set(answer.headers ?? {});
  const type = operation.answer.type;
  const text = type === undefined ? JSON.stringify(answer.body ?? {}) : String(answer.body);
  if (status === 204) {
    response.end();
    return;
  }
  const shown = type ?? "application/json; charset=utf-8";
  if (operation.method === "get" && status === 200) sendTagged(request, response, shown, text);
  else sendText(response, shown, text);
}

/** Sends a text with its ETag, or 304. */
export function sendTagged(request: Request, response: Response, type: string, text: string): void {
  const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;
  response.set("ETag", tag);
  if (shows(request.get("if-none-match"), tag)) response.status(304).end();
  else sendText(response, type, text);
}

function sendText(response: Response, type: string, text: string): void {
  response.set({ "Content-Type": type, "Content-Length": String(Buffer.byteLength(text)) });
  response.end(text);
}
