import { expect, it } from "vitest";
import type { NewEntry } from "../../../dev/stripe/state/history.ts";
import { covers } from "./covers.ts";
import { asks, capture, ends, entries, hold, key, mark, refund, release } from "./entries.ts";
import { replay } from "./replay.ts";

/** Run 1 asked for, held, verified and captured. */
const first = [...asks(), hold(), ...ends(), capture()];
const second = [hold("pi_2"), ...ends(2), capture("pi_2")];
const nothing = (run: number) => [`${key}, run ${run}: completed, and nothing pays for it`];
const noRun = (id: string) => [`${key}: the capture of ${id} pays for no completed run of its own`];

it.each<[string, NewEntry[], string[]]>([
  ["a capture of its own", first, []],
  ["no capture", [...asks(), hold(), ...ends(), release(null)], nothing(1)],
  ["deleted after its verified result, and not captured", [...asks(), hold(), ...ends(), mark("deleting")], nothing(1)],
  ["a hold that lapsed", [...asks(), hold(), ...ends(), release("expired")], []],
  ["a hold that lapsed before the run was asked for", [hold(), release("expired"), ...asks(), ...ends()], nothing(1)],
  [
    "a lapsed hold pays for one run",
    [...asks(), hold(), ...ends(), ...asks(2), ...ends(2), release("expired")],
    nothing(2),
  ],
  ["the free migration", [...asks(1, "free"), ...ends()], []],
  ["the free migration, charged", [...asks(1, "free"), hold(), ...ends(), capture()], noRun("pi_1")],
  ["the plan", [...asks(1, "plan"), ...ends()], []],
  ["the plan, charged", [...asks(1, "plan"), hold(), ...ends(), capture()], noRun("pi_1")],
  ["failed, and charged", [...asks(), hold(), capture()], noRun("pi_1")],
  ["a reset is covered", [...first, ...asks(2), ...ends(2)], []],
  ["a reset is covered, and charged", [...first, ...asks(2), ...second], noRun("pi_2")],
  ["a retry takes the hold along", [...asks(), hold(), ...asks(2), ...ends(2), capture()], []],
  ["a reset after a part was refunded", [...first, refund(499), ...asks(2), ...ends(2)], []],
  ["a reset after all was refunded, not charged", [...first, refund(500), ...asks(2), ...ends(2)], nothing(2)],
  ["a reset after all was refunded, charged", [...first, refund(500), ...asks(2), ...second], []],
  ["refunded after the reset was asked for", [...first, ...asks(2), refund(500), ...ends(2)], []],
  ["a reset after eight days, not charged", [...first, mark("aged"), ...asks(2), ...ends(2)], nothing(2)],
  ["a reset after eight days, charged", [...first, mark("aged"), ...asks(2), ...second], []],
  ["a reset between result and capture", [...asks(), hold(), ...ends(), ...asks(2), capture(), ...ends(2)], []],
  [
    "a reset between result and capture, charged once for the later run",
    [...asks(), hold(), ...ends(), ...asks(2), ...ends(2), capture()],
    nothing(1),
  ],
  [
    "a reset between result and capture, charged twice",
    [...asks(), hold(), ...ends(), ...asks(2), capture(), ...second],
    noRun("pi_2"),
  ],
  ["Pro since, while a hold runs", [...asks(), hold(), ...asks(2, "plan"), release(null), ...ends(2)], []],
  [
    "Pro since, and the hold is captured",
    [...asks(), hold(), ...asks(2, "plan"), ...ends(2), capture()],
    noRun("pi_1"),
  ],
  [
    "Pro since, and the request leaves the hold",
    [...asks(), hold(), ...asks(2, "hold", "pro"), ...ends(2), capture()],
    [`${key}, run 2: asked for under Pro, and charged`],
  ],
  [
    "Pro since, for a run that was verified before",
    [...asks(), hold(), ...ends(), ...asks(2, "hold", "pro"), capture(), ...ends(2)],
    [],
  ],
  [
    "asked for again while it ran, under Pro",
    [...asks(), hold(), ...asks(2, "plan"), ...ends(1), release(null), ...ends(2)],
    [],
  ],
  [
    "asked for again while it ran: the hold pays for both",
    [...asks(), hold(), ...asks(2), ...ends(1), capture(), ...ends(2)],
    [],
  ],
  ["Pro no more, failed, and run again", [...asks(1, "plan"), ...asks(2, "plan", "free"), ...ends(2)], []],
  [
    "Pro no more, completed, and run again",
    [...asks(1, "plan"), ...ends(), ...asks(2, "plan", "free"), ...ends(2)],
    [`${key}, run 2: covered by a plan that the account did not have`],
  ],
  ["Pro no more, completed, and paid again", [...asks(1, "plan"), ...ends(), ...asks(2), ...second], []],
])("%s", (_name, history, violations) => {
  expect(covers(replay(entries(history)), key)).toEqual(violations);
});
