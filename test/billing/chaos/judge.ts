import type { Entry } from "../../../dev/stripe/state/history.ts";
import type { MigrationState } from "../../../src/resources/migration.ts";
import { held, type Mark, markOf, type Replay, replay } from "./replay.ts";

/**
 * Checks the invariants of payment (design.md) against everything that happened: the simulator's history with the players' marks in it, and
 * what the cluster shows at the end. Pure.
 */

/** A Migration that was ever seen, by `namespace/name`. Amounts are in the currency's smallest unit. */
export interface Known {
  key: string;
  account: string;
  by: "plan" | "free" | "hold";
  /** Amount that a caller was shown at create. */
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
    return [
      ...(payable.length > 1 ? [`${key} has ${payable.length} open checkouts`] : []),
      ...(isWanted ? [] : [`${key} is ${one?.state ?? "deleted"} and has an open checkout`]),
    ];
  });
}

function charges({ captures, marked, lost }: Replay, { key, by, shown, state, cost }: Known): string[] {
  const taken = captures.get(key) ?? [];
  const sum = taken.reduce((total, amount) => total + amount, 0);
  const isOwed = by === "hold" && (state === "completed" || (state === undefined && wasCompletedAtDelete(marked, key)));
  return [
    ...(by !== "hold" && taken.length > 0 ? [`${key} is covered and was charged ${sum}`] : []),
    ...taken
      .filter((amount) => amount !== shown)
      .map((amount) => `${key} was charged ${amount}; its quote is ${shown}`),
    ...(cost !== undefined && cost !== sum ? [`${key} shows the cost ${cost}; it was charged ${sum}`] : []),
    ...(isOwed && taken.length === 0 && !lost.has(key) ? [`${key} was completed and is not charged`] : []),
  ];
}

function freeMigrations({ marked }: Replay, known: readonly Known[]): string[] {
  const free = known.filter(({ by, key }) => by === "free" && marked.has(markOf("completed", key)));
  return [...Map.groupBy(free, ({ account }) => account)]
    .filter(([, all]) => all.length > 1)
    .map(([account, all]) => `${account} has ${all.length} free migrations: ${all.map(({ key }) => key).join(", ")}`);
}

/** Whether the last that was seen of a Migration before its deletion is that it was completed. */
function wasCompletedAtDelete(marked: ReadonlyMap<string, readonly number[]>, key: string): boolean {
  const last = (mark: Mark): number => marked.get(markOf(mark, key))?.at(-1) ?? 0;
  const deleting = last("deleting");
  return last("deleted") > 0 && last("completed") > last("failed") && last("completed") < deleting;
}
