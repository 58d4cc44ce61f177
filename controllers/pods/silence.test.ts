import { expect, test } from "vitest";
import type { Pod } from "../../src/resources/objects.ts";
import { createSilences } from "./silence.ts";

const pod = (uid: string, phase: string, creationTimestamp = "2026-03-01T11:00:00Z"): Pod => ({
  metadata: {
    ...{ name: uid, uid, creationTimestamp },
    ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid: "j1" }],
  },
  status: { phase },
});

test("silence is counted from the last sign that this process saw, of the pod that runs now", () => {
  let time = 1000;
  const silences = createSilences(
    () => 5000,
    () => time,
  );
  const look = (pods: Pod[], heard?: string) => silences.of("m", pods, "j1", heard)?.for;
  expect(look([pod("a", "Pending")])).toBeUndefined();
  expect(look([pod("a", "Running")])).toBe(0);
  time += 400;
  expect(look([pod("a", "Running")])).toBe(400);
  expect(look([pod("a", "Running")], "12:00:00"), "it spoke").toBe(0);
  time += 300;
  expect(look([pod("a", "Running")], "12:00:00")).toBe(300);
  expect(look([pod("b", "Running", "2026-03-01T12:00:00Z"), pod("a", "Running")], "12:00:00"), "another pod").toBe(0);
  time += 100;
  expect(look([pod("b", "Failed")], "12:00:00")).toBeUndefined();
  expect(look([pod("b", "Running")], "12:00:00"), "anew").toBe(0);
  expect(silences.of("m", [pod("a", "Running")], undefined, undefined), "no Job is recorded").toBeUndefined();
  expect(silences.of("m", [pod("a", "Running")], "j1", undefined)?.most).toBe(5000);
});
