import { describe, expect, it } from "vitest";
import type { Entry, NewEntry } from "../../../dev/stripe/state/history.ts";
import { judge, type Known } from "./judge.ts";
import { type Mark, markOf } from "./replay.ts";

const key = "rowferry-t/m";
const metadata = { namespace: "rowferry-t", migration: "m" };
const entries = (list: readonly NewEntry[]): Entry[] => list.map((entry, at) => ({ ...entry, n: at + 1, at: 0 }));
const mark = (name: Mark): NewEntry => ({ kind: "act", what: `mark ${markOf(name, key)}`, id: null });
const intent = (id: string, to: object): NewEntry => ({
  ...{ kind: "change", object: "payment_intent", id, from: null },
  to: { metadata, ...to },
});
const session = (id: string, status: string): NewEntry => ({
  ...{ kind: "change", object: "checkout.session", id, from: null },
  to: { metadata, status },
});
const hold = (id = "pi_1") => intent(id, { status: "requires_capture", amount: 500 });
const capture = (amount = 500) => intent("pi_1", { status: "succeeded", amount_received: amount });
const release = (reason: string | null) => intent("pi_1", { status: "canceled", cancellation_reason: reason });
const paid: Known = { key, account: "a", by: "hold", shown: 500, named: ["cs_1"], state: "completed", cost: 500 };
const failed: Known = { ...paid, state: "failed", cost: 0 };
const { state: _state, cost: _cost, ...deleted } = paid;

describe("histories without a violation", () => {
  it.each<[string, NewEntry[], Known[]]>([
    ["completed and captured", [session("cs_1", "complete"), hold(), mark("completing"), capture()], [paid]],
    ["failed and released", [hold(), release("requested_by_customer")], [failed]],
    ["lapsed", [hold(), mark("completing"), release("expired")], [{ ...paid, cost: 0 }]],
    [
      "cancelled by hand in the dashboard",
      [
        hold(),
        mark("completing"),
        release("requested_by_customer"),
        { kind: "act", what: "POST /payment_intents/{id}/cancel", id: "pi_1" },
      ],
      [{ ...paid, cost: 0 }],
    ],
    ["awaiting payment", [session("cs_1", "open")], [{ ...failed, state: "awaiting_payment" }]],
    ["deleted while awaiting", [session("cs_1", "open"), session("cs_1", "expired"), mark("deleted")], [deleted]],
    [
      "a page whose answer was lost, and the next one",
      [session("cs_0", "open"), session("cs_1", "open")],
      [{ ...failed, state: "awaiting_payment" }],
    ],
    ["an abandoned create", [session("cs_1", "open")], []],
    [
      "two captures of two runs",
      [
        mark("completing"),
        hold(),
        capture(),
        mark("completing"),
        hold("pi_2"),
        intent("pi_2", { status: "succeeded", amount_received: 500 }),
      ],
      [{ ...paid, cost: 1000 }],
    ],
  ])("%s", (_name, history, known) => {
    expect(judge(entries(history), known)).toEqual([]);
  });
});

describe("violations", () => {
  it.each<[string, NewEntry[], Known[], string]>([
    [
      "captured before the run was completed",
      [hold(), capture(), mark("completing")],
      [paid],
      "captured 1 times after 0",
    ],
    [
      "captured twice for one run",
      [
        mark("completing"),
        hold(),
        capture(),
        hold("pi_2"),
        intent("pi_2", { status: "succeeded", amount_received: 500 }),
      ],
      [{ ...paid, cost: 1000 }],
      "captured 2 times after 1",
    ],
    ["two holds", [hold(), hold("pi_2"), release(null), intent("pi_2", { status: "canceled" })], [failed], "2 holds"],
    [
      "another amount",
      [hold(), mark("completing"), capture(400)],
      [{ ...paid, cost: 400 }],
      "charged 400; its quote is 500",
    ],
    ["a hold that stays", [hold()], [failed], "has the hold pi_1 at the end"],
    [
      "two open checkouts",
      [session("cs_1", "open"), session("cs_2", "open")],
      [{ ...failed, named: ["cs_1", "cs_2"], state: "awaiting_payment" }],
      "2 open checkouts",
    ],
    [
      "an open checkout of a deleted one",
      [session("cs_1", "open"), mark("deleted")],
      [deleted],
      "deleted and has an open",
    ],
    [
      "completed and not charged",
      [hold(), mark("completing"), release(null)],
      [{ ...paid, cost: 0 }],
      "is not charged",
    ],
    [
      "deleted when completed, not charged",
      [hold(), mark("completing"), mark("completed"), mark("deleting"), mark("deleted"), release(null)],
      [deleted],
      "is not charged",
    ],
    [
      "covered and charged",
      [mark("completing"), hold(), capture()],
      [{ ...paid, by: "free" }],
      "is covered and was charged",
    ],
    ["a wrong cost", [mark("completing"), hold(), capture()], [{ ...paid, cost: 0 }], "shows the cost 0"],
  ])("%s", (_name, history, known, words) => {
    expect(judge(entries(history), known).join("\n")).toContain(words);
  });

  it("two free migrations of one account", () => {
    const two: Known[] = ["x/1", "x/2"].map((one) => ({
      key: one,
      account: "a",
      by: "free",
      named: [],
      shown: 0,
      state: "completed",
      cost: 0,
    }));
    const history = two.map(
      (one): NewEntry => ({ kind: "act", what: `mark ${markOf("completed", one.key)}`, id: null }),
    );
    expect(judge(entries(history), two)).toEqual(["a has 2 free migrations: x/1, x/2"]);
  });
});
