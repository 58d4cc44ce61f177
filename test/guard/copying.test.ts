import { beforeAll, describe, expect, test } from "vitest";
import type { Copying } from "./copying.ts";
import { runInNamespace } from "./namespace.ts";

/** Whole copies of real databases through the guard, by names that keep their address and by names that turn to metadata. */

const ran = new Map<string, Copying>();

beforeAll(async () => {
  await runInNamespace("copying.ts", (text) => {
    const line = JSON.parse(text) as Copying;
    ran.set(line.run, line);
  });
});

const resultOf = (run: string): Copying => {
  const found = ran.get(run);
  if (found === undefined) throw new Error("it did not run");
  return found;
};

const directions = ["postgres to postgres", "postgres to mysql", "mysql to postgres", "mysql to mysql"];
const [source, target] = ["45.33.32.156", "45.33.32.157"];

test.each(directions)("%s: every dial of a copy asks the name anew, and all of them arrive", (direction) => {
  const { outcome, message, lookups, arrived, forbidden } = resultOf(direction);
  expect({ outcome, message, forbidden }).toEqual({ outcome: "completed", message: "", forbidden: 0 });
  // pg_dump asks nobody: it gets the address of a session.
  const dumps = direction === "postgres to postgres" ? 1 : 0;
  expect(arrived[source]).toBe((lookups["source.good.test"] ?? 0) + dumps);
  expect(arrived[target]).toBe(lookups["target.good.test"]);
  expect(Math.min(lookups["source.good.test"] ?? 0, lookups["target.good.test"] ?? 0)).toBeGreaterThan(1);
});

describe.each(["source", "target"])("the %s's name turns to metadata after the first dial", (role) => {
  test.each(directions)("%s: the next dial is refused, and no packet goes there", (direction) => {
    const { outcome, message, forbidden } = resultOf(`${direction}, the ${role} turns`);
    expect({ outcome, forbidden }).toEqual({ outcome: "host_not_found", forbidden: 0 });
    expect(message).toContain(`the ${role} database's host "${role}.good.test"`);
    expect(message).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
  });
});

test("a cancel goes to the address of its session, whatever the name stands for by then", () => {
  const { outcome, lookups, arrived, forbidden } = resultOf("a cancel after the name turned");
  // The server was told: it is seen there that the statement ended.
  expect({ outcome, lookups, forbidden }).toEqual({ outcome: "completed", lookups: {}, forbidden: 0 });
  expect(arrived[source]).toBe(2);
});

test.each([
  ["postgres", "server_shutdown"],
  ["mysql", "too_many_connections"],
])("%s: TLS proves the name of the URL, though an address is dialled", (engine, code) => {
  expect(resultOf(`${engine}: a certificate of the name`).outcome).toBe(code);
  expect(resultOf(`${engine}: a certificate of the address`).outcome).toBe("tls_failed");
});
