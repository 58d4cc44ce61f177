import type { Mutant } from "../mutant.ts";

/** Broken builds of payment: the judge of the billing chaos must catch each of them. */

const test = {
  file: "test/billing/chaos/directed.test.ts",
  name: "the judge finds no violation in a completed, a deleted, a repeated and a free create",
};
const decide = "controllers/payment/decide.ts";
const claim = "src/billing/claim.ts";

export const billing: readonly Mutant[] = [
  {
    id: "capture-before-verification",
    file: decide,
    find: 'if (state === "completed") return { kind: "capture", intent: intent.id, amount: payment.amount };',
    replace: 'if (state !== "failed") return { kind: "capture", intent: intent.id, amount: payment.amount };',
    test,
    harm: "A person pays for a copy that is not completed.",
  },
  {
    id: "capture-of-the-measured-amount",
    file: decide,
    find: 'if (state === "completed") return { kind: "capture", intent: intent.id, amount: payment.amount };',
    replace:
      'if (state === "completed") return { kind: "capture", intent: intent.id, amount: 100 + Math.floor((migration.status?.size ?? 0) / 1e7) };',
    test,
    harm: "The charge is not the amount that was shown.",
  },
  {
    id: "no-release-on-delete",
    file: decide,
    find: 'if (state === "deleted") return cancel("deleted");',
    replace: 'if (state === "deleted") return undefined;',
    test,
    harm: "The money of a deleted migration stays blocked on the card.",
  },
  {
    id: "checkout-without-idempotency-key",
    file: "src/billing/stripe.ts",
    find: "{ idempotencyKey: wanted.key },",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code
    replace: "{ idempotencyKey: `${wanted.key}-${Math.random()}` },",
    test,
    harm: "A repeated create has two pages, and a person can pay twice.",
  },
  {
    id: "free-claim-without-compare-and-swap",
    file: "src/requests/billing/reserve.ts",
    find: "taken = JSON.stringify(live.spec.freeMigration) === JSON.stringify(claim);",
    replace: "taken = true;",
    // The operator's own compare-and-swap would refuse the second one.
    also: [
      {
        file: claim,
        find: "return isHeldBy(claim, migration) ? { ...claim, uid: migration.uid } : undefined;",
        replace: "return claim && { ...claim, uid: migration.uid };",
      },
    ],
    test,
    harm: "An account has several free migrations.",
  },
];
