import { expect, test } from "vitest";
import { createRecent } from "./recent.ts";

test("what was asked for lately is the same thing, and no more than that is kept", () => {
  let made = 0;
  const recent = createRecent((key: number) => ({ key, made: ++made }), 3);
  const first = recent(1);
  expect([recent(2), recent(3), recent(1)]).toEqual([
    { key: 2, made: 2 },
    { key: 3, made: 3 },
    { key: 1, made: 1 },
  ]);
  expect(recent(1)).toBe(first);
  recent(4);
  expect(recent(1)).toEqual({ key: 1, made: 5 });
  expect(recent(3)).toEqual({ key: 3, made: 3 });
});
