import { expect, test } from "vitest";
import { sharedText } from "./shared-text.ts";

test("every text is given back as it came, however many were met", () => {
  for (let number = 0; number < 20_000; number++) expect(sharedText(`${number}`)).toBe(`${number}`);
  const long = "x".repeat(1000);
  expect(sharedText(long)).toBe(long);
  expect(sharedText("")).toBe("");
});
