import { expect, test } from "vitest";
import { endpointsPage } from "./endpoints.ts";

const page = endpointsPage();
const request = (summary: string): string => {
  const [, section = ""] = page.split(`\n### ${summary}\n`);
  const [, lines = ""] = /```http\n([\s\S]*?)\n```/.exec(section) ?? [];
  return lines;
};

test("signing out is shown with a session's cookie and the header Origin, not with a token", () => {
  expect(request("Sign out")).toBe("DELETE /api/session\nCookie: __Host-rowferry=…\nOrigin: https://rowferry.example");
});

test("a request is shown with the parameters that it needs", () => {
  expect(request("Remove a member or an invitation, or leave")).toMatch(
    /^DELETE \/api\/teams\/\{team\}\/members\?account=a0c1[0-9a-f]+\nAuthorization: Bearer /,
  );
  expect(request("Search the documentation")).toBe("GET /docs/search?q=resume+copy");
});
