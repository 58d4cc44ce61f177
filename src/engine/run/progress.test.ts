import { describe, expect, it } from "vitest";
import type { EngineProgress } from "../contract/index.ts";
import { createProgress } from "./progress.ts";

function listen() {
  const told: EngineProgress[] = [];
  let time = 0;
  const progress = createProgress(
    (one) => told.push(one),
    () => time,
  );
  return {
    told,
    progress,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe("the account of progress", () => {
  it("sums tables, and counts a table's bytes in full only when it is copied", () => {
    const { told, progress, pass } = listen();
    progress.plan([
      { name: "a", rows: 10, bytes: 100 },
      { name: "b", rows: 5, bytes: 50 },
    ]);
    pass(1000);
    progress.add("a", 4, 90);
    expect(told.at(-1)).toMatchObject({ rows: { done: 4, total: 15 }, bytes: { done: 90, total: 150 }, read: 90 });
    pass(1000);
    progress.add("a", 8, 90);
    expect(told.at(-1)).toMatchObject({
      rows: { done: 12, total: 17 },
      bytes: { done: 100, total: 150 },
      read: 180,
      finished: 0,
    });
    progress.settle("a", 11);
    progress.state("a", "done");
    progress.phase("verifying");
    expect(told.at(-1)).toMatchObject({
      phase: "verifying",
      rows: { done: 11, total: 16 },
      tables: { done: 1, total: 2 },
      finished: 180,
    });
    pass(1000);
    progress.restart("a");
    expect(told.at(-1)).toMatchObject({ rows: { done: 0, total: 16 }, tables: { done: 0, total: 2 } });
  });

  it("tells the last change of a burst too, without another one", async () => {
    const told: EngineProgress[] = [];
    const last = Promise.withResolvers<void>();
    const progress = createProgress((one) => {
      told.push(one);
      if (one.table[0]?.state === "indexing") last.resolve();
    });
    progress.plan([{ name: "a", rows: 1, bytes: 1 }]);
    progress.add("a", 1, 1);
    progress.state("a", "indexing");
    const alive = setInterval(() => undefined, 1_000);
    await last.promise.finally(() => clearInterval(alive));
    expect(told).toHaveLength(2);
  });

  it("counts the units of a phase's stages, one after the other", () => {
    const { told, progress, pass } = listen();
    const worked = () => {
      pass(1000);
      progress.did(0);
      return told.at(-1)?.worked;
    };
    progress.phase("schema");
    expect(worked()).toBe(0);
    progress.stage(0.5, 10);
    progress.did(4);
    expect(worked()).toBe(0.2);
    progress.stage(1, 4);
    expect(worked()).toBe(0.5);
    progress.did();
    expect(worked()).toBe(0.625);
    progress.did(9);
    expect(worked()).toBe(1);
    progress.phase("constraints");
    expect(worked()).toBe(0);
    progress.stage(1, 0);
    expect(worked()).toBe(1);
  });

  it("never shows less than before, also when a table is copied again", () => {
    const { told, progress, pass } = listen();
    progress.plan([{ name: "a", rows: 10, bytes: 100 }]);
    progress.phase("copying");
    pass(1000);
    progress.add("a", 10, 80);
    const before = told.at(-1)?.reached ?? 0;
    expect(before).toBeGreaterThan(50);
    pass(1000);
    progress.restart("a");
    expect(told.at(-1)).toMatchObject({ rows: { done: 0 }, reached: before });
    progress.phase("finished");
    expect(told.at(-1)?.reached).toBe(100);
  });

  it("speaks at most five times a second, and at each phase", () => {
    const { told, progress, pass } = listen();
    progress.plan([{ name: "a", rows: 1, bytes: 1 }]);
    for (let i = 0; i < 1000; i++) {
      pass(1);
      progress.add("a", 1, 1);
    }
    expect(told.length).toBeLessThanOrEqual(7);
    progress.phase("verifying");
    expect(told.at(-1)?.rows.done).toBe(1000);
  });
});
