import type { NextFunction, Request, Response } from "express";
import { clientOf } from "../../requests/client-address.ts";
import { Problem } from "../../requests/errors.ts";
import type { Flight } from "../flight.ts";
import { invalid, readQuery } from "../input.ts";
import { limitHeaders, type RateLimiter, standingsOf } from "../limits.ts";
import { type Content, sendTagged, textContent } from "../send.ts";
import { scriptSource } from "./script.ts";
import { bounds } from "./search.ts";
import type { Document, Site } from "./site.ts";

/** GET and HEAD of the documentation, without a token. A browser that goes astray below /docs sees a page, whoever else a problem. */

const searchPath = "/docs/search";
const methods = "GET, HEAD, OPTIONS";
/** Nothing is run, framed or loaded but our one script, style sheet and icon. */
const policy = `default-src 'none'; script-src ${scriptSource}; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

export function docsRoutes(site: Site, flight: Flight, limits: Pick<RateLimiter, "spend">) {
  const contents = new WeakMap<Document, Content>();
  const contentOf = (document: Document): Content => {
    const found = contents.get(document) ?? textContent(document.text(), true);
    contents.set(document, found);
    return found;
  };
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const { path } = request;
    if (!site.documents.has(path) && !path.startsWith("/docs/")) {
      next();
      return;
    }
    response.locals["operation"] = "docs";
    await answer(request, response);
  };

  /** Nobody shows who asks: an address counts. */
  async function found(request: Request, response: Response): Promise<Content> {
    const asked = requestedOf(request);
    try {
      await limits.spend("search", clientOf(request.ip ?? ""));
    } catch (error) {
      if (error instanceof Problem) response.set(limitHeaders(standingsOf(error)));
      throw error;
    }
    return textContent(site.search(asked));
  }

  async function answer(request: Request, response: Response): Promise<void> {
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
    const content = document === undefined ? await found(request, response) : contentOf(document);
    response.set({ "Cache-Control": "public, max-age=60", "Content-Security-Policy": policy });
    await sendTagged(request, response, type, content, flight);
  }
}

/** False: it is answered. */
function answersMethod({ method }: Request, response: Response): boolean {
  if (method === "GET" || method === "HEAD") return true;
  response.set("Allow", methods);
  if (method !== "OPTIONS") throw new Problem("method_not_allowed", `Allowed methods: ${methods}.`);
  response.status(204).end();
  return false;
}

/** Parameters of others, such as those of a link in a newsletter, are none of ours. */
function requestedOf(request: Request): string {
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
    throw new Problem("not_found", "This page does not exist. GET /llms.txt lists the pages.");
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
