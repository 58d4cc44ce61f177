import { afterAll, beforeAll, expect, test } from "vitest";
import { chosenSeed } from "../seed.ts";
import { openServers, playProperty, type Servers, wayNames } from "./play.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await openServers({ assesses: true });
});
afterAll(() => servers?.close());

test("random schemas with hostile names and values arrive as the type tables say, by a reader of its own", async () => {
  const seed = chosenSeed();
  const names = wayNames;
  const count = Math.ceil(40 / names.length);
  const { cases, failures } = await playProperty(servers, { seed, count, names }, (line) => console.log(line));
  expect(failures).toEqual([]);
  expect(cases).toBeGreaterThanOrEqual(40);
});
