import { expect, it } from "vitest";
import { coloursFor } from "./colours.ts";

it.each([
  ["a terminal", { isTTY: true }, { TERM: "xterm" }, "\u001b[31mx\u001b[39m"],
  ["a terminal with an empty NO_COLOR", { isTTY: true }, { NO_COLOR: "" }, "\u001b[31mx\u001b[39m"],
  ["a terminal with NO_COLOR", { isTTY: true }, { NO_COLOR: "1" }, "x"],
  ["a dumb terminal", { isTTY: true }, { TERM: "dumb" }, "x"],
  ["a pipe", {}, { TERM: "xterm" }, "x"],
])("%s", (_name, stream, env: Record<string, string>, shown) => {
  expect(coloursFor(stream, env).red("x")).toBe(shown);
});

it("nothing is painted as nothing", () => {
  expect(coloursFor({ isTTY: true }, {}).bold("")).toBe("");
});
