import { describe, expect, test } from "vitest";
import { expiredUrl } from "../../src/resources/database.ts";
import { labels } from "../../src/resources/group.ts";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import type { PaymentSpec, PaymentStatus } from "../../src/resources/payment.ts";
import { decide } from "./decide.ts";
import { awaitsCapture } from "./payment.ts";
import { forNextRun } from "./status.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const completed: MigrationStatus = { run: 1, attempt: 1, reset: 0, state: "completed" };

interface Given {
  by?: PaymentSpec["by"];
  run?: number;
  paid?: PaymentStatus["state"];
  session?: string;
  url?: string;
  status?: MigrationStatus;
  isBillingOff?: boolean;
}

/** A Migration that was reset, with its hold. */
function observed(given: Given) {
  const { by = "hold", run, paid, session = "cs_1", url = "x", status = completed, isBillingOff = false } = given;
  const migration: Migration = {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "Migration",
    metadata: {
      ...{ name: "m", namespace: "team", uid: "u", generation: 2, resourceVersion: "1" },
      creationTimestamp: now.toISOString(),
    },
    spec: {
      ...{ source: { sealedUrl: url }, target: { sealedUrl: "y" }, attempt: 1, reset: 1 },
      payment: {
        ...{ by, account: "a", currency: "USD", amount: 500 },
        checkout: {
          ...{ session: "cs_1", url: "https://pay.example/1", expiresAt: now.toISOString(), number: 1 },
          ...(run === undefined ? {} : { run }),
        },
      },
    },
    status: {
      ...status,
      ...(paid === undefined ? {} : { payment: { state: paid, session, lookedAt: now.toISOString() } }),
    },
  };
  return { migration, jobs: [], pods: [], slot: { free: true as const }, isBillingOff };
}

describe("a reset of a completed run waits until that is captured", () => {
  test.each<[string, Given, boolean]>([
    ["with its hold", { paid: "authorized" }, true],
    ["with its hold, and without its URL", { paid: "authorized", url: expiredUrl }, true],
    ["captured", { paid: "captured" }, false],
    ["lapsed", { paid: "lapsed" }, false],
    ["with the hold of the next run", { paid: "authorized", run: 2 }, false],
    ["with the hold of an earlier checkout", { paid: "authorized", session: "cs_0" }, false],
    ["not completed", { paid: "authorized", status: { ...completed, state: "failed" } }, false],
    ["covered by the plan since", { paid: "authorized", by: "plan" }, false],
    ["where nothing can be captured", { paid: "authorized", isBillingOff: true }, false],
  ])("%s", (_name, given, waits) => {
    const object = observed(given);
    expect(awaitsCapture(object)).toBe(waits);
    if (waits) expect(decide(object, now).status.state).toBe("completed");
    else expect(decide(object, now).status.state).not.toBe("completed");
  });
});

test.each<[string, Given, string]>([
  ["with billing on", { paid: "released" }, "AwaitingPayment"],
  ["with billing off", { paid: "released", isBillingOff: true }, "BillingOff"],
])("an unpaid run does not start, and says why: %s", (_name, given, reason) => {
  const plan = decide(observed(given), now);
  expect(plan.status.state).toBe("awaiting_payment");
  expect(plan.act).toBeUndefined();
  expect(plan.status.conditions?.find(({ type }) => type === "Running")).toMatchObject({ status: "False", reason });
});

describe("a reset of a verified run waits until that is completed", () => {
  const verified: MigrationStatus = {
    ...{ run: 1, attempt: 1, reset: 0, state: "in_progress", job: { name: "m-1", uid: "j1" } },
    result: { run: 1, outcome: "completed", reason: "Verified", message: "Copied.", finishedAt: now.toISOString() },
  };
  const job = (condition?: "Complete") => ({
    metadata: { name: "m-1", namespace: "team", uid: "j1", labels: { [labels.run]: "1", [labels.migrationUid]: "u" } },
    status: condition === undefined ? {} : { conditions: [{ type: condition, status: "True" as const }] },
  });
  test.each([
    ["while its Job has not ended", job(), "in_progress"],
    ["when its Job has ended", job("Complete"), "completed"],
  ])("%s", (_what, of, state) => {
    const given = { ...observed({ status: verified, paid: "authorized" }), jobs: [of] };
    const { act, status } = decide(given, now);
    expect(act).toBeUndefined();
    expect(status).toMatchObject({ state, run: 1, reset: 0 });
  });
});

test("what was finished is counted on in a retry, and anew after a reset", () => {
  const { migration, ...rest } = observed({ by: "plan", status: { ...completed, state: "failed" } });
  const change = (spec: { attempt: number; reset: number }) => {
    const { worker } = decide({ ...rest, migration: { ...migration, spec: { ...migration.spec, ...spec } } }, now);
    if (worker !== "next-run" && worker !== "reset-run") throw new Error(`${worker}`);
    return forNextRun({ type: "transfer", size: 9, finished: 70 }, worker);
  };
  expect(change({ attempt: 2, reset: 0 })).toEqual({ type: "transfer", size: 9, finished: 70 });
  expect(change({ attempt: 1, reset: 1 })).toEqual({ type: "transfer", size: 9 });
});
