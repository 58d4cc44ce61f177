import type { TokenScope } from "../../resources/token.ts";
import { Problem } from "../errors.ts";
import type { Identity, World } from "../world.ts";

/** What a token may do. A session and a token without scopes may do everything. */

/** Throws Problem `scope_missing` for a token that has scopes, and not this one. */
export function requireScope({ scopes }: Pick<Identity, "scopes">, scope: TokenScope): void {
  if (scopes === undefined || scopes.includes(scope)) return;
  throw new Problem(
    "scope_missing",
    `This needs a token with the scope ${scope}; this one has ${scopes.join(" and ")}. POST /api/tokens creates another.`,
  );
}

/** For a call that creates or revokes tokens. Throws Problem `scope_missing`, and `session_required` where the installation wants a session. */
export function requireTokensScope({ settings }: Pick<World, "settings">, identity: Identity): void {
  requireScope(identity, "tokens");
  if (identity.session === undefined && !settings.tokensByToken)
    throw new Problem(
      "session_required",
      "On this installation, only a session creates and revokes tokens: sign in with POST /api/session.",
    );
}
