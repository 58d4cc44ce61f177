import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import { expect, test } from "vitest";
import { describeApi } from "../../dev/pages/api-description.ts";

/** The patterns of the API's description, which programs in other languages compile. */

/** By place, with what an engine in linear time (RE2, as Go has) or with at most 1,000 repetitions refuses of it. */
function unreadable(node: unknown, place: string): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) =>
    name === "pattern" && typeof value === "string"
      ? refusedOf(value).map((why) => `${place}: ${why}`)
      : unreadable(value, `${place}/${name}`),
  );
}

function refusedOf(pattern: string): string[] {
  const found: string[] = [];
  visitRegExpAST(new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: true }), {
    onAssertionEnter({ kind, raw }) {
      if (kind === "lookahead" || kind === "lookbehind") found.push(raw);
    },
    onBackreferenceEnter: ({ raw }) => void found.push(raw),
    onQuantifierEnter({ min, max, raw }) {
      if (min > 1000 || (Number.isFinite(max) && max > 1000)) found.push(raw);
    },
    onCharacterEnter({ raw }) {
      if (/^\\[uc]/.test(raw)) found.push(raw);
    },
  });
  return found;
}

test("every pattern is one that other languages read: no lookaround, no backreference, no escape of JavaScript's alone", () => {
  expect(refusedOf("^(?!a)(b)\\1\\u2028{1,2000}$")).toHaveLength(4);
  expect(unreadable(describeApi(), "")).toEqual([]);
});
