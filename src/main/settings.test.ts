import { describe, expect, it } from "vitest";
import * as z from "zod";
import { cidrs, flag, json, list, number, settingsReader } from "./settings.ts";

const read = settingsReader(
  "thing",
  z.object({
    PORT: number(80, 1, 100),
    OPEN: flag(true),
    NAMES: list,
    SHAPE: json(z.array(z.int()), "[1]"),
    ALLOW: cidrs,
    STORE: z.url({ protocol: /^redis$/ }).optional(),
  }),
);

describe("settings", () => {
  it("that are left out take their defaults", () => {
    expect(read({ OTHER: "x" })).toEqual({ PORT: 80, OPEN: true, NAMES: [], SHAPE: [1], ALLOW: [] });
  });

  it("are read from their texts", () => {
    expect(read({ PORT: "9", OPEN: "false", NAMES: "a, b c,", SHAPE: "[2, 3]", ALLOW: "10.0.0.0/8,fd00::/8" })).toEqual(
      { PORT: 9, OPEN: false, NAMES: ["a", "b", "c"], SHAPE: [2, 3], ALLOW: ["10.0.0.0/8", "fd00::/8"] },
    );
  });

  it.each([
    [{ PORT: "101" }, /PORT: /],
    [{ PORT: "1.5" }, /PORT: /],
    [{ OPEN: "yes" }, /OPEN: /],
    [{ SHAPE: "[" }, /SHAPE: is not JSON/],
    [{ SHAPE: "{}" }, /SHAPE: /],
    [{ ALLOW: "10.0.0.1/8" }, /ALLOW: .*10\.0\.0\.1\/8/],
    [{ PORT: "x", OPEN: "x" }, /the thing's environment is not right:\nPORT: .*\nOPEN: /],
  ])("that are wrong are each named: %o", (env, words) => {
    expect(() => read(env)).toThrow(words);
  });

  it("with a password do not stand in the error", () => {
    const wrong = () => read({ STORE: "http://user:planted-word@cache" });
    expect(wrong).toThrow(/STORE/);
    expect(wrong).not.toThrow(/planted-word/);
  });
});
