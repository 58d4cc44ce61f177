import { expect, it } from "vitest";
import { notCopiedText } from "./not-copied.ts";

const reported = (kinds: Record<string, number>) =>
  Object.entries(kinds).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, at) => ({ kind, name: String(at), outcome: "reported" as const })),
  );

it.each([
  [{}, undefined],
  [{ view: 1 }, "1 source object was not copied or was changed: 1 view"],
  [
    { trigger: 3, index: 4, view: 5 },
    "12 source objects were not copied or were changed: 5 views, 4 indexes, 3 triggers",
  ],
  [{ grant: 1200 }, "1,200 source objects were not copied or were changed: 1,200 grants"],
  [
    { policy: 2, "foreign key": 2, statistics: 2 },
    "6 source objects were not copied or were changed: 2 foreign keys, 2 policies, 2 statistics",
  ],
  [
    { a: 2, b: 2, c: 2, d: 2, e: 2, f: 2, g: 1, h: 1 },
    "14 source objects were not copied or were changed: 2 as, 2 bs, 2 cs, 2 ds, 2 es, 2 fs, 2 of other kinds",
  ],
])("%j is summed up by kind, the most frequent first", (kinds, words) => {
  const copied = { kind: "table", name: "t", outcome: "copied" } as const;
  expect(notCopiedText([copied, ...reported(kinds)])).toBe(words);
});

it("large objects are counted, which are one entry", () => {
  const entry = { kind: "large object", name: "all 30000", outcome: "reported" } as const;
  expect(notCopiedText([entry])).toBe("30,000 source objects were not copied or were changed: 30,000 large objects");
});
