import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../src/resources/objects.ts";
import { createCaller } from "../api/http.ts";
import { startApi } from "../api/start.ts";
import { until } from "../operator/control-plane.ts";
import { condition, startOperator } from "../operator/operator.ts";
import { type BillingPlace, borrowPlace, type Person } from "./place.ts";

/** Billing turned off, and the terms of migrations that exist; `kubectl` beside it. */

let place: BillingPlace;
const begun: { stop(signal?: NodeJS.Signals): Promise<unknown> }[] = [];
beforeAll(async () => {
  place = await borrowPlace({ operator: { ROWFERRY_UNPAID_DAYS: "0" } });
});
afterAll(async () => {
  for (const one of begun) await one.stop("SIGKILL");
  await place?.stop();
});

const running = async (namespace: string, name: string) =>
  until("a Job", async () => {
    const live = await place.installation.plane.admin.client.get(kinds.migrations, namespace, name);
    return live?.status?.job === undefined ? undefined : live;
  });

test("kubectl apply of a Migration with Secrets never meets billing; spec.payment by kubectl gives no right to another's hold", async () => {
  const { client } = place.installation.plane.admin;
  const person = await place.paying();
  const { id } = (await place.create(person)).body.migration;
  const victim = await place.stored(person, id);
  const refs = { source: { secretRef: { name: "source" } }, target: { secretRef: { name: "target" } } };
  const apply = (name: string, more: object) =>
    client.create(kinds.migrations, { metadata: { name, namespace: "default" }, spec: { ...refs, ...more } } as never);
  await apply("plain", {});
  await running("default", "plain");

  await place.authorize(person, id);
  const stolen = await apply("thief", { payment: victim?.spec.payment });
  const live = await until("the thief to be seen", async () => {
    const now = await client.get(kinds.migrations, "default", "thief");
    const said = now?.status?.payment?.message?.includes("another Migration") === true;
    return said && now?.status?.state !== undefined ? now : undefined;
  });
  expect(live?.status).toMatchObject({ state: "awaiting_payment", payment: { state: "released" } });
  expect(live?.status?.job).toBeUndefined();
  await client.remove(kinds.migrations, "default", "thief", stolen.metadata.uid);
  await until("the thief to go", async () => (await client.get(kinds.migrations, "default", "thief")) === undefined);
  const free = { by: "free", account: person.account, currency: "USD", amount: 0 };
  await apply("free", { payment: free });
  await until("the free one to fail", async () => {
    const now = await client.get(kinds.migrations, "default", "free");
    return now?.status?.state === "failed" && condition(now, "Failed")?.reason === "FreeMigrationTaken";
  });
  await place.endRun(person, id, "completed");
  await place.untilPaid(person, id, "captured");
});

test("without the key: what awaits payment does not start and says so, a paid run goes on, new ones are covered, deletes go through", async () => {
  const { plane, operator, place: where } = place.installation;
  const { client } = plane.admin;
  const person: Person = await place.paying();
  const unpaid = (await place.create(person)).body.migration.id;
  const doomed = (await place.create(person)).body.migration.id;
  const paid = (await place.create(person)).body.migration.id;
  await place.authorize(person, paid);
  await running(person.namespace, paid);
  await operator.stop("SIGKILL");
  const without = await startOperator(plane, `${plane.folder}/rowferry-operator.kubeconfig`, "operator-1", {
    ROWFERRY_API_HOSTS: "localhost",
    ROWFERRY_PROBER_HOSTS: "localhost",
    ROWFERRY_GUARD_ALLOW: "127.0.0.1/32",
    ROWFERRY_MAX_RUNNING: "1000",
  });
  begun.push(without);
  const api = await startApi(where);
  begun.push(api);
  const caller = createCaller(where.folder, api.port);
  const { token } = person;
  try {
    await until(
      "the condition",
      async () => {
        const live = await place.stored(person, unpaid);
        return live !== undefined && condition(live, "Running")?.reason === "BillingOff";
      },
      60_000,
    );
    const asked = (path: string) => caller.ask(`/api/migrations/${path}`, { token, method: "POST" });
    const refused = await asked(`${unpaid}/checkout`);
    expect(refused).toMatchObject({ status: 409, body: { code: "state_conflict" } });
    expect(refused.body.detail).toContain("Billing is off");
    const reset = await caller.ask(`/api/migrations/${unpaid}/reset`, { token, body: { confirm: true } });
    expect(reset).toMatchObject({ status: 409, body: { code: "state_conflict" } });
    expect((await caller.ask(`/api/migrations/${unpaid}`, { token })).body.status).toBe("awaiting_payment");
    expect((await place.stored(person, unpaid))?.status?.job).toBeUndefined();

    const made = await caller.ask("/api/migrations", { token, body: place.body() });
    expect(made).toMatchObject({ status: 201, body: { covered_by_plan: true, migration: { status: "pending" } } });
    expect((await caller.ask(`/api/migrations/${doomed}`, { token, method: "DELETE" })).status).toBe(200);
    await place.untilGone(person, doomed);
    await place.endRun(person, paid, "completed");
    expect((await place.stored(person, paid))?.status?.payment).toMatchObject({ state: "authorized" });
    expect(await client.get(kinds.migrations, person.namespace, paid)).toBeDefined();
  } finally {
    caller.close();
  }
});
