import type { Mutant } from "../mutant.ts";

/** Broken builds of payment: the judge of the billing chaos must catch each of them. */

const test = {
  file: "test/billing/chaos/directed.test.ts",
  name: "the judge finds no violation in a completed, a deleted, a repeated and a free create",
};
const again = {
  file: "test/billing/chaos/directed.test.ts",
  name: "the judge finds no violation in resets after a refund, before a capture, and under another plan",
};
const cover = "src/billing/again.ts";
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
    file: "src/billing/stripe-page.ts",
    find: "create(wanted, { idempotencyKey })",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code
    replace: "create(wanted, { idempotencyKey: `${idempotencyKey}-${Math.random()}` })",
    test,
    harm: "A repeated create has two pages, and a person can pay twice.",
  },
  {
    id: "free-claim-without-compare-and-swap",
    file: "src/requests/billing/terms.ts",
    find: "taken = JSON.stringify(live.spec.freeMigration) === JSON.stringify(claim);",
    replace: "taken = true;",
    // The operator's own compare-and-swap would refuse the second one.
    also: [
      {
        file: claim,
        find: "return isHeldBy(claim, migration) ? { ...claim, uid } : undefined;",
        replace: "return { ...claim, uid };",
      },
    ],
    test,
    harm: "An account has several free migrations.",
  },
  {
    id: "refunded-capture-covers-a-reset",
    file: cover,
    find: "(intent.refunded ?? 0) < intent.received && seen.isDisputed !== true",
    replace: "seen.isDisputed !== true",
    test: again,
    harm: "A migration whose charge was refunded runs again and again without a charge.",
  },
  {
    id: "capture-covers-no-reset",
    file: cover,
    find: "export const captureCovers = 7 * 24 * 3_600_000;",
    replace: "export const captureCovers = 0;",
    test: again,
    harm: "A person who resets a migration pays twice for it.",
  },
  {
    id: "reset-abandons-a-verified-run",
    file: "controllers/migration/decide.ts",
    find: 'if (due.why === "reset" && migration.status?.state !== "completed" && isVerified(migration))',
    replace: "if (migration.metadata.uid === undefined)",
    test: again,
    harm: "A reset between a verified result and its capture takes the copy without a charge.",
  },
  {
    id: "reset-before-capture-needs-another-hold",
    file: cover,
    find: 'return isOverQuote ? "wait" : "as-before";',
    replace: 'return state === "completed" ? "hold" : "as-before";',
    test: again,
    harm: "A reset between a verified result and its capture blocks a second amount, and the first is never captured.",
  },
  {
    id: "covered-by-pro-and-captured",
    file: decide,
    find: 'if (payment.by !== "hold") return cancel("covered");',
    replace: 'if (payment.by !== "hold" && state !== "completed") return undefined;',
    test: again,
    harm: "A person with Pro is charged for a run that Pro covers.",
  },
  {
    id: "plan-that-ended-covers-a-reset",
    file: cover,
    find: 'return isPro ? "as-before" : afterPlan(again);',
    replace: 'return "as-before";',
    test: again,
    harm: "One month of Pro covers all later resets of a migration.",
  },
];
