import { describe, expect, test } from "vitest";
import { Problem } from "../../errors.ts";
import { checkPair } from "./urls.ts";

const source = "mysql://reader:planted-1@db1.shop.test:3306/shop";
const target = "postgres://writer:planted-2@db2.shop.test/shop";
const open = { allow: [], refuse: [] };

const refusalOf = (source_url: string, target_url: string): Problem => {
  try {
    checkPair({ source_url, target_url }, open);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("it was taken");
};

describe("the type follows from the two engines", () => {
  test.each([
    [source, target, "conversion"],
    [source, "mariadb://w:x@db2.shop.test/shop", "transfer"],
    ["postgresql://r:x@db1.shop.test/a", "postgres://r:x@db1.shop.test/b", "transfer"],
  ])("%s to %s: %s", (from, to, type) => {
    expect(checkPair({ source_url: from, target_url: to }, open).type).toBe(type);
  });
});

test.each([
  ["itself", source, source],
  ["itself by another user", source, "mysql://other:pw@db1.shop.test/shop"],
  ["itself in another case and with the root's dot", source, "mysql://r:pw@DB1.shop.test.:3306/shop"],
])("a database is not copied to %s", (_what, from, to) => {
  const refusal = refusalOf(from, to);
  expect(refusal.code).toBe("invalid");
  expect(refusal.errors?.map(({ field }) => field)).toEqual(["target_url"]);
});

test("both URLs that are not accepted are named, and neither is repeated", () => {
  const refusal = refusalOf("mysql://r:planted-1@127.0.0.1/shop", "http://w:planted-2@db2.shop.test/shop");
  expect(refusal.code).toBe("url_refused");
  expect(refusal.errors?.map(({ field }) => field)).toEqual(["source_url", "target_url"]);
  expect(`${refusal.message}${JSON.stringify(refusal.errors)}`).not.toMatch(/planted|127\.0\.0\.1|db2/);
});
