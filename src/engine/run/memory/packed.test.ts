import { describe, expect, test } from "vitest";
import { batches, createPacked, createPackedGroups, packedValues } from "./packed.ts";

const some = (count: number) => Array.from({ length: count }, (_, at) => ({ at, name: `täble "${at}" \u{1f600}` }));

describe("a packed list", () => {
  test.each([0, 1, 511, 512, 513, 2_000])("of %i values has them in their order, as often as it is read", (count) => {
    const packed = createPacked(some(count));
    expect(packed.length).toBe(count);
    expect([...packed]).toEqual(some(count));
    packed.push({ at: -1, name: "last" });
    expect([...packed]).toEqual([...some(count), { at: -1, name: "last" }]);
  });

  test("gives new objects, so that a change to one stays outside of it", () => {
    const packed = createPacked(some(600));
    for (const one of packed) one.name = "changed";
    expect([...packed].slice(0, 512)).toEqual(some(512));
  });

  test("takes a tenth of what it is as text", () => {
    const values = Array.from({ length: 512 }, (_, at) => ({
      kind: "column",
      name: `public.customer_account_${at}.email`,
    }));
    expect(packedValues(values).length).toBeLessThan(JSON.stringify(values).length / 10);
  });
});

test("groups have what was added to them, in order, whatever came between", () => {
  const groups = createPackedGroups<number>();
  for (let value = 0; value < 20_000; value++) groups.add(value % 7, value);
  for (let group = 0; group < 7; group++)
    expect(groups.of(group)).toEqual(Array.from({ length: 20_000 }, (_, at) => at).filter((at) => at % 7 === group));
  expect(groups.of(7)).toEqual([]);
});

test("batches are of the number that was asked for, the last one of the rest", () => {
  expect([...batches(some(5), 2)].map(({ length }) => length)).toEqual([2, 2, 1]);
  expect([...batches([], 2)]).toEqual([]);
});
