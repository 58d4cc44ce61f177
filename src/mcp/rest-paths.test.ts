import { expect, test } from "vitest";
import { byTools } from "./rest-paths.ts";

test.each([
  [
    "It awaits payment: authorize it at its checkout link. POST /api/migrations/{id}/checkout returns the open link, or a new one.",
    "It awaits payment: the user must authorize it at its checkout link. retry-migration-tool with the id alone returns the open link, or a new one.",
  ],
  [
    "This backup schedule has no run with this id: GET /api/backups/{id}/runs lists them.",
    "This backup schedule has no run with this id: list-backup-runs-tool lists them.",
  ],
  [
    "This needs a token with the scope write; this one has read. POST /api/tokens creates another.",
    "This needs a token with the scope write; this one has read. The user can create another in the account settings or by REST.",
  ],
  [
    "The estimate has another price than the current one, 5.00 USD: request a new one, or remove `estimate_id`.",
    "The estimate has another price than the current one, 5.00 USD: call preview-migration-tool again, and show the user the new price.",
  ],
  ["Sign in with POST /api/session.", "Sign in with a call of REST."],
  ["Nothing of it.", "Nothing of it."],
])("an error for a model names tools and no path of REST: %s", (words, expected) => {
  expect(byTools(words)).toBe(expected);
});
