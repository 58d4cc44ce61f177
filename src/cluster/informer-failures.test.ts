import { afterEach, expect, test } from "vitest";
import { object, server, start, stopAll, until } from "../../test/support/cluster/informer-scene.ts";
import { ClusterError } from "./errors.ts";

afterEach(stopAll);

/** Lists and watches that fail. */

test("a list that fails is told and tried again; what went meanwhile is told as gone", async () => {
  const play = server();
  play.set([object("a", "1", "5")]);
  const { said, problems } = start(play);
  await until("a watch", () => play.watches.length === 1);
  play.set([]);
  play.failLists(1);
  play.watches[0]?.push({ type: "ERROR", object: { code: 410, reason: "Expired", message: "too old" } });
  await until("another watch", () => play.watches.length === 2);
  expect(problems).toHaveLength(1);
  expect(said).toEqual(["->1", "1>-"]);
});

test.each([
  ["a cut connection", new ClusterError("Unreachable", 0, "cut")],
  ["an error of the server", new ClusterError("InternalError", 500, "etcd is slow")],
  ["a lost right", new ClusterError("Forbidden", 403, "no")],
])("%s is told, and the watch goes on from where it was, without a list", async (_what, error) => {
  const play = server();
  play.set([object("a", "1", "5")]);
  const { informer, said, problems } = start(play);
  await until("a watch", () => play.watches.length === 1);
  play.watches[0]?.push({ type: "MODIFIED", object: object("a", "1", "30") });
  play.watches[0]?.fail(error);
  await until("another watch", () => play.watches.length === 2);
  expect(play.watches[1]?.request.query?.resourceVersion).toBe("30");
  play.watches[1]?.push({ type: "DELETED", object: object("a", "1", "31") });
  await until("the deletion", () => said.length === 3);
  expect(said).toEqual(["->1", "1>1", "1>-"]);
  expect(informer.version()).toBe(31n);
  expect(problems).toEqual([error]);
  expect(play.lists).toHaveLength(1);
});

test("a watch that is refused waits as long as the server asks, and asks for no list", async () => {
  const play = server();
  const { informer } = start(play);
  await until("a watch", () => play.watches.length === 1);
  play.refuseWatches(new ClusterError("TooManyRequests", 429, "too many", { retryAfter: 1 }));
  const cut = performance.now();
  play.watches[0]?.fail(new ClusterError("Unreachable", 0, "cut"));
  await until("a refused watch", () => play.watches.length === 2);
  play.refuseWatches(undefined);
  await until("the next watch", () => play.watches.length === 3);
  expect(play.lists).toHaveLength(1);
  // Not followed from the cut on: a refused watch is none.
  expect(informer.closedFor()).toBe(0);
  // Of the cut, since a poll sees the refusal later than it was.
  expect(performance.now() - cut).toBeGreaterThanOrEqual(999);
});

test("a watch that is refused does not count as followed, and its loop is seen to work", async () => {
  const play = server();
  let ahead = 0;
  const { informer } = start(play, { now: () => performance.now() + ahead });
  await until("a watch", () => play.watches.length === 1);
  const listed = informer.lastHeard();
  play.refuseWatches(new ClusterError("TooManyRequests", 429, "too many"));
  play.watches[0]?.fail(new ClusterError("Unreachable", 0, "cut"));
  await until("the end of the watch", () => informer.closedFor() > 0);
  ahead = 10_000;
  const turned = informer.lastTurn();
  await until("another try", () => informer.lastTurn() > turned + 5000);
  expect(informer.closedFor()).toBeGreaterThanOrEqual(10_000);
  expect(informer.lastHeard()).toBe(listed);
});

test.each([
  [
    "ahead of a server that was restored",
    new ClusterError("Timeout", 504, "Too large resource version: 9, current: 3"),
  ],
  ["of a kind that is gone", new ClusterError("NotFound", 404, "the server could not find the requested resource")],
])("a version %s is followed by a list", async (_what, error) => {
  const play = server();
  start(play);
  await until("a watch", () => play.watches.length === 1);
  play.watches[0]?.fail(error);
  await until("another watch", () => play.watches.length === 2);
  expect(play.lists).toHaveLength(2);
});

test("a server that forgets each version at once is not asked for lists in a tight loop", async () => {
  const play = server();
  const { informer } = start(play);
  await until("a watch", () => play.watches.length === 1);
  play.refuseWatches(new ClusterError("Expired", 410, "too old"));
  const begun = performance.now();
  play.watches[0]?.fail(new ClusterError("Expired", 410, "too old"));
  await until("three more lists", () => play.lists.length === 4);
  // 410 for the first time: at once; then 250 and 500 milliseconds at least.
  expect(performance.now() - begun).toBeGreaterThanOrEqual(740);
  expect(informer.version()).toBe(1n);
});

test("a watch that says nothing is dropped and goes on; if the next ones are silent too, everything is listed anew", async () => {
  const play = server();
  const { problems } = start(play, { idle: 20 });
  await until("a second watch", () => play.watches.length === 2);
  expect(play.lists).toHaveLength(1);
  expect(problems).toMatchObject([{ code: "Stalled" }]);
});
