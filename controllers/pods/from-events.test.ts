import { expect, test } from "vitest";
import type { Client, Job, Pod } from "../../src/cluster/index.ts";
import { reasonFromEvents } from "./from-events.ts";

const now = new Date("2026-03-01T12:00:00Z");
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();
const job = (seconds: number, ended?: "Complete" | "Failed"): Job => ({
  metadata: { name: "m-1", namespace: "a", uid: "j", creationTimestamp: before(seconds) },
  status: { conditions: ended === undefined ? [] : [{ type: ended, status: "True" }] },
});
const failedPod: Pod = {
  metadata: { name: "m-1-x", namespace: "a", uid: "p", ownerReferences: [{ uid: "j" }] },
  status: { phase: "Failed" },
} as unknown as Pod;

/** How often events were read. */
async function reads(of: Job, pods: readonly Pod[] = [], isOver = false): Promise<number> {
  let count = 0;
  const list = async () => {
    count += 1;
    return [];
  };
  const client = { list } as unknown as Client;
  await reasonFromEvents(client, { recorded: "j", isOver, jobs: [of], pods, secrets: [], now });
  return count;
}

test("events are read of a Job that has no pod for some time, and of one that goes on after a pod", async () => {
  expect(await reads(job(1))).toBe(0);
  expect(await reads(job(5))).toBe(1);
  expect(await reads(job(5), [failedPod])).toBe(1);
});

test("of a run that has ended none are read", async () => {
  for (const ended of ["Complete", "Failed"] as const)
    for (const pods of [[], [failedPod]]) expect(await reads(job(5, ended), pods)).toBe(0);
  expect(await reads(job(5), [], true)).toBe(0);
});
