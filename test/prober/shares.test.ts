import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProbeFor } from "../../src/requests/prober.ts";
import { until } from "../worker/until.ts";
import { childrenOf } from "./children.ts";
import { type RunningProber, startProber } from "./prober.ts";
import { silent, startRogue } from "./rogue.ts";

/** One account's part of the prober, and whose request a probe is of. */

let prober: RunningProber;
let hole: Awaited<ReturnType<typeof startRogue>>;
beforeAll(async () => {
  [prober, hole] = await Promise.all([
    startProber({
      ROWFERRY_GUARD_ALLOW: "127.0.0.1/32",
      ROWFERRY_PROBER_AT_ONCE: "4",
      ROWFERRY_PROBER_OF_ONE: "2",
      ROWFERRY_PROBER_PATIENCE_SECONDS: "30",
      ROWFERRY_PROBER_TEST_SECONDS: "60",
    }),
    startRogue(silent),
  ]);
});
afterAll(async () => {
  hole?.close();
  await prober?.stop();
});

const asking = (account: string, requestId = `of-${account}`) => {
  const leaving = new AbortController();
  const asked: ProbeFor = { account, requestId, signal: leaving.signal };
  return { asked, leave: () => leaving.abort() };
};
/** A test of a database that never answers. */
function endless(account: string) {
  const { asked, leave } = asking(account);
  const ended = prober.client.test({ url: `mysql://a:b@127.0.0.1:${hole.port}/c` }, asked);
  ended.catch(() => {});
  return { ended, leave };
}
const running = async (name: string) =>
  Number(
    new RegExp(`^rowferry_prober_${name} (\\d+)$`, "m").exec(
      await (await fetch(`${prober.healthUrl}/metrics`)).text(),
    )?.[1],
  );

test("an account that asks many silent servers has its share, and another is answered meanwhile", async () => {
  const many = Array.from({ length: 4 }, () => endless("ann"));
  await until("two of them wait", async () => (await running("waiting")) === 2);
  expect(await running("running")).toBe(2);
  await expect(endless("ann").ended).rejects.toMatchObject({
    code: "busy",
    message: expect.stringContaining("limit of database checks"),
    retryAfter: 2,
  });
  const answer = await prober.client.test({ url: "mysql://a:b@127.0.0.1:1/c" }, asking("bob").asked);
  expect(answer).toMatchObject({ unreachable: [{ code: "connection_refused" }] });

  for (const { leave } of many.slice(0, 2)) leave();
  await until("those that waited run", async () => (await running("waiting")) === 0);
  for (const { leave } of many) leave();
  for (const { ended } of many) await expect(ended).rejects.toMatchObject({ code: "unavailable" });
  await until("nothing of them is left", async () => (await running("running")) === 0);
  await until("nor any process but the idle one", () => childrenOf(prober.pid).length === 1);
});

test("a free place goes to whose account has the fewest probes", async () => {
  // The last place is for an account that has none.
  const first = [endless("ann"), endless("ann"), endless("bob"), endless("dan")];
  await until("all places are taken", async () => (await running("running")) === 4);
  const more = [endless("ann"), endless("ann"), endless("bob")];
  await until("three wait", async () => (await running("waiting")) === 3);
  const later = prober.client.test({ url: "mysql://a:b@127.0.0.1:1/c" }, asking("cat").asked);
  await until("four wait", async () => (await running("waiting")) === 4);
  first[0]?.leave();
  expect(await later, "before those that waited longer").toHaveProperty("unreachable");
  for (const { leave } of [...first, ...more]) leave();
  await until("nothing of them is left", async () => (await running("running")) === 0);
});

test("the request's id stands in the prober's log, and one that is not harmless does not", async () => {
  const database = { url: "mysql://a:b@127.0.0.1:1/c" };
  await prober.client.test(database, asking("ann", "req/7f:1").asked);
  await until("it is logged", () => prober.output().includes('"request_id":"req/7f:1"'));
  const probes = () => prober.output().split('"probed"').length;
  const before = probes();
  await prober.client.test(database, asking("ann", 'a" b').asked);
  await until("its line", () => probes() > before);
  expect(prober.output()).not.toContain('a\\" b');
});
