import { readFile } from "node:fs/promises";
import { counter, type Metric } from "../../controllers/runtime/health.ts";
import { createPayments, type Payments } from "../billing/stripe.ts";
import { createStripeClient, type PaymentsErrorCode } from "../billing/stripe-client.ts";
import { createSubscriptions, type Subscriptions } from "../billing/stripe-subscriptions.ts";
import { type Client, kinds } from "../cluster/index.ts";
import { remembered } from "./remembered.ts";

/**
 * What tells this installation's checkouts from others' of the same Stripe account: the uid of its namespace, which no other cluster has, not
 * even one that was restored from a backup. It is asked for until there is an answer, and not again: so a process starts while the API server is
 * away. Rejects with ClusterError.
 */
export const createInstallation = (client: Pick<Client, "get">, namespace: string): (() => Promise<string>) =>
  remembered(async () => {
    const found = await client.get(kinds.namespaces, "", namespace);
    if (found === undefined) throw new Error(`namespace ${namespace} does not exist`);
    return found.metadata.uid ?? namespace;
  });

/** Stripe for one process, and what it counts of it. */
interface Stripe {
  payments: Payments;
  subscriptions: Subscriptions;
  metrics(): Metric[];
}

/** Uses the key in this file, which is read once at start. Undefined without a file: billing is off. */
export async function stripeOf({
  keyFile,
  url,
  problem,
}: {
  keyFile: string | undefined;
  url: string | undefined;
  problem: (error: unknown) => void;
}): Promise<Stripe | undefined> {
  if (keyFile === undefined) return undefined;
  const key = (await readFile(keyFile, "utf8")).trim();
  if (!/^[rs]k_(live|test)_\w+$/.test(key))
    throw new Error(
      `${keyFile} does not contain an API key of Stripe: it starts with rk_live_, rk_test_, sk_live_ or sk_test_`,
    );
  const errors: Record<PaymentsErrorCode, number> = { unavailable: 0, refused: 0, denied: 0 };
  const client = createStripeClient({
    key,
    ...(url === undefined ? {} : { url }),
    failed(error) {
      errors[error.code] += 1;
      problem(error);
    },
  });
  return {
    payments: createPayments(client),
    subscriptions: createSubscriptions(client),
    metrics: () =>
      Object.entries(errors).map(([code, value]) =>
        counter(
          "rowferry_stripe_errors_total",
          "Requests to Stripe that failed; denied: the API key is invalid or lacks a permission.",
          value,
          { code },
        ),
      ),
  };
}
