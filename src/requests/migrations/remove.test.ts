import { expect, test } from "vitest";
import { ClusterError } from "../../cluster/index.ts";
import type { Migration } from "../../resources/migration.ts";
import type { Caller, World } from "../world.ts";
import { remove } from "./remove.ts";
import { migrationWith } from "./testing.ts";

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
