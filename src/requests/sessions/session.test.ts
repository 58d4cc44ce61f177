import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Account, mostEndedSessions } from "../../resources/account.ts";
import { signature } from "../keys.ts";
import { cookieOf, holds, openSession, readSession, sessionCookie, sessionSeconds } from "./session.ts";
import { withoutSession } from "./sign-out.ts";

const start = Date.parse("2030-01-31T12:00:00Z");
const worldAt = (milliseconds: number, secret = new Uint8Array(32).fill(7)) => ({
  secret,
  now: () => new Date(milliseconds),
  randomBytes,
});
const ann: Account = {
  metadata: { name: "a1", uid: "u1" },
  spec: { email: "ann@example.com", plan: "free", actingTeam: "t1" },
};
const opened = openSession(worldAt(start), ann);

const read = (value: string) => {
  const session = readSession(worldAt(start), value);
  if (session === undefined) throw new Error("not a session");
  return session;
};

describe("a session", () => {
  it("names its account and lasts seven days", () => {
    expect(read(opened)).toMatchObject({ account: "a1", uid: "u1", generation: 0 });
    expect(readSession(worldAt(start + sessionSeconds * 1000 - 1), opened)).toBeDefined();
    expect(readSession(worldAt(start + sessionSeconds * 1000), opened)).toBeUndefined();
  });
  it("fits a cookie and holds no character that a cookie may not", () => {
    expect(opened).toMatch(/^[A-Za-z0-9_.-]{1,400}$/);
  });
  it("of another secret is none", () => {
    expect(readSession(worldAt(start, new Uint8Array(32).fill(8)), opened)).toBeUndefined();
  });
  it("with any one character changed is none, and never a fault", () => {
    for (let at = 0; at < opened.length; at += 1) {
      const other = opened[at] === "A" ? "B" : "A";
      const value = opened.slice(0, at) + other + opened.slice(at + 1);
      expect(readSession(worldAt(start), value)).toBeUndefined();
    }
  });
  it.each(["=", "!", " ", "\n"])("has one form: with %j behind it, which base64 does not count, it is none", (more) => {
    expect(readSession(worldAt(start), `${opened}${more}`)).toBeUndefined();
  });
  it("signed for another purpose is none", () => {
    const [text = ""] = opened.split(".");
    const mac = signature(worldAt(start).secret, "estimate", text).toString("base64url");
    expect(readSession(worldAt(start), `${text}.${mac}`)).toBeUndefined();
  });
  it.each(["", "null", "[]", '{"account":"a1"}'])("signed in a form that is not ours is none: %j", (payload) => {
    const text = Buffer.from(payload).toString("base64url") || "AA";
    const mac = signature(worldAt(start).secret, "session", text).toString("base64url");
    expect(readSession(worldAt(start), `${text}.${mac}`)).toBeUndefined();
  });
  it.each(["", ".", "a.b", "a.b.c", "x".repeat(5000), `${opened}.x`, "é.é"])("is not made of %.20s", (value) => {
    expect(readSession(worldAt(start), value)).toBeUndefined();
  });
});

describe("an account", () => {
  it("has the session that was opened for it", () => {
    expect(holds(read(opened), ann)).toBe(true);
  });
  it("that was made anew under the same name has not", () => {
    expect(holds(read(opened), { ...ann, metadata: { name: "a1", uid: "u2" } })).toBe(false);
  });
  it("of the next generation has not", () => {
    expect(holds(read(opened), { ...ann, spec: { ...ann.spec, sessions: { generation: 1, ended: [] } } })).toBe(false);
  });
  it("that signed one session out has the others", () => {
    const other = openSession(worldAt(start), ann);
    const after = withoutSession(ann, read(opened), new Date(start));
    expect(holds(read(opened), after)).toBe(false);
    expect(holds(read(other), after)).toBe(true);
  });
  it("forgets of signed out sessions those that are over by themselves", () => {
    const later = new Date(start + sessionSeconds * 1000 + 1);
    const after = withoutSession(
      withoutSession(ann, read(opened), new Date(start)),
      { id: "next", expiresAt: later },
      later,
    );
    expect(after.spec.sessions).toEqual({ generation: 0, ended: [{ id: "next", until: later.toISOString() }] });
  });
  it("that signs out oftener than it can remember loses every session", () => {
    let account = ann;
    for (let count = 0; count < mostEndedSessions; count += 1)
      account = withoutSession(account, read(openSession(worldAt(start), account)), new Date(start));
    expect(account.spec.sessions?.ended).toHaveLength(mostEndedSessions);
    account = withoutSession(account, read(opened), new Date(start));
    expect(account.spec.sessions).toEqual({ generation: 1, ended: [] });
    expect(holds(read(opened), account)).toBe(false);
  });
});

it.each([
  [undefined, undefined],
  ["", undefined],
  ["other=1", undefined],
  ["__Host-rowferry=abc", "abc"],
  ["other=1; __Host-rowferry=a=b; last=2", "a=b"],
  ["rowferry=1;x__Host-rowferry=2", undefined],
  ["__host-rowferry=1", undefined],
])("of the header %s our cookie is %s", (header, value) => {
  expect(cookieOf(header, sessionCookie)).toBe(value);
});
