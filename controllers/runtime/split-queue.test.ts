import { expect, test } from "vitest";
import { runLoop } from "./loop.ts";
import { createQueue } from "./queue.ts";
import { splitQueue } from "./split-queue.ts";

const make = () => createQueue({ random: () => 0, schedule: () => () => {}, now: () => 0 });
const isBackup = (key: string) => key.includes(":");

test("passes of one kind that never end hold up none of the other, and each may ask for a pass of the other", async () => {
  const [queue, others = make()] = splitQueue(make, [isBackup]);
  for (let at = 0; at < 1000; at += 1) queue.add(`BackupRun:team/${at}`);
  queue.add("team/first");
  expect(queue.length).toBe(1001);
  let release = () => {};
  const stuck = new Promise<void>((resolve) => {
    release = resolve;
  });
  const seen: string[] = [];
  const failed = () => {};
  const loops = [
    runLoop({
      ...{ queue, concurrency: 1, failed },
      async reconcile(key) {
        seen.push(key);
        if (key === "team/second") release();
        return key === "team/first" ? { others: ["BackupRun:team/x", "team/second"] } : {};
      },
    }),
    runLoop({
      ...{ queue: others, concurrency: 2, failed },
      async reconcile(key) {
        expect(isBackup(key)).toBe(true);
        await stuck;
        queue.close();
        return {};
      },
    }),
  ];
  await Promise.all(loops);
  expect(seen).toEqual(["team/first", "team/second"]);
});

test("a key keeps its lane, whichever of the two it comes to", async () => {
  const [queue, others = make()] = splitQueue(make, [isBackup]);
  for (const key of ["Restore:t/a", "Restore:t/b"]) queue.addAfter(key, 0, key.endsWith("a") ? "again" : "soon");
  expect([await others.take(), await others.take()]).toEqual(["Restore:t/b", "Restore:t/a"]);
});

test("a key goes to the first queue that it is of", async () => {
  const [rest, ...own] = splitQueue(make, [(key) => key.startsWith("BackupSchedule:"), isBackup]);
  for (const key of ["BackupRun:t/a", "BackupSchedule:t/b", "t/c"]) rest.add(key);
  const taken = await Promise.all([rest, ...own].map((queue) => queue.take()));
  expect(taken).toEqual(["t/c", "BackupSchedule:t/b", "BackupRun:t/a"]);
  expect(rest.length).toBe(0);
});
