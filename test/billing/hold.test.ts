import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { type Simulator, startSimulator } from "../../dev/stripe/simulator.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { kinds } from "../../src/resources/objects.ts";
import { type Caller, createCaller } from "../api/http.ts";
import { type Installation, startInstallation } from "../api/installation.ts";
import { until } from "../operator/control-plane.ts";
import { borrowDatabase } from "../servers/index.ts";

/** The whole way of a hold: API, operator and a stateful simulator of Stripe, on a real API server. No kubelet runs here: runs end by hand. */

const webhookSecret = "whsec_test";
let installation: Installation;
let stripe: Simulator;
let caller: Caller;
let source: Database;

beforeAll(async () => {
  source = await borrowDatabase("postgres");
  stripe = await startSimulator();
  installation = await startInstallation(1, (folder) => {
    writeFileSync(join(folder, "stripe-key"), stripe.key, { mode: 0o600 });
    writeFileSync(join(folder, "stripe-webhook"), webhookSecret, { mode: 0o600 });
    const shared = { ROWFERRY_STRIPE_KEY_FILE: join(folder, "stripe-key"), ROWFERRY_STRIPE_URL: stripe.url };
    return {
      operator: { ...shared, ROWFERRY_HOLD_GRACE_HOURS: "0" },
      api: { ...shared, ROWFERRY_STRIPE_WEBHOOK_FILE: join(folder, "stripe-webhook") },
    };
  });
  caller = createCaller(installation.place.folder, installation.replicas[0]?.port ?? 0);
});
afterAll(async () => {
  caller?.close();
  await installation?.stop();
  await stripe?.close();
  await source?.stop();
});

interface Person {
  token: string;
  namespace: string;
}

async function signUp(): Promise<Person> {
  const email = `test-${randomBytes(6).toString("hex")}@example.com`;
  const made = await caller.ask("/api/account", { body: { email, password: randomBytes(12).toString("hex") } });
  const cookie = made.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  const headers = { origin: installation.place.baseUrl };
  const minted = await caller.ask("/api/tokens", { cookie, headers, body: { name: "test" } });
  return { token: String(minted.body.token), namespace: `rowferry-${made.body.account.acting_team}` };
}

const create = ({ token }: Person) =>
  caller.ask("/api/migrations", {
    token,
    body: { source_url: source.url, target_url: "mysql://app:x@127.0.0.1:9/app" },
  });
const show = async ({ token }: Person, id: string) => (await caller.ask(`/api/migrations/${id}`, { token })).body;
const stored = (person: Person, id: string): Promise<Migration | undefined> =>
  installation.plane.admin.client.get(kinds.migrations, person.namespace, id);
const control = async (path: string, body: object = {}): Promise<void> => {
  const answer = await fetch(`${stripe.control}${path}`, { method: "POST", body: JSON.stringify(body) });
  expect(answer.ok, await answer.text()).toBe(true);
};
const untilPaid = (person: Person, id: string, state: string) =>
  until(`${id} ${state}`, async () => (await stored(person, id))?.status?.payment?.state === state, 30_000);
const untilStatus = (person: Person, id: string, status: string) =>
  until(`${id} ${status}`, async () => (await show(person, id)).status === status, 30_000);

/** A paying account: its free first migration is used up. */
async function paying(): Promise<Person> {
  const person = await signUp();
  const first = await create(person);
  expect(first).toMatchObject({ status: 201, body: { covered_by_plan: true, free: true } });
  return person;
}

const endRun = async (person: Person, id: string, outcome: "completed" | "failed"): Promise<void> => {
  const { client } = installation.plane.admin;
  const migration = await until("the Job", async () => {
    const live = await stored(person, id);
    return live?.status?.job === undefined ? undefined : live;
  });
  const { name, namespace, uid } = migration.metadata;
  const result = {
    ...{ run: 1, outcome, reason: outcome === "completed" ? "Verified" : "internal_error" },
    ...{ message: "As the test wants it.", finishedAt: new Date().toISOString() },
  };
  await client.applyStatus(
    kinds.migrations,
    { metadata: { name, namespace, uid }, status: { result } },
    "rowferry-worker",
  );
  const job = migration.status?.job;
  if (job !== undefined) await client.remove(kinds.jobs, namespace, job.name, job.uid);
};

test("an account's first migration is free, the second is authorised by a person, starts by itself, and is captured when it is completed", async () => {
  const person = await paying();
  const made = await create(person);
  expect(made).toMatchObject({ status: 201, body: { amount: 5, migration: { status: "awaiting_payment", cost: 0 } } });
  expect(made.body).not.toHaveProperty("covered_by_plan");
  const { id } = made.body.migration;
  expect(made.body.checkout_url).toContain(`${stripe.url}/c/pay/`);
  expect((await show(person, id)).status).toBe("awaiting_payment");
  expect((await stored(person, id))?.status?.job).toBeUndefined();

  const again = await caller.ask(`/api/migrations/${id}/checkout`, { token: person.token, method: "POST" });
  expect(again).toMatchObject({ status: 200, body: { amount: 5, checkout_url: made.body.checkout_url } });

  const session = (await stored(person, id))?.spec.payment?.checkout?.session ?? "";
  await control(`/sessions/${session}/authorize`);
  await untilPaid(person, id, "authorized");
  await untilStatus(person, id, "pending");
  await endRun(person, id, "completed");
  await untilPaid(person, id, "captured");
  expect(await show(person, id)).toMatchObject({ status: "completed", cost: 5 });
  expect((await stored(person, id))?.metadata.finalizers ?? []).toEqual([]);
});

test("a failed run is not charged: its hold is given back", async () => {
  const person = await paying();
  const { id } = (await create(person)).body.migration;
  const session = (await stored(person, id))?.spec.payment?.checkout?.session ?? "";
  await control(`/sessions/${session}/authorize`);
  await untilPaid(person, id, "authorized");
  await endRun(person, id, "failed");
  await untilPaid(person, id, "released");
  expect(await show(person, id)).toMatchObject({ status: "failed", cost: 0 });
});

test("a migration that is deleted while it awaits payment goes, and nobody can pay at its page any more", async () => {
  const person = await paying();
  const made = await create(person);
  const { id } = made.body.migration;
  const deleted = await caller.ask(`/api/migrations/${id}`, { token: person.token, method: "DELETE" });
  expect(deleted.status).toBe(200);
  await until("the Migration to go", async () => (await stored(person, id)) === undefined, 30_000);
  const page = await fetch(made.body.checkout_url);
  expect(await page.text()).not.toContain("Authorize");
});

test("while Stripe is down nothing is created", async () => {
  const person = await paying();
  await control("/down");
  try {
    expect(await create(person)).toMatchObject({ status: 503, body: { code: "unavailable" } });
  } finally {
    await control("/up");
  }
  const { body } = await caller.ask("/api/migrations", { token: person.token });
  expect(body.data).toHaveLength(1);
});
