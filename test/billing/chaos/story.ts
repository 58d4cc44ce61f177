import type { Entry } from "../../../dev/stripe/state/history.ts";

/** What happened to one Migration's payment, one line for each entry, for the reader of a failure. */
export function story(entries: readonly Entry[], key: string): string[] {
  const [, name = key] = key.split("/");
  const ids = new Set<string>();
  return entries.flatMap((entry) => {
    const text = JSON.stringify(entry);
    if (!text.includes(name) && ![...ids].some((id) => text.includes(id))) return [];
    if (entry.kind !== "change") return entry.kind === "delivery" ? [] : [`${entry.n} ${text.slice(0, 300)}`];
    ids.add(entry.id);
    const { status, amount_received: received, cancellation_reason: reason } = entry.to;
    return status === undefined ? [] : [`${entry.n} ${entry.id} ${JSON.stringify({ status, received, reason })}`];
  });
}

/** How often the players did what a calm account never does. */
export function deeds(entries: readonly Entry[]): Record<Deed, number> {
  const acts = entries.flatMap((entry) => (entry.kind === "act" ? [entry.what] : []));
  const count = (pattern: RegExp): number => acts.filter((what) => pattern.test(what)).length;
  return {
    runs: count(/^mark verified /),
    requests: count(/^mark asked /),
    refunds: count(/^POST \/payment_intents\/\{id\}\/refund$/),
    subscriptions: count(/^POST \/subscriptions\/\{id\}\/end$/),
    aged: count(/^mark aged /),
  };
}
export type Deed = "runs" | "requests" | "refunds" | "subscriptions" | "aged";
