import { expect, test } from "vitest";
import type { Subject } from "../../../controllers/backup-run/subject.ts";
import { laneAtBegin } from "./backups.ts";

const job = { name: "nightly-1", uid: "j" };

test.each([
  ["that has a Job holds a slot, which may be free", { state: "in_progress", job }, "soon"],
  ["whose Job was just made, too", { state: "pending", job }, "soon"],
  ["that waits comes after them", { state: "pending" }, "again"],
  ["that nobody has looked at, too", undefined, "again"],
  ["that is completed comes last", { state: "completed", job }, "look"],
  ["that has failed, too", { state: "failed" }, "look"],
])("when a term begins, a run %s", (_what, status, lane) => {
  const metadata = { name: "nightly", namespace: "team", uid: "u", creationTimestamp: "2026-11-24T03:00:00Z" };
  expect(laneAtBegin({ kind: "BackupRun", metadata, spec: {}, status } as unknown as Subject)).toBe(lane);
});
