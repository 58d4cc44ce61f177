import { expect, test } from "vitest";
import { type AssessmentDocument, assessmentSchema, boundAssessment, boundedAssessmentSchema } from "./assessment.ts";

const document = (findings: AssessmentDocument["findings"]): AssessmentDocument => ({
  type: "conversion",
  assessedAt: "2026-01-01T00:00:00.000Z",
  ready: false,
  source: { engine: "MySQL", version: "8.4.3", size: 10, tables: 1, rows: 2 },
  target: { engine: "PostgreSQL", version: "18.1", empty: true, free: null },
  findings,
  objects: [
    { kind: "table", name: "a", outcome: "converted" },
    { kind: "view", name: "v", outcome: "reported", note: "why" },
  ],
  estimate: { seconds: { least: 1, most: 2 }, basis: "words", latencyMs: { source: 1, target: 1 } },
  samples: [],
});

const finding = (severity: "blocker" | "warning" | "note", at: number, words = "reason") => ({
  severity,
  code: "code",
  object: `object ${at}`,
  reason: words,
  fix: "fix",
});

test("a small assessment keeps all its findings, the worst first, and counts what it leaves away", () => {
  const whole = document([finding("note", 1), finding("blocker", 2), finding("warning", 3)]);
  const bounded = boundAssessment(assessmentSchema.parse(whole));
  expect(boundedAssessmentSchema.parse(bounded)).toEqual(bounded);
  expect(bounded.findings.map(({ severity }) => severity)).toEqual(["blocker", "warning", "note"]);
  expect(bounded.counts).toEqual({ blockers: 1, warnings: 1, notes: 1, copied: 0, converted: 1, reported: 1 });
});

test.each([
  ["many findings", Array.from({ length: 1000 }, (_, at) => finding("warning", at))],
  ["long words", Array.from({ length: 30 }, (_, at) => finding("blocker", at, "ü😀".repeat(5000)))],
])("%s are cut to 4 KB, and their number is still told", (_, findings) => {
  const bounded = boundAssessment(document(findings));
  expect(new TextEncoder().encode(JSON.stringify(bounded)).length).toBeLessThanOrEqual(4096);
  expect(bounded.findings.length).toBeGreaterThan(0);
  expect(bounded.counts.blockers + bounded.counts.warnings).toBe(findings.length);
});
