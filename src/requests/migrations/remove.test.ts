import { expect, test } from "vitest";
import { migrationWith } from "../../../test/support/requests/migration-with.ts";
import { ClusterError } from "../../cluster/index.ts";
import type { Migration } from "../../resources/migration.ts";
import type { Caller, World } from "../world.ts";
import { remove } from "./remove.ts";

const id = "6f6d8f6a-0000-4000-8000-000000000001";
const uidOf = (last: number) => `11111111-1111-4111-8111-11111111111${last}`;
const made = (last: number): Migration => migrationWith({ metadata: { name: id, uid: uidOf(last) } });

/** A cluster that has `there`, of which the cache knows `cached`; who removes is too late as often as told. */
function scene(cached: Migration, there: Migration | undefined, late = 0) {
  const state = { there, late, asked: [] as string[] };
  const world = {
    client: {
      get: async () => state.there,
      async remove(_kind: unknown, _namespace: string, _name: string, uid: string) {
        state.asked.push(uid);
        state.late -= 1;
        if (state.there === undefined) return;
        if (state.late >= 0 || state.there.metadata.uid !== uid) throw new ClusterError("Conflict", 409, "another uid");
        state.there = undefined;
      },
    },
    caches: {
      migrations: { get: () => undefined, version: () => 100n },
      order: { withId: () => [] },
    },
    fresh: { migration: async () => cached, everywhere: async () => {} },
    pause: async () => {},
    settings: { currency: "USD" },
  } as unknown as World;
  const caller = { team: { metadata: { name: "t1" }, status: { namespace: "rowferry-t1" } } } as unknown as Caller;
  return { state, ended: remove(world, caller, id) };
}

test("One that was deleted and made again since the cache heard of it is deleted", async () => {
  const { state, ended } = scene(made(1), made(2));
  await expect(ended).resolves.toMatchObject({ migration: { id } });
  expect(state).toMatchObject({ there: undefined, asked: [uidOf(1), uidOf(2)] });
});

test("One that is made anew all the while is tried twice, and no oftener", async () => {
  const { state, ended } = scene(made(1), made(2), 5);
  await expect(ended).rejects.toMatchObject({ code: "Conflict" });
  expect(state.asked).toEqual([uidOf(1), uidOf(2)]);
});

test("One that is gone already is deleted", async () => {
  const { state, ended } = scene(made(1), undefined);
  await ended;
  expect(state.asked).toEqual([uidOf(1)]);
});

/** A free migration whose Account and whose Migration are as told when the delete comes. */
async function removeFree(live: Migration, claim: object | undefined, broken = false) {
  const cached = migrationWith({ ...live, status: {} });
  const state = {
    there: live as Migration | undefined,
    claim,
    asked: [] as (string | undefined)[],
  };
  const world = {
    client: {
      get: async (kind: { plural: string }) =>
        kind.plural === "accounts"
          ? { metadata: { name: "a1" }, spec: { plan: "free", freeMigration: state.claim } }
          : state.there,
      async update(_kind: unknown, { spec }: { spec: { freeMigration?: object } }) {
        if (broken) throw new ClusterError("Unavailable", 503, "no answer");
        state.claim = spec.freeMigration;
      },
      async remove(_kind: unknown, _namespace: string, _name: string, _uid: string, version?: string) {
        state.asked.push(version);
        state.there = undefined;
      },
    },
    caches: { migrations: { get: () => undefined, version: () => 100n }, order: { withId: () => [] } },
    fresh: { migration: async () => cached, everywhere: async () => {} },
    pause: async () => {},
    randomBytes: () => new Uint8Array(1),
    settings: { currency: "USD" },
  } as unknown as World;
  const caller = { team: { metadata: { name: "t1" }, status: { namespace: "rowferry-t1" } } } as unknown as Caller;
  const ended = await remove(world, caller, id).then(
    () => "deleted",
    (error: unknown) => error,
  );
  return { ...state, ended };
}

const claimed = { namespace: "rowferry-t1", name: id, at: "2026-01-01T00:00:00.000Z" };
const free = (status: Migration["status"] = {}) =>
  migrationWith({
    metadata: { name: id, annotations: { "rowferry.dev/created-at": "2026-01-01T00:00:01.000Z" } },
    spec: { payment: { by: "free", account: "a1", currency: "USD", amount: 0 } },
    status,
  });
const verified = free({
  ...{ state: "in_progress", run: 1 },
  result: { run: 1, outcome: "completed", reason: "Verified", message: "", finishedAt: "2026-01-01T00:01:00.000Z" },
});

test("A free one is deleted as the API server has it: verified since the cache heard of it, it is used up", async () => {
  const { ended, claim, asked } = await removeFree(verified, claimed);
  expect({ ended, claim, asked }).toEqual({ ended: "deleted", claim: { ...claimed, used: true }, asked: ["7"] });
});

test("A verified one stays where its account cannot be written: else a second one would be free", async () => {
  const { ended, asked } = await removeFree(verified, claimed, true);
  expect(ended).toMatchObject({ code: "Unavailable" });
  expect(asked).toEqual([]);
});

test("A free one that is not verified is given back; where that fails it is deleted all the same", async () => {
  expect(await removeFree(free(), claimed)).toMatchObject({ ended: "deleted", claim: undefined });
  expect(await removeFree(free(), claimed, true)).toMatchObject({ ended: "deleted", claim: claimed });
});

test("The claim of another one that has been made with the same name since stays", async () => {
  const later = { ...claimed, at: "2026-01-01T00:00:02.000Z" };
  expect(await removeFree(free(), later)).toMatchObject({ ended: "deleted", claim: later });
});
