import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { podRuns, untilPod } from "../operator/kubelet.ts";
import { connectMcp } from "./mcp.ts";
import { type BillingPlace, borrowPlace, type Person } from "./place.ts";

/** Each row of the table of states in interface.md (section 3), by REST and by MCP, with billing on. */

let place: BillingPlace;
beforeAll(async () => {
  place = await borrowPlace({ operator: { ROWFERRY_HOLD_GRACE_HOURS: "1" } });
});
afterAll(() => place?.stop());

interface Created {
  id: string;
  status: string;
  amount?: number;
  checkout_url?: string;
  covered_by_plan?: boolean;
  free?: boolean;
}

/** The verbs of the table, as one of the two interfaces has them. */
interface Driver {
  create(): Promise<Created>;
  status(id: string): Promise<string>;
  /** The link of one that awaits payment. */
  checkout(id: string): Promise<Created>;
  /** Answers the state that it returned, with the link where there is one. */
  retry(id: string): Promise<Created>;
  previewReset(id: string): Promise<void>;
  reset(id: string): Promise<Created>;
  previewDelete(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

const flat = (body: { migration: { id: string; status: string } }): Created => ({ ...body, ...body.migration });

function rest(person: Person): Driver {
  const acted = async (id: string, verb: string, more: object, status: number) => {
    const answer = await place.act(person, id, verb, more);
    expect(answer.status, answer.text).toBe(status);
    return answer.body;
  };
  return {
    create: async () => {
      const answer = await place.create(person);
      expect(answer.status, answer.text).toBe(201);
      return flat(answer.body);
    },
    status: async (id) => (await place.show(person, id)).status,
    checkout: async (id) => flat(await acted(id, "checkout", {}, 200)),
    retry: async (id) => flat(await acted(id, "retry", {}, 202)),
    previewReset: async (id) => expect(await acted(id, "reset", {}, 200)).toHaveProperty("preview"),
    reset: async (id) => flat(await acted(id, "reset", { body: { confirm: true } }, 202)),
    // REST deletes without a preview.
    previewDelete: async () => {},
    remove: async (id) => {
      await acted(id, "delete", {}, 200);
    },
  };
}

async function mcp(person: Person): Promise<Driver> {
  const client = await connectMcp(place, person);
  const call = async (name: string, input: Record<string, unknown>) => {
    const said = await client.call(name, input);
    expect(said.isError, said.text).toBe(false);
    return said;
  };
  const due = async (name: string, input: Record<string, unknown>): Promise<Created> => {
    const { text, data } = await call(name, input);
    if (data.checkout_url !== undefined) {
      expect(text).toContain(data.checkout_url);
      expect(text).toContain("only they can authorize the payment");
    }
    return flat(data);
  };
  return {
    create: () => due("prepare-migration-tool", place.body()),
    status: async (id) => (await call("get-migration-tool", { id })).data.status,
    checkout: (id) => due("retry-migration-tool", { id }),
    retry: (id) => due("retry-migration-tool", { id }),
    previewReset: async (id) =>
      expect((await call("reset-migration-tool", { id })).data).toMatchObject({ done: false, preview: {} }),
    reset: (id) => due("reset-migration-tool", { id, confirm: true }),
    previewDelete: async (id) =>
      expect((await call("delete-migration-tool", { id })).data).toMatchObject({ done: false, preview: {} }),
    remove: async (id) => expect((await call("delete-migration-tool", { id, confirm: true })).data.done).toBe(true),
  };
}

const states = ["awaiting_payment", "pending", "in_progress", "completed", "failed"] as const;

/** The id of a new paid migration in this state. */
async function inState(person: Person, by: Driver, state: (typeof states)[number]): Promise<string> {
  const { id } = await by.create();
  if (state === "awaiting_payment") return id;
  await place.authorize(person, id);
  if (state === "in_progress") {
    const { plane } = place.installation;
    const migration = await place.stored(person, id);
    if (migration === undefined) throw new Error(`${id} is gone`);
    await podRuns(plane, await untilPod(plane, migration, 1));
  }
  if (state === "completed" || state === "failed") await place.endRun(person, id, state);
  if (state === "completed") await place.untilPaid(person, id, "captured");
  await place.untilStatus(person, id, state);
  return id;
}

type Drive = (person: Person) => Driver | Promise<Driver>;

/** Runs it for a paid migration in each state, all at the same time, each of another account. */
async function inEachState(
  drive: Drive,
  then: (by: Driver, id: string, state: (typeof states)[number], person: Person) => Promise<void>,
): Promise<void> {
  await Promise.all(
    states.map(async (state) => {
      const person = await place.paying();
      const by = await drive(person);
      await then(by, await inState(person, by, state), state, person);
    }),
  );
}

describe.each<[string, Drive]>([
  ["REST", rest],
  ["MCP", mcp],
])("%s", (_interface, driver) => {
  test("(new) → awaiting_payment → run starts by itself → completed, and captured", async () => {
    const person = await place.paying();
    const by = await driver(person);
    const made = await by.create();
    expect(made).toMatchObject({ status: "awaiting_payment", amount: 5 });
    expect(made.checkout_url).toContain(place.stripe.url);
    expect(made).not.toHaveProperty("covered_by_plan");
    expect(made).not.toHaveProperty("free");
    // Checkout is started again, and the state stays.
    const again = await by.checkout(made.id);
    expect(again).toMatchObject({ status: "awaiting_payment", checkout_url: made.checkout_url, amount: 5 });
    expect(await by.status(made.id)).toBe("awaiting_payment");
    await place.authorize(person, made.id);
    await place.untilStatus(person, made.id, "pending");
    expect(await by.status(made.id)).toBe("pending");
    expect(await place.act(person, made.id, "checkout")).toMatchObject({
      status: 409,
      body: { code: "nothing_to_pay" },
    });
    await place.endRun(person, made.id, "completed");
    await place.untilPaid(person, made.id, "captured");
    expect(await place.act(person, made.id, "checkout")).toMatchObject({
      body: { code: "nothing_to_pay", detail: "This migration does not await payment. It is completed." },
    });
    expect(await by.status(made.id)).toBe("completed");
  });

  test("(new) → pending, Pro", async () => {
    const person = await place.paying();
    await place.setPlan(person, "pro");
    const made = await (await driver(person)).create();
    expect(made).toMatchObject({ status: "pending", covered_by_plan: true });
    expect(made).not.toHaveProperty("checkout_url");
    expect(made).not.toHaveProperty("free");
    expect((await place.stored(person, made.id))?.spec.payment).not.toHaveProperty("checkout");
  });

  test("(new) → pending, first migration free", async () => {
    const person = await place.signUp();
    const made = await (await driver(person)).create();
    expect(made).toMatchObject({ status: "pending", covered_by_plan: true, free: true });
    expect(made).not.toHaveProperty("checkout_url");
  });

  test("in_progress → failed, not charged; retry → pending on the hold; without a hold → awaiting_payment", async () => {
    const person = await place.paying();
    const by = await driver(person);
    const { id } = await by.create();
    await place.authorize(person, id);
    await place.endRun(person, id, "failed");
    expect(await by.status(id)).toBe("failed");
    expect(await place.show(person, id)).toMatchObject({ cost: 0 });
    const held = await by.retry(id);
    expect(held).toMatchObject({ status: "pending" });
    expect(held).not.toHaveProperty("checkout_url");
    await place.endRun(person, id, "failed");
    await place.control(`/payment_intents/${(await place.stored(person, id))?.status?.payment?.intent}/cancel`);
    const due = await by.retry(id);
    expect(due).toMatchObject({ status: "awaiting_payment", amount: 5 });
    expect(due.checkout_url).toContain(place.stripe.url);
  });

  test("pending → in_progress → completed", async () => {
    const person = await place.paying();
    const by = await driver(person);
    const id = await inState(person, by, "in_progress");
    expect(await by.status(id)).toBe("in_progress");
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    expect(await by.status(id)).toBe("completed");
  });

  test("any → reset: previews, then cleans and runs again; awaiting_payment stays", async () => {
    await inEachState(driver, async (by, id, state) => {
      await by.previewReset(id);
      expect(await by.status(id), state).toBe(state);
      const reset = await by.reset(id);
      expect(reset.status, state).toBe(state === "awaiting_payment" ? state : "pending");
      if (state === "awaiting_payment") expect(reset.checkout_url).toContain(place.stripe.url);
      else expect(reset, state).not.toHaveProperty("checkout_url");
    });
  });

  test("any → delete: previews, then removes it", async () => {
    await inEachState(driver, async (by, id, state, person) => {
      await by.previewDelete(id);
      expect(await by.status(id), state).toBe(state);
      await by.remove(id);
      expect((await place.ask(`/api/migrations/${id}`, { token: person.token })).status, state).toBe(404);
      await place.untilGone(person, id);
    });
  });
});

test("no REST operation and no tool can authorize a payment", async () => {
  const person = await place.paying();
  const { id } = (await place.create(person)).body.migration;
  for (const verb of ["authorize", "pay", "capture", "confirm"])
    expect((await place.act(person, id, verb)).status).toBe(404);
  const patched = await place.ask(`/api/migrations/${id}`, { token: person.token, method: "PATCH", body: {} });
  expect([404, 405]).toContain(patched.status);
  const body = { ...place.body(), payment: { by: "plan" } };
  expect((await place.create(person, { body })).status).toBe(422);
  expect((await place.show(person, id)).status).toBe("awaiting_payment");
});
