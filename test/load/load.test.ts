import { expect, test } from "vitest";
import { chosenSeed } from "../seed.ts";
import { playLoad } from "./play.ts";

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
