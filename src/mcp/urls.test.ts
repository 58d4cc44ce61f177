import { describe, expect, it, test } from "vitest";
import { withoutUrls, withoutUrlsInError } from "./urls.ts";

describe("no URL leaves in words", () => {
  test.each([
    ["a connection", "ask mysql://anna:w0rd@host/db now", "ask [URL] now"],
    ["a password with marks", `ask mysql://anna:w'0"r,d<@host/db now`, "ask [URL] now"],
    ["a scheme with what shows nothing", "my\u200bsql://anna:w0rd@host/db", "[URL]"],
    ["a file", "at file:///etc/passwd", "at [URL]"],
    ["one in quotes", `ask "mysql://anna:w0rd@host/db".`, `ask "[URL]`],
    ["one after what opens a quote", `ask mysql://"anna:w0rd"@host/db now`, "ask [URL] now"],
    ["one whose scheme is too long to be one", `${"a".repeat(40)}://anna:w0rd@host`, `${"a".repeat(10)}[URL]`],
    ["names of schemes", "begin with mysql://, postgres:// or so", "begin with mysql://, postgres:// or so"],
    ["a scheme at the end", "not mysql:// or postgresql://.", "not mysql:// or postgresql://."],
    [
      "the form",
      "the user is missing: scheme://user:password@host:port/database.",
      "the user is missing: scheme://user:password@host:port/database.",
    ],
    ["nothing", "no URL: here", "no URL: here"],
  ])("%s", (_what, words, expected) => expect(withoutUrls(words)).toBe(expected));
});

it("is so in an error of JSON-RPC at every depth, and its id stays", () => {
  const error = { code: -1, message: "not mysql://a:b@c/d", data: { sent: ['mysql://a:b@c/d"e'] } };
  expect(JSON.parse(withoutUrlsInError(JSON.stringify({ jsonrpc: "2.0", id: "x://y", error })))).toEqual({
    jsonrpc: "2.0",
    id: "x://y",
    error: { code: -1, message: "not [URL]", data: { sent: ["[URL]"] } },
  });
});

it("is told short, whatever was sent, and without reading all of it again for each of its characters", () => {
  for (const sent of ["a".repeat(60_000), "a.".repeat(30_000), "a://".repeat(15_000)]) {
    const error = { code: -1, message: `Unsupported: ${sent}`, data: { requested: sent, more: "a\n  b" } };
    expect(withoutUrls(sent).length).toBeLessThanOrEqual(sent.length);
    const told = JSON.parse(withoutUrlsInError(JSON.stringify({ jsonrpc: "2.0", id: 1, error })));
    expect(JSON.stringify(told).length).toBeLessThan(1500);
    expect(told.error.data.more).toBe("a b");
  }
});

test.each(["", '{"jsonrpc":"2.0","id":1,"result":{"url":"https://checkout.test/1"}}'])("%j is left alone", (text) =>
  expect(withoutUrlsInError(text)).toBe(text),
);
