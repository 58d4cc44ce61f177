import { expect, test } from "vitest";
import { concluded, type RunStanding } from "./conclude.ts";

/** What kstatus makes of the conditions, by its own rules for kinds that it does not know (sigs.k8s.io/cli-utils, pkg/kstatus). */
function kstatus(conditions: { type: string; status: string }[]): string {
  const holds = (type: string) => conditions.find((one) => one.type === type)?.status;
  if (holds("Reconciling") === "True") return "InProgress";
  if (holds("Stalled") === "True") return "Failed";
  return holds("Ready") === "False" || holds("Ready") === "Unknown" ? "InProgress" : "Current";
}

const subject = { metadata: { generation: 3 } };
const now = new Date("2026-03-01T12:00:00.000Z");

test.each<[RunStanding["state"], RunStanding["trouble"], string, string]>([
  ["awaiting_payment", { reason: "AwaitingPayment", message: "Nobody has paid." }, "InProgress", "AwaitingPayment"],
  ["pending", { reason: "Queued", message: "One is before it." }, "InProgress", "Queued"],
  ["in_progress", undefined, "InProgress", "PodRunning"],
  ["completed", { reason: "Verified", message: "All is equal." }, "Current", "Verified"],
  ["failed", { reason: "wrong_password", message: "The password is wrong." }, "Failed", "WrongPassword"],
])("an object that is %s", (state, trouble, status, reason) => {
  const { conditions } = concluded(subject, { run: 1, state, trouble, pod: "p", completed: "Done." }, now);
  expect(kstatus(conditions)).toBe(status);
  const ready = conditions.find(({ type }) => type === "Ready");
  expect(ready).toMatchObject({ status: state === "completed" ? "True" : "False", reason, observedGeneration: 3 });
  expect(conditions.map(({ type }) => type)).toEqual([
    ...["Complete", "Failed", "Running", "Ready", "Reconciling", "Stalled"],
  ]);
});
