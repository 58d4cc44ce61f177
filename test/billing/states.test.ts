import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectTo, type McpClient } from "../mcp/connect.ts";
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
  const by = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { method = "GET", body } = init;
    const { status, headers, text } = await place.ask(new URL(url instanceof Request ? url.url : url).pathname, {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" ? { raw: body } : {}),
    });
    const flatHeaders = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(text === "" ? null : text, { status, headers: flatHeaders });
  };
  const url = new URL("/mcp-migrations", place.installation.place.baseUrl);
  const client: McpClient = await connectTo(url, person.token, by);
  const call = async (name: string, input: Record<string, unknown>) => {
    const said = await client.call(name, input);
    expect(said.isError, said.text).toBe(false);
    return said;
  };
  const due = async (name: string, input: Record<string, unknown>): Promise<Created> => {
    const { text, data } = await call(name, input);
    if (data.checkout_url !== undefined) {
      expect(text).toContain(data.checkout_url);
      expect(text).toContain("you cannot pay");
    }
    return flat(data);
  };
  return {
    create: () => due("prepare-migration-tool", place.body()),
    status: async (id) => (await call("get-migration-tool", { id })).data.status,
    retry: (id) => due("retry-migration-tool", { id }),
    previewReset: async (id) =>
      expect((await call("reset-migration-tool", { id })).data).toMatchObject({ done: false, preview: {} }),
    reset: (id) => due("reset-migration-tool", { id, confirm: true }),
    previewDelete: async (id) =>
      expect((await call("delete-migration-tool", { id })).data).toMatchObject({ done: false, preview: {} }),
    remove: async (id) => expect((await call("delete-migration-tool", { id, confirm: true })).data.done).toBe(true),
  };
}

describe.each<[string, (person: Person) => Driver | Promise<Driver>]>([
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
    const again = await place.act(person, made.id, "checkout");
    expect(again).toMatchObject({ status: 200, body: { checkout_url: made.checkout_url, amount: 5 } });
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

  test("any → reset: previews, then cleans and runs again; awaiting_payment stays", async () => {
    const person = await place.paying();
    const by = await driver(person);
    const made = await by.create();
    await by.previewReset(made.id);
    expect(await by.reset(made.id)).toMatchObject({ status: "awaiting_payment", checkout_url: made.checkout_url });
    await place.authorize(person, made.id);
    await place.endRun(person, made.id, "completed");
    await place.untilPaid(person, made.id, "captured");
    await by.previewReset(made.id);
    expect(await by.status(made.id)).toBe("completed");
    const reset = await by.reset(made.id);
    expect(reset).toMatchObject({ status: "pending" });
    expect(reset).not.toHaveProperty("checkout_url");
  });

  test("any → delete: removed", async () => {
    const person = await place.paying();
    const by = await driver(person);
    const { id } = await by.create();
    await by.previewDelete(id);
    expect(await by.status(id)).toBe("awaiting_payment");
    await by.remove(id);
    expect((await place.ask(`/api/migrations/${id}`, { token: person.token })).status).toBe(404);
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
