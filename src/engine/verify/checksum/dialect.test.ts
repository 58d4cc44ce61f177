import { expect, test } from "vitest";
import { createDialect } from "./dialect.ts";

test("a table that is locked as a whole is read before writers that wait for it, as the copy reads it", () => {
  const { select } = createDialect("mysql", "md5");
  expect([select("InnoDB"), select("MyISAM"), select(undefined)]).toEqual(["SELECT", "SELECT HIGH_PRIORITY", "SELECT"]);
  expect(createDialect("postgres", "md5").select(undefined)).toBe("SELECT");
});
