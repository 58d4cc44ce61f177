import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { settle } from "../objects/due.ts";
import { checkoutPage, type PageAnswer } from "../pages/checkout.ts";
import { layout } from "../pages/layout.ts";
import { portalPage } from "../pages/portal.ts";
import type { World } from "../state/world.ts";
import { openApi } from "./api.ts";
import { bodyOf, sendHtml, sendJson } from "./server.ts";

/** What Stripe's users and their customers reach: the API below `/v1`, and the pages. */
export const openPublic = (world: World, afterwards: () => void): RequestListener => {
  const api = openApi(world);

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
    const method = request.method ?? "GET";
    const body = await bodyOf(request);
    if (path.startsWith("/v1/")) {
      const answer = await api({ method, path, query, headers: request.headers, body });
      if (answer === "cut") response.destroy();
      else sendJson(response, answer.status, answer.body, answer.headers);
      return;
    }
    settle(world);
    const fields = method === "POST" ? new URLSearchParams(body) : null;
    const page = route(world, path, fields);
    if (fields !== null)
      world.record({ kind: "act", what: `${fields.get("action")} on ${path}`, id: path.split("/")[3] ?? null });
    world.store.commit();
    if ("location" in page) response.writeHead(303, { Location: page.location }).end();
    else sendHtml(response, page.status, page.html);
  };

  return (request, response) => {
    serve(request, response)
      .catch((error: unknown) => {
        console.error(error);
        response.destroy();
      })
      .finally(afterwards);
  };
};

const route = (world: World, path: string, fields: URLSearchParams | null): PageAnswer => {
  const [, checkout, step = ""] = /^\/c\/pay\/([^/]+)(?:\/(3ds))?$/.exec(path) ?? [];
  if (checkout !== undefined) return checkoutPage(world, checkout, step, fields);
  const [, portal] = /^\/p\/session\/([^/]+)$/.exec(path) ?? [];
  if (portal !== undefined) return portalPage(world, portal, fields);
  return { status: 404, html: layout("Page not found", "<p>The simulator has checkout and billing pages.</p>") };
};
