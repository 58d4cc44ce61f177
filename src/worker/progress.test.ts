import { expect, it } from "vitest";
import type { EngineProgress } from "../engine/contract/index.ts";
import { progressSchema } from "../resources/migration.ts";
import { toProgress } from "./progress.ts";

it("odd numbers and long names still make a progress that the status accepts", () => {
  const odd: EngineProgress = {
    phase: "copying",
    tables: { done: 0, total: 0 },
    rows: { done: -1, total: Number.NaN },
    bytes: { done: 1.5, total: Number.POSITIVE_INFINITY },
    read: 1.5,
    finished: 0,
    compared: 0,
    table: [{ name: "x".repeat(600), rows: 0.4, total: -5, state: "copying" }],
  };
  const progress = toProgress(odd, [], new Date(0));
  expect(progressSchema.safeParse(progress).error).toBeUndefined();
});
