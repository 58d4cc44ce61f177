import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { random } from "../../../../test/chaos/random.ts";
import { migrationWith } from "../../../../test/support/requests/migration-with.ts";
import { marks } from "./marks.ts";
import { createMigrationOrder, listPosition } from "./order.ts";

const uidOf = (count: number) => `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`;

test("whatever comes, changes and goes, a namespace's are there newest first, and each by its id", () => {
  const seed = randomInt(2 ** 31);
  const chance = random(seed);
  const order = createMigrationOrder();
  const there = new Map<string, ReturnType<typeof migrationWith>>();
  for (let count = 0; count < 2000; count += 1) {
    const known = [...there.values()];
    const what = chance.next();
    if (what < 0.5 || known.length === 0) {
      const second = new Date(1e12 + chance.below(30) * 1000);
      const mark = new Date(second.getTime() + chance.below(3)).toISOString();
      const made = migrationWith({
        metadata: {
          name: chance.next() < 0.5 ? uidOf(1_000_000 + count) : `m${count}`,
          uid: uidOf(count),
          namespace: chance.pick(["rowferry-a", "rowferry-b"]),
          creationTimestamp: second.toISOString(),
          annotations: chance.next() < 0.5 ? { [marks.createdAt]: mark } : {},
        },
      });
      there.set(made.metadata.uid, made);
      order.changed(undefined, made);
    } else if (what < 0.75) {
      const before = chance.pick(known);
      // An annotation that is taken off moves it.
      const after = { ...before, metadata: { ...before.metadata, resourceVersion: `${count}`, annotations: {} } };
      there.set(after.metadata.uid, after);
      order.changed(before, after);
    } else {
      const gone = chance.pick(known);
      there.delete(gone.metadata.uid);
      order.changed(gone, undefined);
    }
  }
  for (const namespace of ["rowferry-a", "rowferry-b"]) {
    const expected = [...there.values()]
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map((migration) => ({ migration, ...listPosition(migration) }))
      .sort((a, b) => (a.at === b.at ? (a.uid < b.uid ? 1 : -1) : a.at < b.at ? 1 : -1));
    expect([...order.newestFirst(namespace)], `seed ${seed}`).toEqual(expected.map(({ migration }) => migration));
    for (const [index, place] of expected.entries())
      if (index % 17 === 0)
        expect([...order.newestFirst(namespace, place)].length, `seed ${seed}`).toBe(expected.length - index - 1);
    for (const { migration } of expected) {
      const { name, uid } = migration.metadata;
      expect(order.withId(name.startsWith("m") ? uid : name)).toEqual([migration]);
    }
  }
  for (const migration of there.values()) order.changed(migration, undefined);
  expect([...order.newestFirst("rowferry-a")]).toEqual([]);
  expect(order.withId(uidOf(0))).toEqual([]);
});

test("one that is made again under its name is another one", () => {
  const order = createMigrationOrder();
  const name = uidOf(7);
  const first = migrationWith({ metadata: { name, uid: uidOf(1) } });
  const second = migrationWith({ metadata: { name, uid: uidOf(2), creationTimestamp: "2026-01-01T00:00:09Z" } });
  order.changed(undefined, first);
  order.changed(first, undefined);
  order.changed(undefined, second);
  expect(order.withId(name)).toEqual([second]);
  expect([...order.newestFirst("rowferry-t1")]).toEqual([second]);
});

test("two namespaces may each have one of a name that is an id", () => {
  const order = createMigrationOrder();
  const name = uidOf(7);
  const own = migrationWith({ metadata: { name, uid: uidOf(1) } });
  const other = migrationWith({ metadata: { name, uid: uidOf(2), namespace: "rowferry-t2" } });
  order.changed(undefined, own);
  order.changed(undefined, other);
  expect(order.withId(name)).toEqual([own, other]);
  order.changed(own, undefined);
  expect(order.withId(name)).toEqual([other]);
});
