import { Problem } from "../errors.ts";
import type { Identity, World } from "../world.ts";
import { newFlow, type OidcFlow } from "./flow.ts";
import type { Oidc } from "./provider.ts";

/** Throws Problem `not_found` where nobody signs in by OpenID Connect. */
export function oidcOf({ oidc }: Pick<World, "oidc">): Oidc {
  if (oidc === undefined)
    throw new Problem(
      "not_found",
      "This installation has no sign-in with OpenID Connect; an administrator sets `api.oidc`.",
    );
  return oidc;
}

/** Where the browser goes to, and the value of the cookie that it needs to come back. */
export interface OidcStart {
  url: string;
  cookie: string;
}

async function begin(world: World, link?: OidcFlow["link"]): Promise<OidcStart> {
  const { provider } = oidcOf(world);
  const { flow, value } = newFlow(world, link);
  return { url: await provider.begin(flow), cookie: value };
}

/** Begins a sign-in. Throws Problem `not_found` and `unavailable`. */
export const startOidc = (world: World): Promise<OidcStart> => begin(world);

/** Begins to link an identity to the account of the session that calls. Throws Problem `session_required`, `not_found` and `unavailable`. */
export async function startOidcLink(world: World, { account, session }: Identity): Promise<OidcStart> {
  if (session === undefined)
    throw new Problem("session_required", "Only a session links an identity: sign in with POST /api/session.");
  return begin(world, { account: account.metadata.name, session: session.id });
}
