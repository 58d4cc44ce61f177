import type { Entry } from "../../../dev/stripe/state/history.ts";
import type { MigrationState } from "../../../src/resources/migration.ts";
import { covers, hadFreeRun } from "./covers.ts";
import { held, type Replay, replay } from "./replay.ts";

/**
 * Checks the invariants of payment (design.md) against everything that happened: the simulator's history with the players' marks in it, and
 * what the cluster shows at the end. Pure.
 */

/** A Migration that was ever seen, by `namespace/name`. Amounts are in the currency's smallest unit. */
export interface Known {
  key: string;
  account: string;
  /** Amount that a caller was shown last. */
  shown: number;
  /** Checkout sessions that the Migration was ever seen to name: a person may have their links. */
  named: readonly string[];
  /** At the end; absent: deleted. */
  state?: MigrationState;
  /** Cost at the end, as the API shows it; absent: deleted. */
  cost?: number;
}

/** One sentence for each violation. */
export function judge(entries: readonly Entry[], known: readonly Known[]): string[] {
  const seen = replay(entries);
  return [
    ...seen.wrong,
    ...openHolds(seen),
    ...openCheckouts(seen, known),
    ...known.flatMap((one) => charges(seen, one)),
    ...known.flatMap(({ key }) => covers(seen, key)),
    ...freeMigrations(seen, known),
  ];
}

const openHolds = ({ intents }: Replay): string[] =>
  [...intents.values()]
    .filter(({ key, status }) => key !== "" && status === held)
    .map(({ key, id }) => `${key} has the hold ${id} at the end`);

function openCheckouts({ sessions }: Replay, known: readonly Known[]): string[] {
  const open = [...sessions.values()].filter(({ key, status }) => key !== "" && status === "open");
  return [...Map.groupBy(open, ({ key }) => key)].flatMap(([key, all]) => {
    const one = known.find((migration) => migration.key === key);
    // Nobody has the link of a session that no Migration ever named: the sweep closes it later.
    const payable = all.filter(({ id }) => one?.named.includes(id));
    const isWanted = payable.length === 0 || one?.state === "awaiting_payment";
    // A repeated request has the same key of idempotency, and gets the same page.
    const numbers = Map.groupBy(all, ({ values }) => (values["metadata"] as Record<string, string>)["checkout"]);
    const twice = [...numbers].filter(([number, each]) => number !== undefined && each.length > 1);
    return [
      ...twice.map(([number, each]) => `${key} has ${each.length} open pages of its checkout ${number}`),
      ...(payable.length > 1 ? [`${key} has ${payable.length} open checkouts`] : []),
      ...(isWanted ? [] : [`${key} is ${one?.state ?? "deleted"} and has an open checkout`]),
    ];
  });
}

function charges({ paid }: Replay, { key, shown, cost }: Known): string[] {
  const taken = (paid.get(key) ?? []).filter(({ captured }) => captured !== undefined);
  const sum = taken.reduce((total, { amount }) => total + amount, 0);
  const left = taken.reduce((total, { amount, refunded }) => total + amount - refunded, 0);
  // A refund is known by Stripe's event alone.
  const most = taken.every(({ isHeard }) => isHeard !== false) ? left : sum;
  return [
    ...taken
      .filter(({ amount }) => amount !== shown)
      .map(({ amount }) => `${key} was charged ${amount}; its quote is ${shown}`),
    ...(cost !== undefined && (cost < left || cost > most)
      ? [`${key} shows the cost ${cost}; it was charged ${sum}, and ${sum - left} of it refunded`]
      : []),
  ];
}

function freeMigrations(seen: Replay, known: readonly Known[]): string[] {
  const free = known.filter(({ key }) => hadFreeRun(seen, key));
  return [...Map.groupBy(free, ({ account }) => account)]
    .filter(([, all]) => all.length > 1)
    .map(([account, all]) => `${account} has ${all.length} free migrations: ${all.map(({ key }) => key).join(", ")}`);
}
