import { expect, it } from "vitest";
import { refusal } from "../../cluster/errors.ts";
import type { Client, KubeObject } from "../../cluster/index.ts";
import type { AccountEvent, AccountLog } from "../../resources/account-log.ts";
import { createAccountLogs, mergeEvents, mostWaiting } from "./account-log.ts";

const event = (number: number): AccountEvent => ({
  id: `e${String(number).padStart(6, "0")}`,
  at: new Date(number * 1000).toISOString(),
  verb: "createMigration",
  result: "done",
});
const ids = (events: readonly AccountEvent[] = []) => events.map(({ id }) => id);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A store with optimistic concurrency, where a request takes a turn of the event loop. */
function createStore() {
  const logs = new Map<string, AccountLog>();
  const state = { failing: false, conflicts: 0, version: 0 };
  const save = (log: AccountLog) => {
    state.version += 1;
    const { metadata, spec } = log;
    logs.set(metadata.name, { metadata: { ...metadata, resourceVersion: String(state.version) }, spec });
    return log;
  };
  const client = {
    async get({ kind }: { kind: string }, _namespace: string, name: string) {
      await turn();
      if (state.failing) throw refusal(500, "the store is full");
      if (kind === "Account") return name === "gone" ? undefined : { metadata: { name, uid: `uid of ${name}` } };
      return logs.get(name);
    },
    async create(_kind: object, log: AccountLog) {
      await turn();
      if (logs.has(log.metadata.name)) {
        state.conflicts += 1;
        throw refusal(409, JSON.stringify({ kind: "Status", reason: "AlreadyExists", code: 409 }));
      }
      return save(log);
    },
    async update(_kind: object, log: AccountLog) {
      await turn();
      if (logs.get(log.metadata.name)?.metadata.resourceVersion !== log.metadata.resourceVersion) {
        state.conflicts += 1;
        throw refusal(409, JSON.stringify({ kind: "Status", reason: "Conflict", code: 409 }));
      }
      return save(log);
    },
  } as unknown as Pick<Client, "get" | "create" | "update">;
  const problems: unknown[] = [];
  const replica = () =>
    createAccountLogs({
      client,
      pause: turn,
      randomBytes: (length) => Buffer.alloc(length, 128),
      problem: (error) => problems.push(error),
      // Nothing is written but by flush.
      over: () => true,
    });
  return { logs, state, problems, replica, client };
}

it("keeps the newest 100, oldest first, each once", () => {
  const all = Array.from({ length: 130 }, (_, number) => event(number));
  const merged = mergeEvents(all.slice(20, 90), [...all.slice(60)].reverse());
  expect(ids(merged)).toEqual(ids(all.slice(30)));
});

it("replicas that write at the same time lose none of each other's", async () => {
  const { logs, state, problems, replica } = createStore();
  const replicas = [replica(), replica(), replica()];
  for (let round = 0; round < 10; round += 1) {
    for (const [at, one] of replicas.entries()) one.note("a1", event(round * 10 + at));
    await Promise.all(replicas.map((one) => one.flush()));
  }
  expect(logs.get("a1")?.spec.events).toHaveLength(30);
  expect(state.conflicts).toBeGreaterThan(10);
  expect(problems).toEqual([]);
});

it("belongs to its Account; an account that is gone has none", async () => {
  const { logs, replica } = createStore();
  const one = replica();
  one.note("a1", event(1));
  one.note("gone", event(2));
  await one.flush();
  expect([...logs.keys()]).toEqual(["a1"]);
  expect((logs.get("a1") as KubeObject).metadata.ownerReferences).toEqual([
    { apiVersion: "rowferry.dev/v1alpha1", kind: "Account", name: "a1", uid: "uid of a1" },
  ]);
});

it("what a failing store did not take is written later, within bounds", async () => {
  const { logs, state, problems, replica } = createStore();
  const one = replica();
  state.failing = true;
  for (let number = 0; number < 250; number += 1) one.note("a1", event(number));
  await one.flush();
  expect(problems).toHaveLength(1);
  for (let account = 0; account < mostWaiting; account += 1) one.note(`other ${account}`, event(account));
  state.failing = false;
  await one.flush();
  expect(ids(logs.get("a1")?.spec.events)).toEqual(ids(Array.from({ length: 100 }, (_, at) => event(150 + at))));
  expect(logs.size).toBe(mostWaiting - 100 + 1);
});

it("writes by itself, and once for what comes together", async () => {
  const { logs, state, client } = createStore();
  const randomBytes = (length: number) => Buffer.alloc(length);
  const one = createAccountLogs({ client, pause: turn, randomBytes, problem: () => {}, over: () => false });
  for (let number = 0; number < 5; number += 1) one.note("a1", event(number));
  await expect.poll(() => logs.get("a1")?.spec.events.length).toBe(5);
  expect(state.version).toBe(1);
  one.note("a1", event(9));
  await expect.poll(() => logs.get("a1")?.spec.events.length).toBe(6);
});
