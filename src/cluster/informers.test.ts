import { afterEach, expect, test } from "vitest";
import { server, until } from "../../test/support/cluster/informer-scene.ts";
import { type KubeObject, kinds } from "../resources/objects.ts";
import type { Connection } from "./connection.ts";
import { ClusterError } from "./errors.ts";
import { noInformer, startInformers } from "./informers.ts";

let stop = new AbortController();
afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

const object = (namespace: string, name: string, resourceVersion: string): KubeObject => ({
  metadata: { name, namespace, uid: `${namespace}-${name}`, resourceVersion },
});

/** A server for each namespace; a request for another, or for all, is refused. */
function cluster(names: string[]) {
  const plays = new Map(names.map((name) => [name, server()]));
  const refused: string[] = [];
  const of = (path: string) => {
    const play = plays.get(/\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? "");
    if (play !== undefined) return play.connection;
    refused.push(path);
    throw new ClusterError("Forbidden", 403, path);
  };
  const connection: Connection = {
    send: async (request) => of(request.path).send(request),
    async *lines(request, opened) {
      yield* of(request.path).lines(request, opened);
    },
    close() {},
  };
  return { connection, refused, play: (name: string) => plays.get(name) as ReturnType<typeof server> };
}

function start({ connection }: ReturnType<typeof cluster>, namespaces: string[]) {
  const said: string[] = [];
  const problems: unknown[] = [];
  const informer = startInformers<KubeObject>(connection, {
    kind: kinds.jobs,
    namespaces,
    resync: 60_000,
    indexedBy: ({ metadata }) => metadata.name,
    changed: (before, after) => said.push(`${before?.metadata.uid ?? "-"}>${after?.metadata.uid ?? "-"}`),
    now: () => performance.now(),
    random: () => 0,
    signal: stop.signal,
    problem: (error) => problems.push(error),
  });
  return { informer, said, problems };
}

test("a cache over two namespaces lists and watches in each, and asks for nothing else", async () => {
  const play = cluster(["a", "b"]);
  play.play("a").set([object("a", "x", "5")]);
  play.play("b").set([object("b", "x", "6"), object("b", "y", "7")]);
  const { informer, said } = start(play, ["a", "b"]);
  await informer.synced;
  expect([...informer.all()].map(({ metadata }) => metadata.uid).sort()).toEqual(["a-x", "b-x", "b-y"]);
  expect(informer.get("b", "y")?.metadata.uid).toBe("b-y");
  expect(informer.get("a", "y"), "of another namespace").toBeUndefined();
  expect(informer.get("c", "x"), "of one that is not watched").toBeUndefined();
  expect(informer.by("x").map(({ metadata }) => metadata.uid)).toEqual(["a-x", "b-x"]);

  await until("both watches", () => play.play("a").watches.length === 1 && play.play("b").watches.length === 1);
  play.play("b").watches[0]?.push({ type: "MODIFIED", object: object("b", "y", "40") });
  await until("the change", () => said.includes("b-y>b-y"));
  expect(informer.version(), "no more than every namespace has").toBe(2n);
  expect(informer.closedFor()).toBe(0);
  expect(play.refused).toEqual([]);
});

test("a namespace that refuses the account does not hold up the others, and is told", async () => {
  const play = cluster(["a"]);
  play.play("a").set([object("a", "x", "5")]);
  const { informer, problems } = start(play, ["gone", "a"]);
  await informer.synced;
  expect([...informer.all()].map(({ metadata }) => metadata.uid)).toEqual(["a-x"]);
  expect(problems[0]).toMatchObject({ code: "Forbidden" });
  expect(informer.closedFor(), "it does not follow all of them").toBeGreaterThan(0);
});

test("without names, everything is listed at once", async () => {
  const play = server();
  play.set([object("a", "x", "5"), object("b", "x", "6")]);
  const { informer } = start({ connection: play.connection } as ReturnType<typeof cluster>, []);
  await informer.synced;
  expect(play.lists.map(({ path }) => path)).toEqual(["/apis/batch/v1/jobs"]);
  expect([...informer.all()]).toHaveLength(2);
});

test("the cache of a kind that is not watched is empty, and never silent", () => {
  const informer = noInformer<KubeObject>(() => 7);
  expect([...informer.all()]).toEqual([]);
  expect(informer.get("", "x")).toBeUndefined();
  expect(informer.lastTurn()).toBe(7);
});
