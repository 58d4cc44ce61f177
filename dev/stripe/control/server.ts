import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { bodyOf, sendJson } from "../http/server.ts";
import { settle } from "../objects/due.ts";
import { StripeFailure } from "../state/errors.ts";
import { type Controlled, type Route, routes } from "./routes.ts";

/** The control endpoint, on a port of its own, so that it works while the API is down: JSON in, JSON out. */
export const openControl = (controlled: Controlled): RequestListener => {
  const { world } = controlled;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
    const text = await bodyOf(request);
    const found = find(request.method ?? "GET", path);
    if (found === undefined) {
      sendJson(response, 404, { error: "Not found", routes: routes.map((route) => `${route.method} ${route.path}`) });
      return;
    }
    const { route, id } = found;
    const body = route.input.safeParse(text === "" ? {} : JSON.parse(text));
    if (!body.success) {
      sendJson(response, 422, { error: body.error.message });
      return;
    }
    settle(world);
    const result = await route.run(controlled, body.data, id, new URLSearchParams(query));
    if (route.method !== "GET")
      world.record({ kind: "act", what: `${route.method} ${route.path}`, id: id === "" ? null : id });
    world.store.commit();
    controlled.outbox.pump();
    sendJson(response, 200, result);
  };

  return (request, response) => {
    serve(request, response).catch((error: unknown) => {
      world.store.commit();
      if (error instanceof StripeFailure) sendJson(response, error.status, error.body);
      else sendJson(response, error instanceof SyntaxError ? 400 : 500, { error: String(error) });
    });
  };
};

const find = (method: string, path: string): { route: Route; id: string } | undefined => {
  for (const route of routes) {
    const [before = "", after = ""] = route.path.split("{id}");
    if (route.method !== method) continue;
    if (!route.path.includes("{id}")) {
      if (path === route.path) return { route, id: "" };
      continue;
    }
    const id = path.slice(before.length, path.length - after.length);
    if (path.startsWith(before) && path.endsWith(after) && id !== "" && !id.includes("/")) return { route, id };
  }
  return undefined;
};
