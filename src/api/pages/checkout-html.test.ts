import { expect, it } from "vitest";
import type { MigrationState } from "../../resources/migration.ts";
import { checkoutPage, type Outcome } from "./checkout-html.ts";

it.each<[Outcome, MigrationState | undefined, string, boolean]>([
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
  const html = checkoutPage({ outcome, state, prefix: "/ferry" });
  expect(html).toContain(`<h1>${title}</h1>`);
  expect(html.includes('http-equiv="refresh"')).toBe(refreshes);
  expect(html.includes('<strong id="state">')).toBe(state !== undefined);
  expect(html).toContain('href="/ferry/docs/style.css"');
  expect(html).not.toMatch(/<script| style=| on[a-z]+=|javascript:/i);
});
