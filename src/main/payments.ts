import { readFile } from "node:fs/promises";
import { createPayments, type Payments } from "../billing/stripe.ts";

/** Stripe by the key in this file, which is read once at start; undefined without a file: nothing is charged. */
export async function paymentsOf(file: string | undefined, url: string | undefined): Promise<Payments | undefined> {
  if (file === undefined) return undefined;
  const key = (await readFile(file, "utf8")).trim();
  if (!/^[rs]k_(live|test)_\w+$/.test(key))
    throw new Error(`${file} holds no key of Stripe's: it begins with rk_live_, rk_test_, sk_live_ or sk_test_`);
  return createPayments({ key, ...(url === undefined ? {} : { url }) });
}
