import { expect, test } from "vitest";
import type { Candidate } from "../jobs/candidate.ts";
import { createSlots } from "../jobs/slots.ts";
import { type PerformerOptions, startJob } from "./performer.ts";

const one = (uid: string, since: number): Candidate => ({
  ...{ kind: "Migration", name: uid, namespace: "a", uid, generation: 1, account: undefined, servers: {}, run: 1 },
  ...{ isScheduled: false, isRunning: false, isWaiting: true, since, isSeen: () => false },
});

test("a pass that was let start, and waited while the line changed, does not start beside another in its slot", async () => {
  const [late, early] = [one("late", 2), one("early", 1)];
  const slots = createSlots({
    candidates: () => [late],
    limits: { cluster: 1, namespace: 1, account: 1 },
    isTeam: () => false,
  });
  const options = { slots, now: () => new Date() } as PerformerOptions;
  const started: string[] = [];
  const start = (candidate: Candidate) =>
    startJob(options, candidate.uid, 1, {
      candidate: () => candidate,
      make: async () => {
        started.push(candidate.uid);
        return { outcome: "made", name: candidate.uid, uid: candidate.uid };
      },
    });
  expect(slots.look("late").free).toBe(true);
  // While its pass waits for an answer, an older one is seen for the first time.
  slots.changed(undefined, early);
  expect(slots.look("early").free).toBe(true);
  expect(await start(early)).toHaveProperty("made");
  expect(await start(late)).toEqual({ slot: { free: false, position: 1, scope: "namespace", limit: 1 } });
  expect(started).toEqual(["early"]);
});
