import { createHmac } from "node:crypto";

/**
 * The header `Stripe-Signature` of a body: the time in Unix seconds, and an HMAC of time and body with each of the
 * endpoint's secrets (two while one is replaced). Source: Stripe's "Verify webhook signatures manually".
 */
export const signature = (body: string, secrets: readonly string[], at: number): string => {
  const sums = secrets.map((secret) => createHmac("sha256", secret).update(`${at}.${body}`).digest("hex"));
  return [`t=${at}`, ...sums.map((sum) => `v1=${sum}`)].join(",");
};
