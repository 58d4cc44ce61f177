import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Stripe from "stripe";
import { expect, it } from "vitest";
import type { Entry } from "../../dev/stripe/state/history.ts";
import { type Random, random } from "../chaos/random.ts";
import { chosenSeed } from "../seed.ts";
import { authorized, holdParams } from "./orders.ts";
import { type Pair, startPair } from "./pair.ts";

const seed = chosenSeed();
const rounds = process.env["ROWFERRY_LONG"] === undefined ? 2 : 25;
const steps = 30;
const faults = [
  { kind: "reset", when: "after" },
  { kind: "reset", when: "before" },
  { kind: "error", when: "after", status: 503 },
  { kind: "error", when: "before" },
  { kind: "lock_timeout" },
] as const;
/** Which state of an intent may follow which; null is before its creation. */
const follows: Record<string, readonly string[]> = {
  null: ["requires_payment_method"],
  requires_payment_method: ["requires_action", "requires_capture", "canceled"],
  requires_action: ["requires_payment_method", "requires_capture", "canceled"],
  requires_capture: ["succeeded", "canceled"],
  succeeded: [],
  canceled: [],
};

/** A user of the API that gives up at no error, with the ids that it knows. */
interface Player {
  pair: Pair;
  sessions: string[];
  intents: string[];
  keys: string[];
}

/** Throws if there is nothing to pick from yet: then the step is skipped. */
type Step = (player: Player, pick: Random["pick"]) => Promise<unknown>;

const onSession =
  (path: string): Step =>
  async ({ pair }, pick) =>
    pair.control(`/sessions/${pick(await open(pair))}${path}`, {});

const open = async ({ stripe }: Pair): Promise<string[]> =>
  (await stripe.checkout.sessions.list({ status: "open", limit: 100 })).data.map(({ id }) => id);

const moves: readonly Step[] = [
  async ({ pair, sessions, keys }, pick) => {
    const fresh = `key-${keys.length}`;
    const key = pick([...keys, fresh, fresh]);
    if (!keys.includes(key)) keys.push(key);
    const { id } = await pair.stripe.checkout.sessions.create(holdParams(), { idempotencyKey: key });
    if (!sessions.includes(id)) sessions.push(id);
  },
  onSession("/authorize"),
  onSession("/decline"),
  onSession("/3ds"),
  onSession("/3ds/fail"),
  async ({ pair, sessions }, pick) => pair.stripe.checkout.sessions.expire(pick(sessions)),
  async ({ pair, intents }, pick) => pair.stripe.paymentIntents.cancel(pick(intents)),
  async ({ pair, intents }, pick) => {
    const id = pick(intents);
    return pair.stripe.paymentIntents.capture(id, {}, { idempotencyKey: `capture-${id}` });
  },
  async (player) => {
    const { data } = await player.pair.stripe.paymentIntents.list({ limit: 100 });
    player.intents = data.map(({ id }) => id);
  },
  async ({ pair }, pick) => pair.control("/clock", { advance: pick([60, 600, 3_600, 90_000, 700_000]) }),
  async ({ pair }, pick) => pair.control("/faults", { ...pick(faults), times: 2 }),
];

const everything = async (pair: Pair): Promise<unknown> => {
  await pair.remove("/faults");
  const all = { limit: 100 };
  return {
    sessions: (await pair.stripe.checkout.sessions.list(all)).data,
    intents: (await pair.stripe.paymentIntents.list(all)).data,
    charges: (await pair.stripe.charges.list(all)).data,
    events: (await pair.stripe.events.list(all)).data,
  };
};

/** What must hold for every intent, by what the history says. */
const check = (history: Entry[], intents: Stripe.PaymentIntent[], charges: Stripe.Charge[]): void => {
  const state = new Map<string, string>();
  for (const entry of history) {
    if (entry.kind !== "change" || entry.object !== "payment_intent" || !("status" in entry.to)) continue;
    const [before, after] = [state.get(entry.id) ?? "null", String(entry.to["status"])];
    expect(follows[before], `${entry.id} from ${before}`).toContain(after);
    state.set(entry.id, after);
  }
  for (const { id, status, amount, amount_received, amount_capturable } of intents) {
    expect(state.get(id)).toBe(status);
    expect(amount_received).toBe(status === "succeeded" ? amount : 0);
    expect(amount_capturable).toBe(status === "requires_capture" ? amount : 0);
    const own = charges.filter((charge) => charge.payment_intent === id && charge.status === "succeeded");
    expect(own.length, `${id} has one hold at most`).toBeLessThanOrEqual(1);
    expect(own.map(({ captured }) => captured)).toEqual(own.map(() => status === "succeeded"));
    expect(own.map(({ refunded }) => refunded)).toEqual(own.map(() => status === "canceled"));
  }
};

it(`random histories with restarts keep every state and break no rule of Stripe (seed ${seed})`, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const { pick, below } = random(seed, round);
    const file = join(mkdtempSync(join(tmpdir(), "rowferry-stripe-")), "state.jsonl");
    const player: Player = { pair: await startPair({ file }), sessions: [], intents: [], keys: [] };
    // No history is without a hold.
    await authorized(player.pair);
    for (let step = 0; step < steps; step += 1) {
      // An error is an answer too: what it left is checked at the end.
      await pick(moves)(player, pick).catch(() => {});
      if (below(10) > 0) continue;
      const before = await everything(player.pair);
      await player.pair.close();
      player.pair = await startPair({ file });
      expect(JSON.parse(JSON.stringify(await everything(player.pair)))).toEqual(JSON.parse(JSON.stringify(before)));
    }
    const { intents, charges } = (await everything(player.pair)) as {
      intents: Stripe.PaymentIntent[];
      charges: Stripe.Charge[];
    };
    expect(intents.length).toBeGreaterThan(0);
    check(await player.pair.history(), intents, charges);
    await player.pair.close();
  }
}, 600_000);
