import { expect, test } from "vitest";
import { migrationWith } from "../../../test/support/requests/migration-with.ts";
import type { Intent, SeenCheckout } from "../../billing/seen.ts";
import { ClusterError } from "../../cluster/index.ts";
import type { PaymentSpec } from "../../resources/payment.ts";
import { tries } from "../update-with-retry.ts";
import type { Caller, World } from "../world.ts";
import { checkout } from "./checkout.ts";

/** `POST checkout` while others, such as events of Stripe, write the Migration. */

const now = new Date("2026-03-01T12:00:00.000Z");
const later = "2026-03-02T12:00:00.000Z";
const id = "22222222-2222-4222-8222-222222222222";
const payment: PaymentSpec = {
  ...{ by: "hold", account: "a1", currency: "USD", amount: 500 },
  checkout: { session: "cs_1", url: "https://pay.example/1", expiresAt: later, number: 1, run: 1 },
};
const caller = {
  account: { metadata: { name: "a1" }, spec: { plan: "free" } },
  team: { metadata: { name: "t1" }, status: { namespace: "rowferry-t1" } },
} as unknown as Caller;

/** Its page is as `seen` says, by default expired. The first `conflicts` writes are refused. */
function worldWith(
  conflicts: number,
  refusal = new ClusterError("Conflict", 409, "somebody was faster"),
  seen: Partial<SeenCheckout> = {},
) {
  const made = { pauses: [] as number[], keys: new Set<string>(), writes: 0 };
  const migration = migrationWith({
    metadata: { name: id },
    spec: { payment },
    status: { state: "awaiting_payment", run: 1, attempt: 1, reset: 0 },
  });
  const about = { installation: "here", namespace: "rowferry-t1", name: id, checkout: 1 };
  const world = {
    client: {
      get: async (kind: { plural: string }) => (kind.plural === "accounts" ? caller.account : migration),
      update: async (_kind: unknown, changed: unknown) => {
        made.writes += 1;
        if (made.writes <= conflicts) throw refusal;
        return changed;
      },
    },
    fresh: { migration: async () => migration },
    billing: {
      installation: async () => "here",
      payments: {
        look: async () => ({ id: "cs_1", session: "expired", about, ...seen }),
        openCheckout: async ({ key }: { key: string }) => {
          made.keys.add(key);
          return { session: "cs_2", url: "https://pay.example/2", expiresAt: later };
        },
      },
    },
    pause: async (milliseconds: number) => void made.pauses.push(milliseconds),
    randomBytes: () => new Uint8Array([255]),
    now: () => now,
    settings: { currency: "USD", baseUrl: "https://rowferry.example" },
  } as unknown as World;
  return { world, made };
}

test("it waits longer from try to try while others write the Migration, and opens one page", async () => {
  const { world, made } = worldWith(tries - 1);
  expect(await checkout(world, caller, id)).toMatchObject({ checkout_url: "https://pay.example/2", amount: 5 });
  expect(made.writes).toBe(tries);
  expect(made.pauses).toHaveLength(tries - 1);
  for (const [at, pause] of made.pauses.entries()) expect(pause).toBeGreaterThan(made.pauses[at - 1] ?? 5);
  expect(made.keys.size, "keys of idempotency").toBe(1);
});

test("it gives up as busy after all tries", async () => {
  const { world, made } = worldWith(tries);
  await expect(checkout(world, caller, id)).rejects.toMatchObject({ code: "busy", status: 503, retryAfter: 1 });
  expect(made.writes).toBe(tries);
});

test("it neither waits nor tries again where nobody was faster", async () => {
  const quick = worldWith(0);
  await checkout(quick.world, caller, id);
  expect(quick.made).toMatchObject({ writes: 1, pauses: [] });
  const refused = worldWith(1, new ClusterError("Forbidden", 403, "refused"));
  await expect(checkout(refused.world, caller, id)).rejects.toMatchObject({ code: "Forbidden" });
  expect(refused.made).toMatchObject({ writes: 1, pauses: [] });
});

const intent = (status: Intent["status"]): Intent => ({
  ...{ id: "pi_1", status, amount: 500, capturable: 0, received: 0, currency: "USD", lapsed: false },
});

test.each<[string, Partial<SeenCheckout>, string | undefined]>([
  ["that expired while the bank asks the person", { intent: intent("requires_action") }, "busy"],
  ["that expired with a card that is not confirmed", { intent: intent("requires_confirmation") }, "busy"],
  ["that is complete while the bank asks", { session: "complete", intent: intent("requires_action") }, "busy"],
  ["whose payment is being processed", { session: "complete", intent: intent("processing") }, "state_conflict"],
  ["that is held", { session: "complete", intent: intent("requires_capture") }, "state_conflict"],
  ["that is captured", { session: "complete", intent: intent("succeeded") }, "state_conflict"],
  ["that expired with its intent", { intent: intent("canceled") }, undefined],
  ["that expired after a declined card", { intent: intent("requires_payment_method") }, undefined],
  [
    "that was paid by a card that failed later",
    { session: "complete", intent: intent("requires_payment_method") },
    undefined,
  ],
])("a page %s: no second page is opened beside a payment that can still become a hold", async (_what, seen, code) => {
  const { world, made } = worldWith(0, undefined, seen);
  const asked = checkout(world, caller, id);
  if (code === undefined) await expect(asked).resolves.toMatchObject({ checkout_url: "https://pay.example/2" });
  else await expect(asked).rejects.toMatchObject({ code });
  expect(made.keys.size).toBe(code === undefined ? 1 : 0);
});

test("a page that Stripe does not close stays the only one", async () => {
  const soon = new Date(Date.parse(later) - 60_000);
  const { world, made } = worldWith(0, undefined, { session: "open" });
  Object.assign(world.billing?.payments ?? {}, { expire: async () => {} });
  const asked = checkout({ ...world, now: () => soon }, caller, id);
  await expect(asked).rejects.toMatchObject({ code: "busy" });
  expect(made.keys.size).toBe(0);
});
