import { describe, expect, it } from "vitest";
import type { Account } from "../../resources/account.ts";
import type { Team } from "../../resources/team.ts";
import { newTeamSchema, shownTeam } from "./shapes.ts";

const taken = (name: string) => newTeamSchema.safeParse({ name }).success;

describe("a name", () => {
  it.each(["x", "Data platform", "日本", "👩‍💻", "🐎".repeat(100), "a".repeat(100), 'O\'Neil "x" <b>'])(
    "is taken: %.30s",
    (name) => {
      expect(taken(name)).toBe(true);
    },
  );
  it.each(["", " ", " x", "x ", "a\nb", "a\u0000b", "\u001b[2J", "a\u202eb", "a\u2028b", "\u00a0", "a".repeat(101)])(
    "is refused: %j",
    (name) => {
      expect(taken(name)).toBe(false);
    },
  );
});

describe("a team", () => {
  const ann: Account = {
    metadata: { name: "a1", uid: "u1", creationTimestamp: "2030-01-31T12:00:00Z" },
    spec: { email: "ann@example.com", plan: "free", actingTeam: "t1", personalTeam: "t1" },
  };
  const own = (name: string, creationTimestamp: string, maker?: string) => {
    const labels = maker === undefined ? {} : { "rowferry.dev/account": maker };
    const members = [{ account: "a1", uid: "u1", role: "owner" as const }];
    const team: Team = { metadata: { name, creationTimestamp, labels }, spec: { title: "T", members } };
    return shownTeam(team, ann).own;
  };
  it.each<[string, boolean, [name: string, at: string, maker?: string]]>([
    ["that it made is its own, before its note of it is seen", true, ["t2", "2030-02-01T00:00:00Z", "a1"]],
    ["that it made at once, by another server's clock, too", true, ["t2", "2030-01-31T11:59:58Z", "a1"]],
    ["that another made is not", false, ["t2", "2030-02-01T00:00:00Z", "a2"]],
    ["that kubectl made is not", false, ["t2", "2030-02-01T00:00:00Z"]],
    ["that an earlier account of its address made is not", false, ["t2", "2030-01-30T00:00:00Z", "a1"]],
    ["that was made for it is", true, ["t1", "2030-01-31T12:00:00Z"]],
  ])("of an account, %s", (_what, answer, [name, at, maker]) => {
    expect(own(name, at, maker)).toBe(answer);
  });
});
