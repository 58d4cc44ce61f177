import { expect, test } from "vitest";
import { chosenSeed } from "../seed.ts";
import { playFailing } from "./failing.ts";
import { playLoad } from "./play.ts";
import { playSchedules } from "./schedules.ts";

test("two replicas that are restarted in order fail no request, one that is killed few, and the Kubernetes API is asked little", async () => {
  const options = {
    ...{ accounts: 10, migrations: 300, rate: 50, seconds: 20, warm: 2, streams: 10 },
    seed: chosenSeed(),
    timed: false,
  };
  const { lines, broken } = await playLoad(options, (line) => console.log(line));
  console.log(lines.join("\n"));
  expect(broken).toEqual([]);
});

test("30 schedules of one minute, with a kill of the operator: one run for each slot, within the limits that Migrations share", async () => {
  const options = {
    ...{ schedules: 30, namespaces: 3, migrations: 6, limits: { cluster: 6, namespace: 3 }, jitter: 6000, takes: 200 },
    ...{ timed: false, image: false },
  };
  const { lines, broken } = await playSchedules(options, (line) => console.log(line));
  console.log(lines.join("\n"));
  expect(broken).toEqual([]);
});

test("150 Migrations whose runs fail twenty at a time: each says why, the next start, and none runs twice", async () => {
  const options = { migrations: 150, waves: 4, timed: false, image: false };
  const { lines, broken } = await playFailing(options, (line) => console.log(line));
  console.log(lines.join("\n"));
  expect(broken).toEqual([]);
});
