import { expect, test } from "vitest";
import { type AssessmentDocument, assessmentSchema } from "../resources/assessment.ts";
import { boundedAssessment } from "./bound.ts";
import { largestResponse } from "./protocol.ts";

const assessment = (more: Partial<AssessmentDocument>): AssessmentDocument => ({
  type: "conversion",
  assessedAt: "2026-01-01T00:00:00.000Z",
  ready: true,
  source: { engine: "MySQL", version: "9", size: 1, tables: 1, rows: 1 },
  target: { engine: "PostgreSQL", version: "18", empty: true, free: null },
  findings: [],
  objects: [],
  estimate: { seconds: { least: 1, most: 2 }, basis: "a guess", latencyMs: { source: 1, target: 1 } },
  samples: [],
  ...more,
});
const object = (kind: string, at: number, outcome: "copied" | "reported" = "copied", note = "") => ({
  kind,
  name: `${kind}${at}`,
  outcome,
  note,
});
const finding = (reason: string) => ({ severity: "blocker" as const, code: "a_code", object: "o", reason, fix: "" });

test("an assessment within reason is passed as it is", () => {
  const whole = assessment({
    findings: [finding("why")],
    objects: [object("table", 1), object("column", 1, "reported")],
  });
  expect(boundedAssessment(whole)).toEqual({
    assessment: whole,
    counts: { blockers: 1, warnings: 0, notes: 0, copied: 1, converted: 0, reported: 1 },
  });
});

test("of too many objects those that are lost stay first, then whole ones, and the rest is counted", () => {
  const objects = [
    ...Array.from({ length: 6000 }, (_, at) => object("column", at)),
    ...Array.from({ length: 100 }, (_, at) => object("table", at)),
    object("event", 1, "reported"),
  ];
  const { assessment: bounded, counts } = boundedAssessment(assessment({ objects }));
  expect(counts).toMatchObject({ copied: 6100, reported: 1, notes: 0 });
  expect(bounded.objects.length).toBe(5000);
  expect(bounded.objects[0]).toMatchObject({ kind: "event" });
  expect(bounded.objects.filter(({ kind }) => kind === "table").length).toBe(100);
  expect(bounded.findings).toEqual([
    {
      severity: "note",
      code: "objects_cut",
      object: "objects",
      reason: "1,101 more are not listed here",
      fix: expect.any(String),
    },
  ]);
});

test("whatever a server makes of names and notes, the answer fits and has its shape", () => {
  const long = '\u{1f42c}"\\'.repeat(30_000);
  const hostile = assessment({
    source: { engine: long, version: long, size: 1, tables: 1, rows: 1 },
    findings: Array.from({ length: 5000 }, () => finding(long)),
    objects: Array.from({ length: 9000 }, () => ({ kind: long, name: long, outcome: "copied" as const, note: long })),
    samples: Array.from({ length: 100 }, () => long),
  });
  const { assessment: bounded, counts } = boundedAssessment(hostile);
  expect(counts).toMatchObject({ blockers: 5000, copied: 9000 });
  expect(Buffer.byteLength(JSON.stringify(bounded))).toBeLessThan(largestResponse);
  expect(assessmentSchema.safeParse(bounded).success).toBe(true);
  expect(bounded.findings.length).toBeGreaterThan(100);
  expect(bounded.findings.map(({ code }) => code)).toContain("findings_cut");
  expect(bounded.findings.map(({ code }) => code)).toContain("objects_cut");
});
