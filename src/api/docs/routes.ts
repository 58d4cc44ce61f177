import type { NextFunction, Request, Response } from "express";
import { Problem } from "../../requests/errors.ts";
import { invalid, readQuery } from "../input.ts";
import { sendTagged } from "../send.ts";
import { bounds } from "./search.ts";
import type { Site } from "./site.ts";

/** GET and HEAD of the documentation, without a token. A browser that goes astray below /docs sees a page, whoever else a problem. */

const searchPath = "/docs/search";
const methods = "GET, HEAD, OPTIONS";
/** Nothing is run, framed or loaded but our style sheet. */
const policy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export function docsRoutes(site: Site) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const { path } = request;
    if (!site.documents.has(path) && !path.startsWith("/docs/")) {
      next();
      return;
    }
    response.locals["operation"] = "docs";
    answer(site, request, response);
  };
}

function answer(site: Site, request: Request, response: Response): void {
  const { path } = request;
  const document = site.documents.get(path);
  if (document === undefined && path !== searchPath && path !== "/docs/") {
    showMissing(site, request, response);
    return;
  }
  if (!answersMethod(request, response)) return;
  if (path === "/docs/") {
    response.redirect(308, "../docs");
    return;
  }
  const type = document?.type ?? "text/html; charset=utf-8";
  const text = document === undefined ? site.search(askedOf(request)) : document.text();
  response.set({ "Cache-Control": "public, max-age=60", "Content-Security-Policy": policy });
  sendTagged(request, response, type, text);
}

/** False: it is answered. */
function answersMethod({ method }: Request, response: Response): boolean {
  if (method === "GET" || method === "HEAD") return true;
  response.set("Allow", methods);
  if (method !== "OPTIONS") throw new Problem("method_not_allowed", `Here the methods are ${methods}.`);
  response.status(204).end();
  return false;
}

/** Parameters of others, such as those of a link in a newsletter, are none of ours. */
function askedOf(request: Request): string {
  const at = request.url.indexOf("?");
  const { q = "" } = at < 0 ? {} : readQuery(request.url.slice(at + 1));
  if (q.length > bounds.length)
    throw invalid([{ field: "q", message: `is too long: at most ${bounds.length} characters` }], "query");
  return q;
}

function showMissing(site: Site, request: Request, response: Response): void {
  response.vary("Accept");
  const wantsPage = request.accepts(["application/problem+json", "application/json", "text/html"]) === "text/html";
  if (!wantsPage || !["GET", "HEAD"].includes(request.method))
    throw new Problem("not_found", "There is no such page; GET /llms.txt lists what there is.");
  const text = site.missing();
  response
    .status(404)
    .set({
      "Content-Security-Policy": policy,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Length": String(Buffer.byteLength(text)),
    })
    .end(text);
}
