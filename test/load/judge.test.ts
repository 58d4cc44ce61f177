import { describe, expect, it } from "vitest";
import { judge, type Observed, percentile } from "./judge.ts";
import { type Noted, unanswered } from "./records.ts";

const read = (at: number, more: Partial<Noted> = {}): Noted => ({ operation: "getMigration", at, ms: 5, ...more });

/** A hundred requests a second for ten seconds, then a kill, and all within bounds. */
const observed = (more: Partial<Observed> = {}): Observed => ({
  records: Array.from({ length: 1500 }, (_, at) => read(at * 10)),
  begun: 0,
  ended: 10_000,
  killedAt: 10_500,
  streams: 0,
  kubernetes: new Map([["get configmaps", 90]]),
  operatorRequests: new Map([["patch migrations/status", 9]]),
  apiMemory: [200, 210],
  operatorMemory: 120,
  processor: 1,
  largest: 4000,
  ...more,
});
const withFailure = (at: number, failed: string, ms = 5): Partial<Observed> => ({
  records: [...observed().records, read(at, { failed, ms })],
});

describe("a load", () => {
  it("that holds its bounds breaks none", () => {
    expect(judge(observed(), true).broken).toEqual([]);
  });
  it.each<[string, Partial<Observed>, string]>([
    ["a request failed before the kill", withFailure(5000, "ECONNRESET"), "restarted in order"],
    ["a request failed long after it", withFailure(12_600, "ECONNREFUSED"), "long after"],
    [
      "reads were slow",
      { records: Array.from({ length: 1000 }, (_, at) => read(at, { ms: at < 20 ? 51 : 5 })) },
      "p99",
    ],
    ["Kubernetes was asked much", { kubernetes: new Map([["get teams", 310]]) }, "0.31 requests"],
    ["a replica grew", { apiMemory: [200, 251] }, "251 MiB"],
    ["the operator grew", { operatorMemory: 181 }, "181 MiB"],
    ["a stream was never opened", { streams: 1 }, "0 streams were opened instead of 1"],
    ["an object was too large to count", { largest: 4097 }, "4097 bytes"],
  ])("says that %s", (_what, more, words) => {
    expect(judge(observed(more), true).broken.join("\n")).toContain(words);
  });
  it("may lose what was on its way to the replica that was killed, and what came in two seconds", () => {
    expect(judge(observed(withFailure(10_480, "ECONNRESET", 21)), true).broken).toEqual([]);
    expect(judge(observed(withFailure(12_400, "ECONNREFUSED")), true).broken).toEqual([]);
  });
  it("loses no more than comes in two seconds", () => {
    const lost = Array.from({ length: 201 }, (_, at) => read(10_500 + at, { failed: "ECONNREFUSED" }));
    expect(judge(observed({ records: [...observed().records, ...lost] }), false).broken.join()).toContain("201");
  });
  it.each([true, false])("fails when a request stays unanswered, timed or not (%s), whenever that was", (timed) => {
    for (const at of [5000, 10_480, 10_600, 13_000]) {
      const { broken } = judge(observed(withFailure(at, unanswered, 10_000)), timed);
      expect(broken.join("\n")).toContain("1 requests stayed unanswered: getMigration at");
    }
  });
  it.each([true, false])("fails when none of its requests was answered, timed or not (%s)", (timed) => {
    const records = observed().records.map((one) => ({ ...one, failed: "status 503: answers too slowly" }));
    expect(judge(observed({ records }), timed).broken.join("\n")).toContain("none of 1000 requests was answered");
    const silent = observed().records.map((one) => ({ ...one, failed: unanswered }));
    expect(judge(observed({ records: silent }), timed).broken.join("\n")).toContain("1500 requests stayed unanswered");
  });
  it.each([true, false])("fails when more than half of its reads are refused, timed or not (%s)", (timed) => {
    const records = observed().records.map((one, at) =>
      at % 4 > 0 ? { ...one, failed: "status 503: answers too slowly" } : one,
    );
    expect(judge(observed({ records }), timed).broken).toContain("750 of 1000 reads were refused");
  });
  it.each([true, false])("fails when nothing is answered at its end, timed or not (%s)", (timed) => {
    const records = observed().records.map((one) => (one.at > 12_900 ? { ...one, failed: "ECONNREFUSED" } : one));
    const words = "no request was answered in the last two seconds";
    expect(judge(observed({ records }), timed).broken).toContain(words);
  });
  it.each([true, false])("fails when no request was made, timed or not (%s)", (timed) => {
    expect(judge(observed({ records: [] }), timed).broken).toContain("no request was made");
    // Only before the time that counts, or only streams.
    const before = [read(-5), read(5000, { operation: "openStream" })];
    expect(judge(observed({ records: before }), timed).broken).toContain("no request was made");
  });
  it("that is not timed is not broken by a machine that is slow", () => {
    const slow = { ...withFailure(5000, "status 503: the cluster answers too slowly"), apiMemory: [300] };
    expect(judge(observed(slow), false).broken).toEqual([]);
    expect(judge(observed(slow), true).broken).toHaveLength(2);
  });
});

it.each([
  [[], 0.99, 0],
  [[1], 0.5, 1],
  [[1, 2, 3, 4], 0.5, 2],
  [Array.from({ length: 100 }, (_, at) => at + 1), 0.99, 99],
])("a percentile is by nearest rank: %j at %d", (sorted, share, expected) => {
  expect(percentile(sorted, share)).toBe(expected);
});
