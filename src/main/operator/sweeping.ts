import { keepSweeping, sweep } from "../../../controllers/payment/sweep.ts";
import type { Payments } from "../../billing/stripe.ts";
import { type Client, pause } from "../../cluster/index.ts";
import { createInstallation } from "../payments.ts";

/** Looks for holds at Stripe whose Migration is gone, again and again until the signal. */
export async function sweeping(
  payments: Payments,
  {
    namespace,
    first,
    signal,
    problem,
    ...options
  }: Omit<Parameters<typeof sweep>[0], "payments" | "installation"> & {
    client: Client;
    namespace: string;
    /** Milliseconds of the first wait. */
    first: number;
    signal: AbortSignal;
    problem: (what: string) => (error: unknown) => void;
  },
): Promise<void> {
  const installation = createInstallation(options.client, namespace);
  await keepSweeping({
    run: async () => sweep({ ...options, payments, installation: await installation() }),
    pause: (milliseconds) => pause(milliseconds, signal),
    ...{ signal, first, problem: problem("looking for holds without a Migration") },
  });
}
