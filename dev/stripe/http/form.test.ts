import { expect, it } from "vitest";
import { readForm } from "./form.ts";

it.each([
  ["", {}],
  ["a=1&b=x%20y+z", { a: "1", b: "x y z" }],
  ["line_items[0][price]=p&line_items[0][quantity]=2", { line_items: { 0: { price: "p", quantity: "2" } } }],
  ["expand[]=a&expand[]=b.c", { expand: { 0: "a", 1: "b.c" } }],
  ["created[gte]=5", { created: { gte: "5" } }],
  ["metadata[a b]=1&metadata[]=", { metadata: { "a b": "1", 1: "" } }],
  ["a[b=1", { "a[b": "1" }],
])("%s", (text, form) => {
  expect(JSON.parse(JSON.stringify(readForm(text)))).toEqual(form);
});

it("a name of the language is a name like any other", () => {
  const form = readForm("__proto__[admin]=1");
  expect(Object.keys(form)).toEqual(["__proto__"]);
  expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
});
