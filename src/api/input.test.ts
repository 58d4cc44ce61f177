import { describe, expect, test } from "vitest";
import * as z from "zod";
import { Problem } from "../requests/errors.ts";
import { createSchema } from "../requests/migrations/view/shapes.ts";
import { check, readQuery } from "./input.ts";

const schema = z.object({
  name: z.string().min(1).max(5),
  count: z.int().min(1).max(10).optional(),
  kind: z.enum(["a", "b"]).optional(),
  email: z.email().optional(),
  when: z.iso.datetime().optional(),
  list: z
    .array(z.object({ x: z.number() }))
    .max(2)
    .optional(),
  deep: z.object({ flag: z.boolean() }).optional(),
  either: z.union([z.string(), z.object({ file: z.string() })]).optional(),
  own: z
    .string()
    .refine((text) => text !== "bad", "must be anything but bad")
    .optional(),
});

const problemOf = (value: unknown): Problem => {
  try {
    check(schema, value, "body");
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  throw new Error("nothing was refused");
};

describe("each field that is not right has one sentence with its fix", () => {
  test.each<[object, string, string]>([
    [{}, "name", "is required (string)"],
    [{ name: 1 }, "name", "must be a string"],
    [{ name: null }, "name", "must be a string"],
    [{ name: "" }, "name", "must not be empty"],
    [{ name: "123456" }, "name", "must have at most 5 characters"],
    [{ name: "n", count: 1.5 }, "count", "must be a whole number"],
    [{ name: "n", count: 0 }, "count", "must be at least 1"],
    [{ name: "n", count: 11 }, "count", "must be at most 10"],
    [{ name: "n", kind: "c" }, "kind", 'must be one of "a", "b"'],
    [{ name: "n", email: "x" }, "email", "must be an e-mail address, such as ann@example.com"],
    [
      { name: "n", when: "today" },
      "when",
      "must be a time in ISO 8601, such as 2030-01-31T12:00:00Z or 2030-01-31T13:00:00+01:00",
    ],
    [{ name: "n", list: [{ x: 1 }, { x: "1" }] }, "list.1.x", "must be a number"],
    [{ name: "n", list: [{ x: 1 }, { x: 1 }, { x: 1 }] }, "list", "must have at most 2 entries"],
    [{ name: "n", deep: [] }, "deep", "must be an object"],
    [{ name: "n", deep: { flag: true, more: 1 } }, "deep.more", "is unknown: remove it; allowed are flag"],
    [{ name: "n", Li_st: [] }, "Li_st", "is unknown: use `list`"],
    [{ name: "n", list: [{ x: 1, y: 2 }] }, "list.0.y", "is unknown: remove it; allowed are x"],
    [{ name: "n", either: { file: 1 } }, "either.file", "must be a string"],
    [{ name: "n", own: "bad" }, "own", "must be anything but bad"],
  ])("%j", (value, field, message) => {
    const problem = problemOf(value);
    expect(problem.errors).toEqual([{ field, message }]);
    expect(problem).toMatchObject({ code: "invalid", status: 422, message: `In the body: ${field} ${message}.` });
  });

  test("an unknown field is named with those that are known", () => {
    expect(problemOf({ name: "n", source_ur: "x" }).errors).toEqual([
      {
        field: "source_ur",
        message: "is unknown: remove it; allowed are name, count, kind, email, when, list, deep, either, own",
      },
    ]);
  });

  test("an unknown option of a migration is named with the options that there are", () => {
    const urls = { source_url: "mysql://a:b@h/d", target_url: "postgres://a:b@h/d" };
    const refused = () => check(createSchema, { ...urls, options: { verfy: "counts" } }, "body");
    expect(refused).toThrow(/^In the body: options\.verfy is unknown: remove it; allowed are jobs, .*\bverify\b/);
  });

  test("a body that is no object is refused as the body", () => {
    for (const value of [null, [], "text", 1]) expect(problemOf(value).errors?.[0]?.field).toBe("body");
  });

  test("the value itself is never quoted", () => {
    const secret = "postgres://me:hunter2@host/db";
    const problem = problemOf({ name: secret, count: secret, kind: secret, email: secret, deep: secret });
    expect(JSON.stringify([problem.message, problem.errors])).not.toContain("hunter2");
  });

  test("a field named like a part of every object is unknown, and nothing of the prototype changes", () => {
    expect(problemOf({ name: "n", constructor: { prototype: { admin: true } } }).errors?.[0]?.field).toBe(
      "constructor",
    );
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});

test("A parameter that stands twice in a query is refused by its name", () => {
  expect(readQuery("limit=1&cursor=a%20b")).toEqual({ limit: "1", cursor: "a b" });
  expect(() => readQuery("limit=1&limit=2")).toThrow("limit is repeated");
  expect(Object.getPrototypeOf(readQuery("__proto__=1"))).toBe(Object.prototype);
});
