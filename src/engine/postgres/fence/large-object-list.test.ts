import { expect, test } from "vitest";
import { largeObjectsMade, oidsOf } from "./large-object-list.ts";

test("the oids of an entry are read as they were written", () => {
  const oids = [5, 16_400, 16_401, 16_402, 4_294_967_295];
  expect(largeObjectsMade(oids).name).toEqual(["5", "16400-16402", "4294967295"]);
  expect(oidsOf(largeObjectsMade(oids))).toEqual(oids);
});

test.each([["1-501"], ["1-4294967295"], ["4294967296"], ["7-5"], ["1; DROP"], [""], ["-1"]])(
  "an entry with %s is none of a copy",
  (range) => {
    expect(oidsOf({ name: [range] })).toBeUndefined();
  },
);
