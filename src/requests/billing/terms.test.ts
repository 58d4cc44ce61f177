import { expect, test } from "vitest";
import type { Client } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import { freeIsOpen } from "./terms.ts";

type Claim = NonNullable<Account["spec"]["freeMigration"]>;

const now = new Date("2026-01-01T00:10:00.000Z");
const claim = (more: Partial<Claim> = {}): Claim => ({
  ...{ namespace: "rowferry-t1", name: "m1", at: "2026-01-01T00:09:59.000Z" },
  ...more,
});
const account = (freeMigration?: Claim): Account =>
  ({
    metadata: { name: "a1" },
    spec: { email: "a@example.com", plan: "free", actingTeam: "t1", ...(freeMigration ? { freeMigration } : {}) },
  }) as unknown as Account;

/** `known`: as a cache has it. `live`: as the API server does. `migration`: uid of the Migration that is there. */
test.each<[string, Account, Account, string | undefined, boolean]>([
  ["was never taken", account(), account(), undefined, true],
  ["is reserved by a create that goes on", account(claim()), account(claim()), undefined, false],
  ["was given back a moment ago, which the cache does not have yet", account(claim()), account(), undefined, true],
  ["is another one's by now", account(claim()), account(claim({ name: "m2", uid: "u2" })), "u2", false],
  ["is begun", account(claim({ uid: "u1" })), account(claim({ uid: "u1" })), "u1", false],
  ["is of one that was deleted", account(claim({ uid: "u1" })), account(claim({ uid: "u1" })), undefined, true],
  ["is used up, of which nothing is read", account(claim({ used: true })), account(), undefined, false],
])("a free migration that %s", async (_what, known, live, migration, open) => {
  const client = {
    get: async ({ plural }: { plural: string }) =>
      plural === "accounts" ? live : migration === undefined ? undefined : { metadata: { uid: migration } },
  } as unknown as Client;
  expect(await freeIsOpen({ client, now: () => now }, known)).toBe(open);
});
