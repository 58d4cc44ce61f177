import { afterEach, expect, test } from "vitest";
import { object, server, start, stopAll, until } from "../../test/support/cluster/informer-scene.ts";
import type { KubeObject } from "../resources/objects.ts";
import type { Connection } from "./connection.ts";

afterEach(stopAll);

test("it lists, then follows what appears, changes and goes", async () => {
  const play = server();
  play.set([object("a", "1", "5")]);
  const { informer, said } = start(play);
  await informer.synced;
  await until("a watch", () => play.watches.length === 1);
  const [watch] = play.watches;
  expect(watch?.request.query).toMatchObject({ watch: true, allowWatchBookmarks: true, resourceVersion: "2" });
  watch?.push({ type: "ADDED", object: object("b", "2", "6") });
  watch?.push({ type: "MODIFIED", object: object("a", "1", "7") });
  watch?.push({ type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } });
  watch?.push({ type: "DELETED", object: object("b", "2", "8") });
  await until("the deletion", () => said.length === 4);
  expect(said).toEqual(["->1", "->2", "1>1", "2>-"]);
  expect(informer.get("n", "a")?.metadata.resourceVersion).toBe("7");
  expect([...informer.all()]).toHaveLength(1);
});

test("its version is what the cache has, and nothing before the first list", async () => {
  const play = server();
  play.set([object("a", "1", "1")]);
  play.failLists(1);
  const { informer, problems } = start(play);
  await until("a failed list", () => problems.length === 1);
  expect(informer.version()).toBe(0n);
  await until("a watch", () => play.watches.length === 1);
  expect(informer.version()).toBe(2n);
  const [watch] = play.watches;
  for (const [event, version] of [
    [{ type: "MODIFIED", object: object("a", "1", "7") }, 7n],
    [{ type: "DELETED", object: object("a", "1", "10") }, 10n],
    [{ type: "BOOKMARK", object: { metadata: { resourceVersion: "9007199254740993" } } }, 9007199254740993n],
  ] as const) {
    watch?.push(event);
    await until(`version ${version}`, () => informer.version() === version);
  }
  expect([...informer.all()]).toEqual([]);
  // A cluster that was restored from a backup goes back.
  play.set([object("a", "2", "3")]);
  watch?.push({ type: "ERROR", object: { code: 410, reason: "Expired", message: "too old" } });
  await until("a version of the list", () => informer.version() === 3n);
  expect(informer.get("n", "a")?.metadata.uid).toBe("2");
});

test("a list of several pages raises the version only when all of it is in the cache", async () => {
  const play = server();
  const pages = [
    { items: [object("a", "1", "5")], metadata: { resourceVersion: "9", continue: "more" } },
    { items: [object("b", "2", "6")], metadata: { resourceVersion: "9" } },
  ];
  const versions: bigint[] = [];
  const connection: Connection = {
    ...play.connection,
    async send<T>() {
      versions.push(informer.version());
      return pages.shift() as T;
    },
  };
  const { informer } = start({ ...play, connection });
  await informer.synced;
  expect([...versions, informer.version()]).toEqual([0n, 0n, 9n]);
});

test("it finds by a value of theirs, which may change", async () => {
  const play = server();
  const of = (name: string, owner: string | undefined, version: string, uid = name): KubeObject => ({
    metadata: { ...object(name, uid, version).metadata, ...(owner === undefined ? {} : { labels: { owner } }) },
  });
  play.set([of("a", "x", "1"), of("b", "x", "2"), of("c", undefined, "3")]);
  const { informer, said } = start(play, { indexedBy: ({ metadata }) => metadata.labels?.owner });
  await until("a watch", () => play.watches.length === 1);
  const found = (owner: string) => informer.by(owner).map(({ metadata }) => metadata.name);
  expect([found("x"), found("y")]).toEqual([["a", "b"], []]);
  const [watch] = play.watches;
  watch?.push({ type: "MODIFIED", object: of("a", "y", "5") });
  watch?.push({ type: "MODIFIED", object: of("b", "x", "6", "made again") });
  watch?.push({ type: "MODIFIED", object: of("c", "y", "7") });
  await until("the changes", () => said.length === 7);
  expect([found("x"), found("y")]).toEqual([["b"], ["a", "c"]]);
  expect(informer.by("x")[0]?.metadata.uid).toBe("made again");
  watch?.push({ type: "DELETED", object: of("b", "x", "8") });
  watch?.push({ type: "DELETED", object: of("a", "y", "9") });
  await until("the deletions", () => said.length === 9);
  expect([found("x"), found("y")]).toEqual([[], ["c"]]);
});

