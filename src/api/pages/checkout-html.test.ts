import { expect, it } from "vitest";
import type { PublicState } from "../../requests/billing/public-state.ts";
import type { MigrationState } from "../../resources/migration.ts";
import { type CheckoutOutcome, checkoutPage } from "./checkout-html.ts";

it.each<[CheckoutOutcome, MigrationState | undefined, string, boolean]>([
  ["done", undefined, "Back from the checkout", false],
  ["done", "awaiting_payment", "Waiting for the payment", true],
  ["done", "pending", "Payment authorized", true],
  ["done", "in_progress", "Payment authorized", true],
  ["done", "completed", "Migration completed", false],
  ["done", "failed", "Migration failed", false],
  ["cancelled", undefined, "Payment not authorized", false],
  ["cancelled", "awaiting_payment", "Payment not authorized", true],
  ["cancelled", "in_progress", "Payment authorized", true],
])("%s and %s: %s", (outcome, state, title, refreshes) => {
  const html = checkoutPage({ outcome, found: state && { state, payment: "open" }, prefix: "/ferry" });
  expect(html).toContain(`<h1>${title}</h1>`);
  expect(html.includes('http-equiv="refresh"')).toBe(refreshes);
  expect(html.includes('<strong id="state">')).toBe(state !== undefined);
  expect(html).toContain('href="/ferry/docs/style.css"');
  expect(html).not.toMatch(/<script| style=| on[a-z]+=|javascript:/i);
});

it.each<[MigrationState, PublicState["payment"], RegExp, RegExp]>([
  ["failed", "open", /You are not charged/, /charged earlier/],
  ["failed", "charged", /An amount was charged earlier/, /You are not charged/],
  ["pending", "charged", /charged earlier also pays/, /Nothing has been charged/],
  ["in_progress", "charged", /charged earlier also pays/, /Nothing has been charged/],
  ["awaiting_payment", "ended", /request a new checkout link/, /few seconds/],
  ["awaiting_payment", "impossible", /create it again/, /few seconds|request a new/],
])("%s with a payment that is %s", (state, payment, says, not) => {
  for (const outcome of ["done", "cancelled"] as const) {
    const html = checkoutPage({ outcome, found: { state, payment }, prefix: "" });
    expect(html).toMatch(says);
    expect(html).not.toMatch(not);
  }
});
