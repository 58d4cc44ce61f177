import { describe, expect, it } from "vitest";
import type { NewEntry } from "../../../dev/stripe/state/history.ts";
import { askedWords } from "./covers.ts";
import { asks, capture, ends, entries, hold, key, mark, markFor, refund, release, session, told } from "./entries.ts";
import { judge, type Known } from "./judge.ts";

const paid: Known = { key, account: "a", shown: 500, named: ["cs_1"], state: "completed", cost: 500 };
const failed: Known = { ...paid, state: "failed", cost: 0 };
const { state: _state, cost: _cost, ...deleted } = paid;

describe("histories without a violation", () => {
  it.each<[string, NewEntry[], Known[]]>([
    ["completed and captured", [session("cs_1", "complete"), ...asks(), hold(), ...ends(), capture()], [paid]],
    ["failed and released", [...asks(), hold(), release("requested_by_customer")], [failed]],
    ["lapsed", [...asks(), hold(), ...ends(), release("expired")], [{ ...paid, cost: 0 }]],
    [
      "cancelled by hand in the dashboard",
      [
        ...[...asks(), hold(), ...ends(), release("requested_by_customer")],
        { kind: "act", what: "POST /payment_intents/{id}/cancel", id: "pi_1" },
      ],
      [{ ...paid, cost: 0 }],
    ],
    ["awaiting payment", [session("cs_1", "open")], [{ ...failed, state: "awaiting_payment" }]],
    ["deleted while awaiting", [session("cs_1", "open"), session("cs_1", "expired"), mark("deleting")], [deleted]],
    [
      "a page whose answer was lost, and the next one",
      [session("cs_0", "open"), session("cs_1", "open")],
      [{ ...failed, state: "awaiting_payment" }],
    ],
    ["an abandoned create", [session("cs_1", "open")], []],
    [
      "a part refunded, and known",
      [...asks(), hold(), ...ends(), capture(), refund(200), ...told(204)],
      [{ ...paid, cost: 300 }],
    ],
    [
      "a part refunded, its event lost",
      [...asks(), hold(), ...ends(), capture(), refund(200), ...told("drop")],
      [paid],
    ],
  ])("%s", (_name, history, known) => {
    expect(judge(entries(history), known)).toEqual([]);
  });
});

describe("violations", () => {
  it.each<[string, NewEntry[], Known[], string]>([
    [
      "captured before the run was completed",
      [...asks(), hold(), capture(), ...ends()],
      [paid],
      "pi_1 pays for no completed run",
    ],
    ["two holds", [hold(), hold("pi_2"), release(null), release(null, "pi_2")], [failed], "2 holds"],
    [
      "another amount",
      [...asks(), hold(), ...ends(), capture("pi_1", 400)],
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
      "two pages of one checkout",
      [session("cs_0", "open", "1"), session("cs_1", "open", "1")],
      [{ ...failed, state: "awaiting_payment" }],
      "2 open pages of its checkout 1",
    ],
    [
      "an open checkout of a deleted one",
      [session("cs_1", "open"), mark("deleting")],
      [deleted],
      "deleted and has an open",
    ],
    ["a wrong cost", [...asks(), hold(), ...ends(), capture()], [{ ...paid, cost: 0 }], "shows the cost 0"],
    [
      "a refund that the cost leaves out",
      [...asks(), hold(), ...ends(), capture(), refund(500), ...told(204)],
      [paid],
      "shows the cost 500; it was charged 500, and 500 of it refunded",
    ],
  ])("%s", (_name, history, known, words) => {
    expect(judge(entries(history), known).join("\n")).toContain(words);
  });

  it("two free migrations of one account", () => {
    const two: Known[] = ["x/1", "x/2"].map((one) => ({
      ...{ key: one, account: "a", named: [], shown: 0, state: "completed", cost: 0 },
    }));
    const history = two.flatMap(({ key: of }): NewEntry[] => [
      markFor(of, "asked", ...askedWords({ run: 1, plan: "free", by: "free" })),
      ...[markFor(of, "completing", 1), markFor(of, "verified", 1)],
    ]);
    expect(judge(entries(history), two)).toEqual(["a has 2 free migrations: x/1, x/2"]);
  });
});
