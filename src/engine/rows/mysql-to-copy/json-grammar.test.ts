import { expect, test } from "vitest";
import { createJsonGrammar } from "./json-grammar.ts";

const grammar = createJsonGrammar();
const check = (text: string, step: number): boolean => {
  const bytes = Buffer.from(text);
  grammar.start();
  for (let at = 0; at < bytes.length; at += step) grammar.feed(bytes, at, Math.min(bytes.length, at + step));
  return grammar.valid();
};
const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test.each([
  "",
  " ",
  "1",
  "-",
  "-0",
  "01",
  "1.",
  "1.5",
  ".5",
  "1e5",
  "1e",
  "1e+",
  "1E-07",
  "+1",
  "[01]",
  "[1.]",
  "[1,]",
  "[,1]",
  "[]",
  " [ 1 , 2 ] ",
  "{}",
  '{"a":1}',
  '{"a":1,}',
  '{"a"}',
  "{1:2}",
  '{"a":{"b":[null,true,false]}}',
  "nul",
  "nulll",
  "truefalse",
  '"a',
  '"\\q"',
  '"\\u12g4"',
  '"\\u00e9\\n\\/"',
  '"a\nb"',
  '"\u007f😀"',
  "[1 2]",
  "[1}",
  "{]",
  "1 2",
  "]",
  '{"a":1}}',
  "[[[[]]]]",
  "\u00a01",
  "NaN",
  "'a'",
  '"\\ud800"',
])("%j is judged as by the language's own parser", (text) => {
  expect([check(text, 1), check(text, 1000)]).toEqual([parses(text), parses(text)]);
});

test("random strings of JSON's own characters are judged as by the language's own parser", () => {
  const seed = Date.now() % 1_000_000;
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const pieces = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    '"a"',
    "1",
    "0",
    ".",
    "e",
    "-",
    "+",
    "null",
    "true",
    " ",
    "\\",
    "\\n",
    "\\u00e9",
  ];
  const texts = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 1 + random(6) }, () => pieces[random(pieces.length)]).join(""),
  );
  expect(
    texts.filter((text) => check(text, 3) !== parses(text)),
    `seed ${seed}`,
  ).toEqual([]);
});
