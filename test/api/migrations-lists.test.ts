import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { random } from "../chaos/random.ts";
import { until } from "../operator/control-plane.ts";
import { create, fail, pair, stored, untilStatus } from "./migrations-play.ts";
import { admin, api, type Person, signUp } from "./world.ts";

let ann: Person;
let bob: Person;
beforeAll(async () => {
  [ann, bob] = [await signUp(), await signUp()];
});

interface Page {
  data: { id: string; created_at: string; status: string }[];
  next_cursor: string | null;
}

async function page(person: Person, query: string, replica = 0): Promise<Page> {
  const answer = await api(`/api/migrations?${query}`, { token: person.token, replica });
  if (answer.status !== 200) throw new Error(`listing: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Pages with more than was asked for. Looked at after each test: a poll would only walk again. */
const overlong: string[] = [];
afterEach(() => expect(overlong.splice(0)).toEqual([]));

/** Follows the cursors from the newest to the oldest; each page may come from another replica. */
async function walk(person: Person, limit: number, replicaOf: (at: number) => number, between = async () => {}) {
  const seen: Page["data"] = [];
  for (let at = 0, cursor = ""; ; at += 1) {
    const { data, next_cursor } = await page(person, `limit=${limit}${cursor}`, replicaOf(at));
    if (data.length > limit) overlong.push(`${data.length} for a limit of ${limit}`);
    seen.push(...data);
    if (next_cursor === null) return seen;
    cursor = `&cursor=${next_cursor}`;
    await between();
  }
}

/** A quota that is counted in by several at once refuses some of them. */
const make = (person: Person, name: string): Promise<Migration> =>
  until(`${name} to be made`, () =>
    admin.create(kinds.migrations, {
      metadata: { name, namespace: person.namespace },
      spec: { source: { secretRef: { name: "source" } }, target: { secretRef: { name: "target" } } },
    } as never),
  );

test("migrations that were made within a second are listed newest first", async () => {
  const ids: string[] = [];
  for (let count = 0; count < 8; count += 1) ids.unshift(await create(ann));
  expect((await page(ann, "limit=100")).data.map(({ id }) => id)).toEqual(ids);
  expect((await walk(ann, 3, () => 0)).map(({ id }) => id)).toEqual(ids);
  expect((await page(bob, "limit=100")).data).toEqual([]);
});

test("of sixty creates at once, over two replicas, none is lost or refused", async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, at) => api("/api/migrations", { token: bob.token, body: pair, replica: at % 2 })),
  );
  expect(answers.filter(({ status }) => status !== 201).map(({ text }) => text)).toEqual([]);
  const ids = answers.map(({ body }) => String(body.migration.id)).sort();
  await stored(bob, ids[0] ?? "");
  await until("both replicas to list them", async () => {
    const walks = await Promise.all([0, 1].map((replica) => walk(bob, 100, () => replica)));
    return walks.every((all) => JSON.stringify(all.map(({ id }) => id).sort()) === JSON.stringify(ids));
  });
});

test("while migrations come and go, a walk by cursor over two replicas shows each that stayed once, and none twice", async () => {
  const seed = randomInt(2 ** 31);
  console.log(`seed ${seed}`);
  const chance = random(seed);
  const carla = await signUp();
  // The namespace is there once a first one could be made.
  await create(carla);
  let made = 0;
  const gone = new Set<string>();
  const there: Migration[] = await Promise.all(Array.from({ length: 60 }, () => make(carla, `m${made++}`)));
  const stays = new Set(there.filter(() => chance.next() < 0.7).map(({ metadata }) => metadata.uid));
  const goes = there.filter(({ metadata }) => !stays.has(metadata.uid));
  await until("both replicas to list all", async () => {
    const pages = await Promise.all([0, 1].map((replica) => walk(carla, 100, () => replica)));
    return pages.every((all) => all.length === 61);
  });

  let walking = true;
  const changes = (async () => {
    while (walking) {
      if (chance.next() < 0.5) await make(carla, `m${made++}`);
      const one = chance.next() < 0.7 ? goes.pop() : undefined;
      if (one !== undefined) {
        await admin.remove(kinds.migrations, carla.namespace, one.metadata.name, one.metadata.uid);
        gone.add(one.metadata.uid);
      }
      await sleep(chance.below(4));
    }
  })();
  try {
    for (let round = 0; round < 12; round += 1) {
      const limit = 1 + chance.below(15);
      const seen = await walk(
        carla,
        limit,
        () => chance.below(2),
        () => sleep(chance.below(3)),
      );
      const ids = seen.map(({ id }) => id);
      expect(new Set(ids).size, `none twice, seed ${seed}`).toBe(ids.length);
      for (const uid of stays) expect(ids, `each that stayed, seed ${seed}`).toContain(uid);
      const times = seen.map(({ created_at }) => created_at);
      expect(times, `newest first, seed ${seed}`).toEqual([...times].sort().reverse());
    }
  } finally {
    walking = false;
    await changes;
  }
  await until("what went to be listed no longer", async () =>
    (await walk(carla, 100, (at) => at % 2)).every(({ id }) => !gone.has(id)),
  );
});

test("a filter by status shows those alone, and a migration that was just retried no longer among the failed", async () => {
  const [failed, other] = [await create(ann), await create(ann)];
  await fail(ann, failed);
  await untilStatus(ann, failed, "failed");
  await until("the list to know", async () => (await page(ann, "status=failed")).data.length === 1);
  expect((await page(ann, "status=failed")).data.map(({ id }) => id)).toEqual([failed]);
  expect((await page(ann, "status=pending")).data.map(({ id }) => id)).toEqual([other]);
  expect((await page(ann, "status=completed")).data).toEqual([]);
  await api(`/api/migrations/${failed}/retry`, { method: "POST", token: ann.token });
  expect((await page(ann, "status=failed")).data).toEqual([]);
  await stored(ann, failed);
});

describe("a list is refused", () => {
  let cursor: string;
  let theirs: string;
  beforeAll(async () => {
    for (const person of [ann, bob])
      for (const body of [pair, pair]) await api("/api/migrations", { token: person.token, body });
    cursor = (await page(ann, "limit=1")).next_cursor ?? "";
    theirs = (await page(bob, "limit=1")).next_cursor ?? "";
  });

  test.each([
    ["with a limit of none", () => "limit=0", "limit"],
    ["with a limit above 100", () => "limit=101", "limit"],
    ["with a limit that is no number", () => "limit=ten", "limit"],
    ["with an unknown status", () => "status=lost", "status"],
    ["with an unknown parameter", () => "sort=size", "sort"],
    ["with a cursor of another team", () => `cursor=${theirs}`, "cursor"],
    ["with a cursor of another filter", () => `status=failed&cursor=${cursor}`, "cursor"],
    ["with a changed cursor", () => `cursor=A${cursor.slice(1, -1)}A`, "cursor"],
    ["with a cursor that is none", () => "cursor=%00", "cursor"],
  ])("%s, naming it", async (_what, query, field) => {
    const answer = await api(`/api/migrations?${query()}`, { token: ann.token });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid" } });
    expect(answer.body.errors.map((one: { field: string }) => one.field)).toEqual([field]);
  });
});