test("it tells for how long it has not followed", async () => {
  const play = server();
  let ahead = 0;
  const { informer } = start(play, { now: () => performance.now() + ahead });
  await until("a watch", () => play.watches.length === 1);
  expect(informer.closedFor()).toBe(0);
  play.failLists(100);
  play.watches[0]?.push({ type: "ERROR", object: { code: 410, reason: "Expired", message: "too old" } });
  await until("the end of the watch", () => informer.closedFor() > 0);
  ahead = 5000;
  expect(informer.closedFor()).toBeGreaterThanOrEqual(5000);
});

test("a watch lasts no longer than told", async () => {
  const play = server();
  start(play, { watchFor: 10_000 });
  await until("a watch", () => play.watches.length === 1);
  expect(play.watches[0]?.request.query?.timeoutSeconds).toBe(10);
});

test("a watch that the server ends in its time is a sign of life, one that it ends at once is none", async () => {
  const play = server();
  let ahead = 0;
  const { informer } = start(play, { now: () => performance.now() + ahead });
  await until("a watch", () => play.watches.length === 1);
  const listed = informer.lastHeard();
  play.watches[0]?.end();
  await until("the next watch", () => play.watches.length === 2);
  expect(informer.lastHeard()).toBe(listed);
  ahead = 10_000;
  play.watches[1]?.end();
  await until("the third watch", () => play.watches.length === 3);
  expect(informer.lastHeard()).toBeGreaterThanOrEqual(listed + 10_000);
});

test("an object that was deleted and made again under its name is told as both", async () => {
  const play = server();
  play.set([object("a", "1", "5")]);
  const { said } = start(play);
  await until("a watch", () => play.watches.length === 1);
  play.watches[0]?.push({ type: "MODIFIED", object: object("a", "2", "6") });
  await until("both", () => said.length === 3);
  expect(said).toEqual(["->1", "1>-", "->2"]);
});

test("a watch that ends is followed by another from where it was, and an expired one by a list", async () => {
  const play = server();
  const { said, problems } = start(play);
  await until("a watch", () => play.watches.length === 1);
  play.watches[0]?.push({ type: "BOOKMARK", object: { metadata: { resourceVersion: "40" } } });
  play.watches[0]?.end();
  await until("the next watch", () => play.watches.length === 2);
  expect(play.watches[1]?.request.query?.resourceVersion).toBe("40");
  expect(play.lists).toHaveLength(1);
  play.set([object("a", "1", "50")]);
  play.watches[1]?.push({ type: "ERROR", object: { code: 410, reason: "Expired", message: "too old" } });
  await until("a watch after a list", () => play.watches.length === 3);
  expect(play.lists).toHaveLength(2);
  expect(said).toEqual(["->1"]);
  expect(problems).toEqual([]);
});

test("everything is listed anew after the time for it, though the watch is well", async () => {
  const play = server();
  start(play, { resync: 100 });
  await until("a watch", () => play.watches.length === 1);
  expect(play.watches[0]?.request.query?.timeoutSeconds).toBe(1);
  // One that ends before the time is over is followed by another watch, and by a list as soon as it is.
  await until("a second list", () => {
    play.watches.at(-1)?.end();
    return play.lists.length >= 2;
  });
});

test("it ends soon after its signal, without an unhandled rejection", async () => {
  const play = server();
  const { informer, stop, problems } = start(play);
  await until("a watch", () => play.watches.length === 1);
  stop.abort();
  await informer.ended;
  expect(problems).toEqual([]);
});
