import type { Paid } from "./paid.ts";
import type { Marked, Replay } from "./replay.ts";

/**
 * Each completed run is paid for by exactly one cover: the account's plan, its free migration, a capture of its own, or an earlier capture that was
 * not refunded in full and is not older than seven days. No capture stands without a completed run of its own. Pure.
 *
 * A run is `attempt + reset`. Its terms are those of the last request for it that was accepted.
 */

/** A request for a run that was accepted. */
interface Ask {
  run: number;
  /** Of the account, when it was made. */
  plan: "pro" | "free";
  /** What the Migration named afterwards. */
  by: "plan" | "free" | "hold";
  from: number;
  to: number;
}

/** A run whose verified result was stored. `completing`: before that. */
interface Ended {
  run: number;
  completing: number;
  verified: number;
}

/** The words of a mark `asked`. */
export const askedWords = ({ run, plan, by }: Pick<Ask, "run" | "plan" | "by">) => [run, plan, by] as const;

/** One sentence for each violation of one Migration. */
export function covers({ marked, paid }: Pick<Replay, "marked" | "paid">, key: string): string[] {
  const marks = marked.get(key) ?? [];
  const asks = asksIn(marks);
  const ended = endedIn(marks);
  const aged = marks.filter(({ mark }) => mark === "aged").map(({ n }) => n);
  const left = (paid.get(key) ?? []).filter(({ captured }) => captured !== undefined);
  const lost = (paid.get(key) ?? []).filter((one) => one.lost !== undefined);
  const captures: Paid[] = [];
  const wrong = asks.flatMap((ask, at) => illegal(ask, asks[at - 1], ended).map((why) => `${key}, ${why}`));
  for (const [at, one] of ended.entries()) {
    const ask = asks.findLast(({ run, to }) => run === one.run && to < one.completing);
    if (ask === undefined) continue;
    // Asked for again while it ran: it pays as the later request says, if at all.
    const later = asks.findLast(({ to }) => to < one.completing) ?? ask;
    const earlier = captures.find((capture) => pays(capture, ask, one, aged));
    if (later.by !== "hold" || earlier !== undefined) continue;
    const next = ended[at + 1]?.completing ?? Infinity;
    const own = left.find(({ captured = 0 }) => captured > one.completing && captured < next);
    if (own !== undefined) {
      left.splice(left.indexOf(own), 1);
      captures.push(own);
      if (later.plan === "pro") wrong.push(`${key}, run ${one.run}: asked for under Pro, and charged`);
      continue;
    }
    if (later !== ask) continue;
    const gone = lost.findIndex(({ held = Infinity, lost: end = 0 }) => held < one.completing && end > ask.from);
    if (gone === -1) wrong.push(`${key}, run ${one.run}: completed, and nothing pays for it`);
    else lost.splice(gone, 1);
  }
  return [...wrong, ...left.map(({ id }) => `${key}: the capture of ${id} pays for no completed run of its own`)];
}

/** Whether the account's free migration paid for a completed run. */
export function hadFreeRun({ marked }: Pick<Replay, "marked">, key: string): boolean {
  const marks = marked.get(key) ?? [];
  const ended = endedIn(marks);
  return asksIn(marks).some(({ run, by }) => by === "free" && ended.some((one) => one.run === run));
}

/** Whether an earlier run's capture also pays for this one. It may be taken later than the request, if that run was verified first. */
const pays = (
  { captured = Infinity, refundedInFull = Infinity }: Paid,
  ask: Ask,
  { completing }: Ended,
  aged: readonly number[],
): boolean => captured < completing && refundedInFull > ask.from && !aged.some((n) => n > captured && n < ask.from);

/** A plan covers what is asked for while it lasts, and a run again of one that it covered and that is not completed. */
function illegal(ask: Ask, before: Ask | undefined, ended: readonly Ended[]): string[] {
  if (ask.by !== "plan" || ask.plan === "pro") return [];
  const wasCompleted = ended.some(({ run, verified }) => run === ask.run - 1 && verified < ask.from);
  const isKept = before?.by === "plan" && (before.run === ask.run || !wasCompleted);
  return isKept ? [] : [`run ${ask.run}: covered by a plan that the account did not have`];
}

function asksIn(marks: readonly Marked[]): Ask[] {
  let from: number | undefined;
  return marks.flatMap(({ n, mark, words: [run, plan, by] }): Ask[] => {
    if (mark === "asking") from = n;
    if (mark !== "asked") return [];
    const ask = { run: Number(run), plan, by, from: from ?? n, to: n } as Ask;
    from = undefined;
    return [ask];
  });
}

function endedIn(marks: readonly Marked[]): Ended[] {
  let completing = 0;
  return marks.flatMap(({ n, mark, words: [run] }): Ended[] => {
    if (mark === "completing") completing = n;
    return mark === "verified" ? [{ run: Number(run), completing, verified: n }] : [];
  });
}
