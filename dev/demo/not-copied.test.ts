import { expect, test } from "vitest";
import { notCopiedLines } from "./not-copied.ts";

test("each object that was not copied has a line with its reason", () => {
  const inventory = [
    { kind: "table", name: "shop.orders", outcome: "copied" },
    { kind: "trigger", name: "shop.audit", outcome: "reported", note: "it calls a procedure" },
    { kind: "index", name: "shop.orders.by_day", outcome: "converted", note: "as an expression" },
    { kind: "view", name: "shop.best", outcome: "reported" },
  ];
  expect(notCopiedLines(inventory)).toEqual([
    "  not copied  object      reason",
    "  trigger     shop.audit  it calls a procedure",
    "  view        shop.best",
  ]);
});

test("nothing is printed where everything was copied", () => {
  expect(notCopiedLines([{ kind: "table", name: "shop.orders", outcome: "copied" }])).toEqual([]);
});
