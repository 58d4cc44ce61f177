import { decide, type Observed, type Plan } from "../../../controllers/payment/decide.ts";
import { checkoutLasts, type Intent, type SeenCheckout } from "../../../src/billing/seen.ts";
import type { Migration, MigrationStatus } from "../../../src/resources/migration.ts";
import type { PaymentSpec } from "../../../src/resources/payment.ts";

/** A Migration that is paid by a hold, and what Stripe says of it, for the tables of tests. */

export const now = new Date("2026-03-01T12:00:00.000Z");
export const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString();
export const ahead = (milliseconds: number) => ago(-milliseconds);
export const hour = 3_600_000;
export const day = 24 * hour;

export const payment: PaymentSpec = {
  by: "hold",
  account: "a",
  currency: "USD",
  amount: 500,
  quotedSize: 1000,
  checkout: { session: "cs_1", url: "https://pay.example/1", expiresAt: ahead(checkoutLasts - 60_000), number: 1 },
};

export function migration(
  status: MigrationStatus = {},
  { deleted = false, attempt = 1, ...spec }: Partial<PaymentSpec> & { deleted?: boolean; attempt?: number } = {},
): Migration {
  return {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "Migration",
    metadata: {
      name: "shop",
      namespace: "team",
      uid: "m",
      generation: 1,
      resourceVersion: "1",
      creationTimestamp: ago(60_000),
      ...(deleted ? { deletionTimestamp: now.toISOString() } : {}),
    },
    spec: {
      source: { sealedUrl: "x" },
      target: { sealedUrl: "y" },
      attempt,
      reset: 0,
      payment: { ...payment, ...spec },
    },
    status,
  };
}

export const run = { run: 1, attempt: 1, reset: 0 } as const;
export const waiting: MigrationStatus = { ...run, state: "awaiting_payment" };
export const running: MigrationStatus = { ...run, state: "in_progress", job: { name: "j", uid: "u" } };
export const completed: MigrationStatus = { ...running, state: "completed", finishedAt: ago(1000) };
export const failed: MigrationStatus = { ...running, state: "failed", finishedAt: ago(1000) };
export const failedLongAgo: MigrationStatus = { ...failed, finishedAt: ago(day + 1) };

export const intent = (status: Intent["status"], more: Partial<Intent> = {}): Intent => ({
  id: "pi_1",
  status,
  amount: 500,
  capturable: status === "requires_capture" ? 500 : 0,
  received: status === "succeeded" ? 500 : 0,
  currency: "USD",
  lapsed: false,
  ...(status === "requires_capture" ? { captureBefore: ahead(6 * day) } : {}),
  ...more,
});
export const about = { installation: "here", namespace: "team", name: "shop", checkout: 1 };
export const open: SeenCheckout = { id: "cs_1", session: "open", about };
export const expired: SeenCheckout = { id: "cs_1", session: "expired", about };
export const complete = (of: Intent): SeenCheckout => ({ id: "cs_1", session: "complete", intent: of, about });
export const held = complete(intent("requires_capture"));
export const taken = complete(intent("succeeded"));
export const lapsed = complete(intent("canceled", { lapsed: true }));
export const cancelled = complete(intent("canceled"));

export const of = (object: Migration, rest: Partial<Observed> = {}): Plan =>
  decide({ migration: object, grace: day, ...rest }, now);
