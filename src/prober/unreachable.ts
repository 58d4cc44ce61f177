import { EngineError } from "../engine/contract/index.ts";
import { withoutOwnAddress } from "../guard/own-address.ts";
import { cut } from "../guard/text.ts";
import { UrlError } from "../guard/url.ts";
import type { Unreachable } from "../requests/prober.ts";
import { longestText } from "./protocol.ts";

/** Why a database could not be asked, in words that a caller may read: no URL, no password, no address that a name stands for. */

export type UnreachableSide = NonNullable<Unreachable["side"]>;

export const ownFault = { code: "internal_error", message: "asking the database met an error of Rowferry's own" };

interface Telling {
  /** Null: both answered. */
  side: UnreachableSide | null;
  clean(text: string): string;
  /** Told an error that is nobody's answer. */
  fault(error: unknown): void;
}

export function unreachableOf(error: unknown, { side, clean, fault }: Telling): Unreachable {
  const say = (code: string, message: string): Unreachable => ({
    side: error instanceof EngineError && side !== null ? (error.side ?? side) : side,
    code,
    // A server's words can be of any length, and are not looked through in whole.
    message: cut(clean(cut(message, longestText * 4)), longestText),
  });
  if (error instanceof UrlError)
    return say(error.code, `the ${side ?? "database"}'s connection URL is not accepted: ${error.message}`);
  if (!(error instanceof EngineError)) {
    fault(error);
    return say(ownFault.code, ownFault.message);
  }
  return say(error.code, withoutOwnAddress(cut(error.message, longestText * 4)));
}
