import { connectTo, type McpClient } from "../mcp/connect.ts";
import type { BillingPlace, Person } from "./place.ts";

/** A real client of the protocol at the installation's first API, with this person's token. */
export function connectMcp(place: BillingPlace, person: Person): Promise<McpClient> {
  const by = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { method = "GET", body } = init;
    const { status, headers, text } = await place.ask(new URL(url instanceof Request ? url.url : url).pathname, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" ? { raw: body } : {}),
    });
    const flatHeaders = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(text === "" ? null : text, { status, headers: flatHeaders });
  };
  return connectTo(new URL("/mcp-migrations", place.installation.place.baseUrl), person.token, by);
}
