import { expect, test } from "vitest";
import { lostIndex } from "../contract/known.ts";
import { lostKeyMessages, lostKeyWarnings } from "./lost-keys.ts";

const at = (name: string) => ({ kind: "index", name });
const key = { ...at("t.u"), ...lostIndex("the server did not take it", true) };
const foreign = {
  kind: "foreign key",
  name: "t.f",
  outcome: "reported",
  note: "it has no parent",
  lostKey: true,
} as const;

test("a key is lost in the same words in a copy and in its assessment, and an index that is no key is not", () => {
  const entries = [key, { ...at("t.i"), ...lostIndex("the server did not take it", false) }, foreign];
  const messages = [
    "index t.u is not copied: the server did not take it, so the target does not refuse doubled values",
    "foreign key t.f is not copied: it has no parent",
  ];
  expect(lostKeyMessages(entries)).toEqual(messages);
  expect(lostKeyWarnings(entries)).toMatchObject([
    { severity: "warning", code: "key_lost", object: "index t.u", reason: messages[0] },
    { severity: "warning", code: "key_lost", object: "foreign key t.f", reason: messages[1] },
  ]);
});

test("a key over periods takes periods that overlap", () => {
  expect(lostIndex("it has none", true, "periods that overlap").note).toBe(
    "it has none, so the target does not refuse periods that overlap",
  );
});
