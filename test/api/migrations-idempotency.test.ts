import { randomInt, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/resources/objects.ts";
import { random } from "../chaos/random.ts";
import { complete, create, fail, pair, planted, stored, untilStatus } from "./migrations-play.ts";
import { admin, api, type Person, signUp, startReplica } from "./world.ts";

let ann: Person;
let bob: Person;
beforeAll(async () => {
  [ann, bob] = [await signUp(), await signUp()];
});

const keyed = (key: string) => ({ "idempotency-key": key });
const ask = (person: Person, key: string, body: object = pair, replica = 0) =>
  api("/api/migrations", { token: person.token, headers: keyed(key), body, replica });

test("twenty creates at once with one key and body, over two replicas, make one migration and give one answer", async () => {
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(ann, key, pair, at % 2)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  const there = await admin.list(kinds.migrations, { namespace: ann.namespace });
  expect(there.map(({ metadata }) => metadata.name)).toEqual([answers[0]?.body.migration.id]);
  await stored(ann, answers[0]?.body.migration.id);
});

test("creates without a key are as many migrations", async () => {
  const ids = [await create(ann), await create(ann)];
  expect(new Set(ids).size).toBe(2);
});

test("a repeat is answered alike by a replica that has just started, after the run has ended, and with another order of fields", async () => {
  const key = randomUUID();
  const body = { ...pair, options: { jobs: 2 } };
  const first = await ask(ann, key, body);
  const { id } = first.body.migration;
  await fail(ann, id);
  await untilStatus(ann, id, "failed");
  const fresh = await startReplica();
  const other = { options: { jobs: 2 }, target_url: pair.target_url, source_url: pair.source_url };
  const again = await fresh.caller.ask("/api/migrations", { token: ann.token, headers: keyed(key), body: other });
  expect({ status: again.status, text: again.text }).toEqual({ status: 201, text: first.text });
  expect(await admin.list(kinds.migrations, { namespace: ann.namespace })).toHaveLength(1);
  await fresh.stop();
});

describe("a key that was used", () => {
  test.each([
    ["another source", { ...pair, source_url: `mysql://reader:${planted}@127.0.0.1:3306/other` }],
    ["another password", { ...pair, source_url: "mysql://reader:another@127.0.0.1:3306/shop" }],
    ["other options", { ...pair, options: { jobs: 3 } }],
  ])("is refused for %s, on each replica", async (_what, body) => {
    const key = randomUUID();
    const first = await ask(ann, key);
    for (const replica of [0, 1])
      expect(await ask(ann, key, body, replica)).toMatchObject({
        status: 422,
        body: { code: "idempotency_key_reused" },
      });
    expect((await ask(ann, key)).text).toBe(first.text);
    await stored(ann, first.body.migration.id);
  });

  test("is another account's own key too", async () => {
    const key = randomUUID();
    const [mine, theirs] = [await ask(ann, key), await ask(bob, key, { ...pair, options: { jobs: 5 } })];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(mine.body.migration.id).not.toBe(theirs.body.migration.id);
    for (const [person, made] of [
      [ann, mine],
      [bob, theirs],
    ] as const)
      await stored(person, made.body.migration.id);
  });

  test("with a body that is refused may be used for the right one", async () => {
    const key = randomUUID();
    expect((await ask(ann, key, { ...pair, target_url: "nonsense" })).status).toBe(422);
    const made = await ask(ann, key);
    expect(made.status).toBe(201);
    await stored(ann, made.body.migration.id);
  });
});

test.each(["", " ", "a b", "ü", "x".repeat(256)])("%j is no key", async (key) => {
  const refused = await ask(ann, key).then(
    ({ status, body }) => `${status} ${body.code}`,
    (error: NodeJS.ErrnoException) => error.code,
  );
  // Node's own client refuses to send what no header may hold.
  expect(["422 invalid", "ERR_INVALID_CHAR"]).toContain(refused);
});

test("of twenty retries at once with one key, over two replicas, one raises the attempt and all are answered alike", async () => {
  const id = await create(ann);
  await fail(ann, id);
  await untilStatus(ann, id, "failed");
  const key = randomUUID();
  const retry = (replica: number, other = key) =>
    api(`/api/migrations/${id}/retry`, { method: "POST", token: ann.token, headers: keyed(other), replica });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => retry(at % 2)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1);
  expect((await stored(ann, id)).spec.attempt).toBe(2);

  await fail(ann, id, 2);
  await untilStatus(ann, id, "failed");
  expect((await retry(1)).status, "late, when the second run has failed too").toBe(202);
  expect((await stored(ann, id)).spec.attempt).toBe(2);
  expect((await retry(1, randomUUID())).status).toBe(202);
  expect((await stored(ann, id)).spec.attempt).toBe(3);
  expect((await retry(0)).status, "later still, behind another key").toBe(202);
  expect((await stored(ann, id)).spec.attempt).toBe(3);
});

test("of twenty resets at once with one key one resets, and the key does not hold for the preview", async () => {
  const id = await create(ann);
  await complete(ann, id, 1);
  await untilStatus(ann, id, "completed");
  const headers = keyed(randomUUID());
  const reset = (replica: number) =>
    api(`/api/migrations/${id}/reset`, { token: ann.token, headers, body: { confirm: true }, replica });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => reset(at % 2)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  expect((await stored(ann, id)).spec.reset).toBe(1);
  const preview = await api(`/api/migrations/${id}/reset`, { token: ann.token, headers, body: {} });
  expect(preview).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
});

test("a key holds as long as its migration is there", async () => {
  const key = randomUUID();
  const { id } = (await ask(ann, key)).body.migration;
  expect((await api(`/api/migrations/${id}`, { method: "DELETE", token: ann.token })).status).toBe(200);
  const again = await ask(ann, key, { ...pair, options: { jobs: 3 } });
  expect(again).toMatchObject({ status: 201, body: { migration: { id } } });
  expect((await stored(ann, id)).spec.options?.jobs).toBe(3);
});

test("whatever is asked at once of one failed migration, over two replicas, it runs again at most once for each raise, and nothing is a fault", async () => {
  const seed = randomInt(2 ** 31);
  console.log(`seed ${seed}`);
  const chance = random(seed);
  for (let round = 0; round < 4; round += 1) {
    const id = await create(ann);
    await fail(ann, id);
    await untilStatus(ann, id, "failed");
    const calls = Array.from({ length: 16 }, () => {
      const what = chance.pick(["retry", "retry", "reset", "delete", "get", "list"]);
      const replica = chance.below(2);
      const { token } = ann;
      const path = `/api/migrations/${id}`;
      const asked =
        what === "delete"
          ? api(path, { method: "DELETE", token, replica })
          : what === "get"
            ? api(path, { token, replica })
            : what === "list"
              ? api("/api/migrations", { token, replica })
              : api(`${path}/${what}`, {
                  method: "POST",
                  token,
                  replica,
                  body: what === "reset" ? { confirm: true } : {},
                });
      return asked.then(({ status }) => ({ what, status }));
    });
    const answers = await Promise.all(calls);
    const told = `seed ${seed}: ${JSON.stringify(answers)}`;
    for (const { what, status } of answers)
      expect(what === "list" ? [200] : [200, 202, 404, 409], told).toContain(status);
    expect(answers.filter(({ what, status }) => what === "retry" && status === 202).length, told).toBeLessThanOrEqual(
      1,
    );
    const after = await api(`/api/migrations/${id}`, { token: ann.token });
    expect(after.status, told).toBe(answers.some(({ what }) => what === "delete") ? 404 : 200);
  }
});
