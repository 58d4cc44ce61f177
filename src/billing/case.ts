/**
 * Which of the billing model's three cases a create falls under (interface.md, section 1), and what it costs. An installation without
 * a Stripe key charges nothing: every create is covered by the plan.
 */
export interface Terms {
  coveredByPlan: boolean;
  /** Whether a create would be the account's free first migration: only where a run would be charged at all. */
  freeEligible: boolean;
  /** What the run costs, in units of the currency. */
  amount: number;
  /** ISO 4217, upper case. */
  currency: string;
}

export const termsWithoutBilling = (currency: string): Terms => ({
  coveredByPlan: true,
  freeEligible: false,
  amount: 0,
  currency,
});
