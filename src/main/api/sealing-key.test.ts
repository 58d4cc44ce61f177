import { expect, test } from "vitest";
import type { Client } from "../../cluster/index.ts";
import { Problem } from "../../requests/errors.ts";
import { sealingKeyOf } from "./sealing-key.ts";

/** The operator's ConfigMap as it is found, one answer after the other; the last one stays. */
function world(...answers: (object | Error | undefined)[]) {
  let time = 0;
  let asked = 0;
  const client = {
    get: async () => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as Client;
  const key = sealingKeyOf({ client, namespace: "home", now: () => time });
  return { key, asked: () => asked, pass: (milliseconds: number) => (time += milliseconds) };
}
const published = (id: string) => ({ data: { "sealing.json": JSON.stringify({ id, key: "k" }) } });

test("a rotated key is sealed to within half a minute, and many URLs meanwhile ask once", async () => {
  const { key, asked, pass } = world(published("old"), published("new"));
  const many = await Promise.all([key(), key(), key()]);
  expect(many.map(({ id }) => id)).toEqual(["old", "old", "old"]);
  pass(30_000);
  expect((await key()).id).toBe("old");
  expect(asked()).toBe(1);
  pass(1);
  expect((await key()).id).toBe("new");
});

test("before there is a key callers are told to come again, and the first one that is published is found at once", async () => {
  const { key } = world(undefined, { data: {} }, new Error("away"), published("first"));
  for (let time = 0; time < 2; time += 1) await expect(key()).rejects.toThrow(Problem);
  await expect(key()).rejects.toThrow("away");
  expect((await key()).id).toBe("first");
});
