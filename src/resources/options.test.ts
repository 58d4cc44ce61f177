import { expect, it } from "vitest";
import { optionsSchema } from "./options.ts";

it("fills in the defaults and describes every key", () => {
  expect(optionsSchema.parse({})).toEqual({
    jobs: 2,
    content: "all",
    verify: "counts",
    definers: "keep",
    zero_dates: "null",
    statement_timeout: 0,
    source_locks: "auto",
    on_object_error: "report",
    blocking_timeout: 30,
    stall_timeout: 600,
  });
  for (const [key, schema] of Object.entries(optionsSchema.shape)) {
    const words = schema.description ?? (schema as { unwrap?: () => { description?: string } }).unwrap?.().description;
    expect(words, key).toMatch(/\.$/);
  }
});

it.each([
  ["zero_dates", "1970-01-32"],
  ["zero_dates", "NULL"],
  ["zero_dates", "0000-00-00"],
  ["jobs", 17],
  ["bandwidth", 10],
  ["include", [""]],
  ["include", Array.from({ length: 1001 }, (_, i) => `t${i}`)],
  ["drop", ["x".repeat(141)]],
  ["types", { amount: "text" }],
  ["schemas", Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`s${i}`, "t"]))],
  ["source_ca", "/etc/ssl/ca.crt"],
  ["content", "rows"],
])("refuses %s: %j", (key, value) => {
  expect(optionsSchema.safeParse({ [key]: value }).success).toBe(false);
});
