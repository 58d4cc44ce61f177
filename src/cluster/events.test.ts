import { expect, test } from "vitest";
import type { Client } from "./client.ts";
import { createRecorder } from "./events.ts";

const about = (uid: string) => ({
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: { name: `m-${uid}`, namespace: "a", uid },
});
const started = { type: "Normal", reason: "Started", note: "Made Job x for run 1" } as const;

/** A recorder over a server of which each answer waits for `answer`. */
function over() {
  const asked: { what: string; end(error?: Error): void }[] = [];
  const problems: unknown[] = [];
  let time = 0;
  let ids = 0;
  const ask = (what: string) =>
    new Promise<never>((resolve, reject) => {
      asked.push({ what, end: (error) => (error === undefined ? resolve({} as never) : reject(error)) });
    });
  const client: Pick<Client, "create" | "mergePatch"> = {
    create: (_kind, { metadata }) => ask(`create ${metadata.name}`),
    mergePatch: (_kind, _namespace, name, patch) =>
      ask(`patch ${name} ${(patch as { series: { count: number } }).series.count}`),
  };
  const recorder = createRecorder({
    ...{ client: client as Client, controller: "c", instance: "i", id: () => String(ids++), now: () => time },
    problem: (error) => problems.push(error),
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    recorder,
    problems,
    asked: () => asked.map(({ what }) => what),
    async answer(error?: Error) {
      asked.shift()?.end(error);
      await settled();
    },
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

test("nobody waits for an event, few are written at once, and in their order", async () => {
  const { recorder, asked, answer } = over();
  for (const uid of ["a", "b", "c", "d", "e", "f"]) recorder.record(about(uid), started);
  expect(asked()).toEqual(["create m-a.0", "create m-b.1", "create m-c.2", "create m-d.3"]);
  await answer();
  await answer();
  expect(asked()).toEqual(["create m-c.2", "create m-d.3", "create m-e.4", "create m-f.5"]);
});

test("the same one again raises the count of the first, once that is there", async () => {
  const { recorder, asked, answer, pass } = over();
  recorder.record(about("a"), started);
  recorder.record(about("a"), started);
  recorder.record(about("a"), { ...started, note: "Made Job y for run 2" });
  expect(asked()).toEqual(["create m-a.0", "create m-a.1"]);
  await answer();
  expect(asked()).toEqual(["create m-a.1", "patch m-a.0 2"]);
  pass(10 * 60_000);
  recorder.record(about("a"), started);
  expect(asked().at(-1)).toBe("create m-a.2");
});

test("one that is refused is a problem, and the next time it is a new one", async () => {
  const { recorder, asked, answer, problems } = over();
  recorder.record(about("a"), started);
  recorder.record(about("a"), started);
  await answer(new Error("no"));
  expect(problems).toHaveLength(1);
  expect(asked(), "nothing to raise the count of").toEqual([]);
  recorder.record(about("a"), started);
  expect(asked()).toEqual(["create m-a.1"]);
});

test("of thousands that a server does not take the newest are kept", async () => {
  const { recorder, asked, answer } = over();
  for (let at = 0; at < 3000; at += 1) recorder.record(about(String(at)), started);
  for (let at = 0; at < 4; at += 1) await answer();
  expect(asked()[0]).toBe("create m-2000.2000");
});
