import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hasHash, hashOf, makeToken, tokenDigits } from "./token.ts";

const form = /^[1-9][0-9]{14}\|rfy_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/;

describe("a token", () => {
  it("is digits, a bar, 43 random characters and a checksum of six", () => {
    for (let count = 0; count < 500; count += 1) {
      const { digits, plaintext, hash } = makeToken(randomBytes);
      expect(plaintext).toMatch(form);
      expect(tokenDigits(plaintext)).toBe(digits);
      expect(hashOf(plaintext)).toBe(hash);
    }
  });
  it.each([0, 255])("has its form for the outermost randomness, bytes of %i", (byte) => {
    const { plaintext } = makeToken((count) => new Uint8Array(count).fill(byte));
    expect(plaintext).toMatch(form);
    expect(tokenDigits(plaintext)).toBeDefined();
  });
  it("is known by its whole, in its hash", () => {
    const { plaintext, hash } = makeToken(randomBytes);
    expect(hasHash(plaintext, hash)).toBe(true);
    expect(hasHash(makeToken(randomBytes).plaintext, hash)).toBe(false);
    expect(hasHash(plaintext, "")).toBe(false);
  });
  it("with any one character changed is none", () => {
    const { plaintext } = makeToken(randomBytes);
    for (let at = 0; at < plaintext.length; at += 1) {
      const other = plaintext[at] === "7" ? "8" : "7";
      expect(tokenDigits(plaintext.slice(0, at) + other + plaintext.slice(at + 1))).toBeUndefined();
    }
  });
  it("cut, lengthened or with space around it is none", () => {
    const { plaintext } = makeToken(randomBytes);
    for (const other of [
      plaintext.slice(1),
      plaintext.slice(0, -1),
      `${plaintext}0`,
      ` ${plaintext}`,
      `${plaintext}\n`,
      "",
    ])
      expect(tokenDigits(other)).toBeUndefined();
  });
});
