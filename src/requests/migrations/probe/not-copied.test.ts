import { expect, test } from "vitest";
import { notCopied } from "./not-copied.ts";

const finding = (severity: "warning" | "note" | "blocker", object: string) => ({
  ...{ severity, object, code: "lacks_key", reason: "it has no key", fix: "" },
});
const table = { kind: "table", name: "shop.orders", outcome: "copied" as const };
const index = { kind: "index", name: "shop.orders", outcome: "reported" as const, note: "of a kind that is not there" };
const lost = (
  findings: Parameters<typeof notCopied>[0]["findings"],
  objects: Parameters<typeof notCopied>[0]["objects"],
) => notCopied({ findings, objects }).map(({ object }) => object);

test("a lost index is told also where a warning names a table of the same name", () => {
  expect(lost([finding("warning", "shop.orders")], [table, index])).toEqual(["index shop.orders"]);
  expect(lost([finding("warning", "table shop.orders")], [table, index])).toEqual(["index shop.orders"]);
});

test("what a warning names is not told twice", () => {
  expect(lost([finding("warning", "index shop.orders")], [table, index])).toEqual([]);
  expect(lost([finding("warning", "shop.orders")], [index])).toEqual([]);
});

test("a note or a blocker of the same name hides no loss", () => {
  for (const severity of ["note", "blocker"] as const)
    expect(lost([finding(severity, "shop.orders")], [index])).toEqual(["index shop.orders"]);
});
