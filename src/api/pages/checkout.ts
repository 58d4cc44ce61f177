import type { Request, Response } from "express";
import type { PublicState } from "../../requests/billing/public-state.ts";
import type { Mounted } from "../app.ts";
import { readQuery } from "../input.ts";
import { type CheckoutOutcome, checkoutPage } from "./checkout-html.ts";

/** Only the style sheet and the icon are loaded. */
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** `/checkout/done` and `/checkout/cancelled`, public. `stateOf` gets the id of the query, as the caller wrote it. */
export function checkoutPages(prefix: string, stateOf: (id: string) => PublicState | undefined): Mounted[] {
  const outcomes: CheckoutOutcome[] = ["done", "cancelled"];
  return outcomes.map((outcome) => ({
    path: `/checkout/${outcome}`,
    method: "get",
    async handle(request: Request, response: Response) {
      response.locals["operation"] = "checkoutPage";
      const at = request.url.indexOf("?");
      const { migration = "" } = at < 0 ? {} : readQuery(request.url.slice(at + 1));
      const text = checkoutPage({ outcome, prefix, found: stateOf(migration) });
      response
        .status(200)
        .set({
          "Content-Security-Policy": policy,
          "Content-Type": "text/html; charset=utf-8",
          "Content-Length": String(Buffer.byteLength(text)),
        })
        .end(request.method === "HEAD" ? undefined : text);
    },
  }));
}
