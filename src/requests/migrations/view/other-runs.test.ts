import { expect, test } from "vitest";
import { withoutOtherRuns } from "./other-runs.ts";

const id = "1b4c6696-0000-4000-8000-000000000001";
const words = `public.orders: the target database is in use by Migration rowferry-t1/${id}, which makes it too`;

test.each([
  [
    "another team",
    "rowferry-t2",
    "public.orders: the target database is in use by a run of another team, which makes it too",
  ],
  [
    "nobody in particular",
    undefined,
    "public.orders: the target database is in use by a run of another team, which makes it too",
  ],
  [
    "its own team",
    "rowferry-t1",
    `public.orders: the target database is in use by Migration ${id}, which makes it too`,
  ],
])("a run in a target is named to %s only if it is theirs", (_who, own, expected) => {
  expect(withoutOtherRuns(words, own)).toBe(expected);
});

test("other words stay as they are", () => {
  expect(withoutOtherRuns("in use by run one; a/b", undefined)).toBe("in use by run one; a/b");
});
