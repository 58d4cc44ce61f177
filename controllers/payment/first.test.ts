import { expect, test } from "vitest";
import type { Account } from "../../src/resources/account.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { migration } from "../../test/support/controllers/payments.ts";
import { migrationsFirst, subscribersFirst } from "./first.ts";

test("a new leader looks first at the pages that were opened last", () => {
  const named = (name: string, expiresAt?: string): Migration => {
    const one = migration({}, expiresAt === undefined ? {} : { checkout: { ...page, expiresAt } });
    if (expiresAt === undefined) delete one.spec.payment;
    return { ...one, metadata: { ...one.metadata, name } };
  };
  const page = { session: "cs_1", url: "https://pay.example/1", number: 1 };
  const all = [named("a"), named("b", "2026-03-01T12:00:00.000Z"), named("c", "2026-03-02T12:00:00.000Z")];
  expect(migrationsFirst(all).map(({ metadata }) => metadata.name)).toEqual(["c", "b", "a"]);
});

test("a new leader looks first at the accounts whose person was at Stripe's page last", () => {
  const named = (name: string, billing?: Account["spec"]["billing"]): Account => ({
    metadata: { name },
    spec: { email: "", plan: "free", actingTeam: "", ...(billing === undefined ? {} : { billing }) },
  });
  const all = [
    named("a", { customer: "cus_1" }),
    named("b", { customer: "cus_2", askedAt: "2026-03-01T12:00:00.000Z" }),
    named("c"),
    named("d", { customer: "cus_3", askedAt: "2026-03-02T12:00:00.000Z" }),
  ];
  expect(subscribersFirst(all).map(({ metadata }) => metadata.name)).toEqual(["d", "b", "a", "c"]);
});
