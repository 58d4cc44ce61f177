import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Problem } from "../errors.ts";
import { readEmail } from "./email.ts";

const sha = (text: string) => createHash("sha256").update(text).digest("hex");

describe("an address", () => {
  it("names its account by the hash of its lower-case form", () => {
    expect(readEmail("Ann@Example.com").account).toBe(`a${sha("ann@example.com").slice(0, 40)}`);
  });
  it("is shown as it was written, trimmed", () => {
    expect(readEmail("  Ann@Example.com\n").shown).toBe("Ann@Example.com");
  });
  it.each([
    ["upper and lower case", "ann@example.com", "ANN@EXAMPLE.COM"],
    ["composed and decomposed letters", "jos\u00e9@example.com", "jose\u0301@example.com"],
    ["a domain in Unicode and in ASCII", "ann@m\u00fcnchen.de", "ann@xn--mnchen-3ya.de"],
    ["a domain in full-width letters", "ann@\uff45xample.com", "ann@example.com"],
    ["space around it", " ann@example.com\t", "ann@example.com"],
  ])("is one account in two ways of writing: %s", (_what, one, other) => {
    expect(readEmail(one).account).toBe(readEmail(other).account);
  });
  it.each([
    ["letters that only look alike", "ann@example.com", "\u0430nn@example.com"],
    ["a tag after a plus", "ann@example.com", "ann+1@example.com"],
    ["a dot in the local part", "a.nn@example.com", "ann@example.com"],
  ])("is another account: %s", (_what, one, other) => {
    expect(readEmail(one).account).not.toBe(readEmail(other).account);
  });
  it.each([
    "a@b",
    "ann@localhost",
    `${"x".repeat(64)}@example.com`,
    "o'neil@example.co.uk",
    "\u7528\u6237@\u4f8b\u5b50.\u5e7f\u544a",
  ])("is taken: %s", (text) => {
    expect(readEmail(text).account).toMatch(/^a[0-9a-f]{40}$/);
  });
  it.each([
    "",
    "ann",
    "@example.com",
    "ann@",
    "ann@@example.com",
    "ann@example.com@evil.example",
    "a nn@example.com",
    "ann@exam ple.com",
    "ann\u0000@example.com",
    "ann@example.com\r\nbcc: x@example.com",
    "ann\u200b@example.com",
    "ann\u202e@example.com",
    "ann\ud800@example.com",
    "ann@example.com/path",
    "ann@example.com:25",
    "ann@example.com?x",
    "ann@example.com#x",
    "ann@a%41.com",
    "ann@[127.0.0.1]",
    "ann@127.0.0.1",
    "ann@0x7f.1",
    "ann@example..com",
    "ann@.com",
    "ann@-a.com",
    "ann@a_b.com",
    `${"x".repeat(65)}@example.com`,
    `ann@${"x".repeat(64)}.com`,
    `ann@${"x.".repeat(124)}example`,
  ])("is refused, by the field's name: %j", (text) => {
    const error = (() => {
      try {
        return readEmail(text);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(Problem);
    expect((error as Problem).errors).toEqual([{ field: "email", message: expect.any(String) }]);
  });
});
