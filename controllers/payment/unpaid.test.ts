import { expect, test } from "vitest";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import type { PaymentSpec, PaymentStatus } from "../../src/resources/payment.ts";
import { untilRemoved } from "./unpaid.ts";

const now = new Date("2026-03-31T12:00:00.000Z");
const day = 24 * 3_600_000;
const kept = 30 * day;
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString();
const awaiting: MigrationStatus = { run: 1, attempt: 1, reset: 0, state: "awaiting_payment", queuedAt: ago(kept + 1) };
const paid = (state: PaymentStatus["state"], more: Partial<PaymentStatus> = {}): PaymentStatus => ({
  ...{ state, session: "cs_1", lookedAt: ago(0) },
  ...more,
});
const migration = (status: MigrationStatus, by: PaymentSpec["by"], deleted: boolean): Migration => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: {
    ...{ name: "m", namespace: "team", uid: "u", generation: 1, resourceVersion: "1", creationTimestamp: ago(kept) },
    ...(deleted ? { deletionTimestamp: ago(0) } : {}),
  },
  spec: {
    ...{ source: { sealedUrl: "x" }, target: { sealedUrl: "y" }, attempt: 1, reset: 0 },
    payment: {
      ...{ by, account: "a", currency: "USD", amount: 500 },
      checkout: { session: "cs_1", url: "https://pay.example/1", expiresAt: ago(0), number: 1 },
    },
  },
  status,
});

interface Row {
  status?: MigrationStatus;
  by?: PaymentSpec["by"];
  paid?: PaymentStatus | undefined;
  deleted?: boolean;
  kept?: number | undefined;
}

test.each<[string, Row, number | undefined]>([
  ["awaits payment for too long", {}, -1],
  ["awaits payment for a while", { status: { ...awaiting, queuedAt: ago(kept - 1000) } }, 1000],
  ["looks again after half a day", { status: { ...awaiting, queuedAt: ago(0) } }, day / 2],
  ["its page closed", { paid: paid("released") }, -1],
  ["its hold lapsed", { paid: paid("lapsed") }, -1],
  ["has a hold", { paid: paid("authorized") }, undefined],
  ["was captured", { paid: paid("captured") }, undefined],
  ["was captured for an earlier run", { paid: paid("released", { captured: 500 }) }, undefined],
  ["has the report of an earlier run", { status: { ...awaiting, madeIn: "shop-1-report" } }, undefined],
  [
    "was captured for an earlier run, and refunded",
    { paid: paid("released", { earlier: [{ session: "cs_0", refunded: 500 }] }) },
    undefined,
  ],
  ["is covered by the plan since", { by: "plan" }, undefined],
  ["is pending", { status: { ...awaiting, state: "pending" } }, undefined],
  ["is failed", { status: { ...awaiting, state: "failed" } }, undefined],
  ["has not been looked at", { status: {} }, undefined],
  ["is being deleted", { deleted: true }, undefined],
  ["is never removed", { kept: undefined }, undefined],
])("%s", (_name, row, left) => {
  const { status = awaiting, by = "hold", deleted = false } = row;
  const of = "paid" in row ? row.paid : paid("awaiting");
  expect(untilRemoved(migration(status, by, deleted), of, "kept" in row ? row.kept : kept, now)).toBe(left);
});
