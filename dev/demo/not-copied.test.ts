import { expect, test } from "vitest";
import { notCopiedLines } from "./not-copied.ts";

test("objects that were not copied have a line each, with the reason once for all that share it", () => {
  const inventory = [
    { kind: "table", name: "shop.orders", outcome: "copied" },
    { kind: "trigger", name: "shop.audit", outcome: "reported", note: "it calls a procedure" },
    { kind: "index", name: "shop.orders.by_day", outcome: "converted", note: "as an expression" },
    { kind: "grant", name: "DROP on shop.*", outcome: "reported", note: "no such right" },
    { kind: "view", name: "shop.best", outcome: "reported" },
    { kind: "grant", name: "EVENT on shop.*", outcome: "reported", note: "no such right" },
  ];
  expect(notCopiedLines(inventory)).toEqual([
    "  not copied, or changed  object           reason",
    "  1 trigger               shop.audit       it calls a procedure",
    "  2 grants                DROP on shop.*   no such right",
    "                          EVENT on shop.*",
    "  1 view                  shop.best",
  ]);
});

test("nothing is printed where everything was copied", () => {
  expect(notCopiedLines([{ kind: "table", name: "shop.orders", outcome: "copied" }])).toEqual([]);
});
