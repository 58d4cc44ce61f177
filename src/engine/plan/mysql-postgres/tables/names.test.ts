import { expect, test } from "vitest";
import { createNames, nameBytes } from "./names.ts";

test("a free short name stays as it is, a taken or long one gets a suffix that is the same each time", () => {
  const long = "漢".repeat(30);
  const make = () => {
    const names = createNames(["taken"]);
    return [
      names.take("free", "1"),
      names.take("free", "2"),
      names.take("taken", "3"),
      names.take(long, "4"),
      names.take(long, "5"),
      names.take("", "6"),
    ];
  };
  const first = make();
  expect(first[0]).toBe("free");
  expect(new Set(first).size).toBe(6);
  for (const name of first) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(nameBytes);
  expect(first[3]).toMatch(/^漢+_[0-9a-f]{8}$/);
  expect(make()).toEqual(first);
});
