import { expect, test } from "vitest";
import { type CurrentCheckout, inFlight, releaseOf } from "./orphan.ts";
import type { Intent, SeenCheckout } from "./seen.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const young = new Date(now.getTime() - inFlight).toISOString();
const old = new Date(now.getTime() - inFlight - 1).toISOString();
const about = { installation: "here", namespace: "team", name: "m", checkout: 2 };
const intent = (status: Intent["status"]): Intent => ({
  ...{ id: "pi_1", status, amount: 500, capturable: 0, received: 0, currency: "USD", lapsed: false },
});
const open: SeenCheckout = { id: "cs_1", session: "open", about };
const held: SeenCheckout = { ...open, session: "complete", intent: intent("requires_capture") };
const taken: SeenCheckout = { ...open, session: "complete", intent: intent("succeeded") };
const closed: SeenCheckout = { ...open, session: "expired" };
const expire = { kind: "expire", session: "cs_1" };
const cancel = { kind: "cancel", intent: "pi_1" };
const names = (session: string, number: number): CurrentCheckout => ({ session, number });

test.each<[string, SeenCheckout, string | undefined, CurrentCheckout | undefined, object | undefined]>([
  ["an open page of a create in flight stays", open, young, undefined, undefined],
  ["an open page without a Migration is closed", open, old, undefined, expire],
  ["an open page of unknown age stays", open, undefined, undefined, undefined],
  ["a hold without a Migration is cancelled at once", held, young, undefined, cancel],
  ["a hold of unknown age without a Migration is cancelled", held, undefined, undefined, cancel],
  ["money that was taken stays", taken, old, undefined, undefined],
  ["a closed page stays", closed, old, undefined, undefined],
  ["the present page is the reconciler's", open, old, names("cs_1", 2), undefined],
  ["the present hold is the reconciler's", held, old, names("cs_1", 2), undefined],
  ["an earlier page is closed", open, old, names("cs_2", 3), expire],
  ["an earlier hold is cancelled", held, young, names("cs_2", 3), cancel],
  ["another hold of the same number is cancelled", held, young, names("cs_2", 2), cancel],
  ["a page that may be written yet stays", open, young, names("cs_0", 1), undefined],
  ["a hold that may be written yet stays", held, young, names("cs_0", 1), undefined],
  ["a hold that was never written is cancelled", held, old, names("cs_0", 1), cancel],
  ["somebody else's is left alone", { id: "cs_1", session: "open" }, old, undefined, undefined],
])("%s", (_name, seen, createdAt, present, release) => {
  expect(releaseOf({ seen, ...(createdAt === undefined ? {} : { createdAt }) }, present, now)).toEqual(release);
});
