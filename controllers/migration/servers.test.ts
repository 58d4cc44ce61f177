import { expect, test } from "vitest";
import { serversAnnotation } from "../../src/resources/group.ts";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import type { RunLimits } from "../jobs/admission.ts";
import { createLines } from "../jobs/job-queue.ts";
import { whyWaiting } from "../jobs/waiting.ts";
import { candidateOf } from "./candidate.ts";

/** The limits of one source's server, and of one target's. */

let minute = 0;
const one = (uid: string, servers: unknown, status?: MigrationStatus, namespace = "a"): Migration => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: {
    ...{ name: uid, namespace, uid, generation: 1, resourceVersion: "1" },
    creationTimestamp: new Date(Date.UTC(2026, 2, 1, 11, minute++)).toISOString(),
    annotations: { [serversAnnotation]: typeof servers === "string" ? servers : JSON.stringify(servers) },
  },
  spec: { source: {}, target: {}, attempt: 1, reset: 0 },
  ...(status ? { status } : {}),
});
const runs: MigrationStatus = { state: "in_progress", run: 1, attempt: 1, reset: 0, job: { name: "x", uid: "x" } };
const isTeam = (namespace: string) => namespace.startsWith("rowferry-");
const most = { cluster: 100, namespace: 100, account: 100 };
const admission = (all: readonly Migration[], of: Partial<RunLimits>) => {
  const lines = createLines({ isTeam, limits: { ...most, ...of } });
  for (const one of all.map(candidateOf)) lines.put(one, one.isRunning ? "runs" : "waits");
  return lines.slotOf;
};
const started = (all: readonly Migration[], of: Partial<RunLimits>) => {
  const slot = admission(all, of);
  return all.flatMap(({ metadata: { uid } }) => (slot(uid).free ? [uid] : []));
};

test("as many as its limit run from one source's server, and those of another pass", () => {
  const all = [
    one("running", { source: "db1" }, runs),
    one("first", { source: "db1" }),
    one("second", { source: "db1" }),
    one("other", { source: "db2" }),
    one("unnamed", {}),
  ];
  const slot = admission(all, { source: 2 });
  expect(slot("first").free).toBe(true);
  expect(slot("second")).toEqual({ free: false, position: 1, scope: "source", limit: 2 });
  expect(slot("other").free).toBe(true);
  expect(slot("unnamed").free).toBe(true);
});

test("likewise into one target's, and a server counts apart as source and as target", () => {
  const all = [one("a", { target: "db1" }, runs), one("b", { target: "db1" }), one("c", { source: "db1" })];
  expect(started(all, { source: 1, target: 1 })).toEqual(["a", "c"]);
});

test("one that waits for a server says which of the two, and how many are before it", () => {
  const all = [one("a", { target: "w" }, runs), one("b", { target: "w" }), one("c", { target: "w" })];
  const why = (uid: string) => whyWaiting({ slot: admission(all, { target: 1 })(uid) }, "Migration")?.trouble;
  expect(why("b")).toEqual({
    reason: "Queued",
    message: "1 runs are in progress, the limit for its target server; this one is next.",
  });
  expect(why("c")?.message).toContain("1 is before it");
});

test("a full server at the head of a line holds nobody behind it", () => {
  const all = [one("a", { source: "s" }, runs), one("b", { source: "s" }), one("c", { source: "t" })];
  expect(started(all, { source: 1, cluster: 2 })).toEqual(["a", "c"]);
});

test.each([[{}], [{ source: 0, target: 0 }]])("without limits all start: %j", (of) => {
  const all = [one("a", { source: "s" }, runs), one("b", { source: "s" })];
  expect(started(all, of)).toEqual(["a", "b"]);
});

test("names that kubectl gives use up nothing of a team's", () => {
  const all = [one("a", { source: "digest" }, runs, "shop"), one("b", { source: "digest" }, undefined, "rowferry-t1")];
  expect(started(all, { source: 1 })).toEqual(["a", "b"]);
});

test.each(["", "no JSON", "null", "[]", '"text"', '{"source":1}', '{"source":""}', `{"source":"${"x".repeat(2000)}"}`])(
  "an annotation %j names no server",
  (text) => expect(candidateOf(one("a", text)).servers).toEqual({}),
);

test("a changed name asks for the slots anew", () => {
  const lines = createLines({ isTeam, limits: { ...most, source: 1 } });
  const waits = candidateOf(one("b", { source: "s" }));
  lines.put(candidateOf(one("a", { source: "s" }, runs)), "runs");
  lines.put(waits, "waits");
  expect(lines.slotOf("b").free).toBe(false);
  lines.put(candidateOf(one("a", { source: "t" }, runs)), "runs");
  expect(lines.slotOf("b").free).toBe(true);
});
