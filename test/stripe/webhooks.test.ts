import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { signature } from "../../dev/stripe/webhooks/sign.ts";
import { type Pair, startPair } from "./pair.ts";

const secret = "whsec_test";
let pair: Pair;
let server: Server;
/** Answers of the receiver, the next first; 200 when there are no more. */
let answers: number[];
let received: { type: string; id: string; body: string; header: string }[];

beforeEach(async () => {
  answers = [];
  received = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const { type, id } = JSON.parse(body) as { type: string; id: string };
      received.push({ type, id, body, header: String(request.headers["stripe-signature"]) });
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/stripe`;
  pair = await startPair({ endpoints: [{ id: "we_1", url, events: ["customer.*"], secrets: [secret] }] });
});
afterEach(async () => {
  await pair.close();
  server.close();
});

const until = (count: number): Promise<void> => expect.poll(() => received.length).toBe(count) as Promise<void>;
const pending = () => pair.control<{ id: string; attempt: number; held: boolean; type: string }[]>("/webhooks");
const settled = (): Promise<void> => expect.poll(async () => (await pending()).length).toBe(0) as Promise<void>;
const verify = ({ body, header }: (typeof received)[number]): Stripe.Event =>
  new Stripe("sk_test_0").webhooks.constructEvent(body, header, secret);
const rule = (fields: object): Promise<unknown> => pair.control("/webhooks/rules", fields);

describe("a webhook", () => {
  it("is signed as Stripe's SDK verifies it, also when the clock is far ahead", async () => {
    await pair.control("/clock", { advance: 86_400 * 30 });
    const { id } = await pair.stripe.customers.create({ email: "ä@rowferry.test" });
    await until(1);
    const event = verify(received[0] as (typeof received)[number]);
    expect(event).toMatchObject({ type: "customer.created", data: { object: { id } }, pending_webhooks: 1 });
    await settled();
    expect((await pair.stripe.events.retrieve(event.id)).pending_webhooks).toBe(0);
  });

  it("is signed as the SDK's own generator signs, with each secret of the endpoint", () => {
    const at = 1_700_000_000;
    const header = (key: string): string =>
      new Stripe("sk_test_0").webhooks.generateTestHeaderString({ payload: "{}", secret: key, timestamp: at });
    expect(signature("{}", ["a"], at)).toBe(header("a"));
    expect(signature("{}", ["a", "b"], at)).toBe(`${header("a")},${header("b").split(",")[1]}`);
  });

  it("is sent only for the events that the endpoint wants", async () => {
    await pair.stripe.paymentIntents.create({ amount: 100, currency: "eur" });
    await pair.stripe.customers.create({});
    await until(1);
    expect(received[0]?.type).toBe("customer.created");
  });

  it("is sent again after an error, later and later by the clock, until it is taken", async () => {
    answers = [500, 302];
    await pair.stripe.customers.create({});
    await until(1);
    await expect.poll(async () => (await pending())[0]?.attempt).toBe(2);
    await pair.control("/clock", { advance: 61 });
    await until(2);
    await expect.poll(async () => (await pending())[0]?.attempt).toBe(3);
    await pair.control("/clock", { advance: 301 });
    await until(3);
    await settled();
    expect(new Set(received.map(({ id }) => id)).size).toBe(1);
    const deliveries = (await pair.history()).flatMap((entry) => (entry.kind === "delivery" ? [entry.outcome] : []));
    expect(deliveries).toEqual([500, 302, 200]);
  });

  it("is given up after the last attempt", async () => {
    await pair.control("/settings", { webhookRetrySeconds: [0, 0.05] });
    answers = [500, 500, 500];
    await pair.stripe.customers.create({});
    await until(3);
    await settled();
    expect((await pair.stripe.events.list()).data[0]?.pending_webhooks).toBe(1);
  });

  it("is sent again when nobody listens", async () => {
    server.closeAllConnections();
    const { port } = server.address() as AddressInfo;
    const closed = once(server, "close");
    server.close();
    await closed;
    await pair.stripe.customers.create({});
    await expect.poll(async () => (await pending())[0]?.attempt).toBe(2);
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    await pair.control("/clock", { advance: 61 });
    await until(1);
  });
});

describe("by a rule, a webhook", () => {
  it("is lost for ever", async () => {
    await rule({ kind: "drop" });
    await pair.stripe.customers.create({ name: "lost" });
    await pair.stripe.customers.create({ name: "seen" });
    await until(1);
    expect(received[0]?.body).toContain('"seen"');
    expect(await pending()).toEqual([]);
    const events = await pair.stripe.events.list({ type: "customer.created" });
    expect(events.data).toHaveLength(2);
  });

  it("comes late by the clock", async () => {
    await rule({ kind: "delay", seconds: 3600 });
    await pair.stripe.customers.create({ name: "late" });
    await pair.stripe.customers.create({ name: "seen" });
    await until(1);
    await pair.control("/clock", { advance: 3601 });
    await until(2);
    expect(received[1]?.body).toContain('"late"');
  });

  it("comes twice", async () => {
    await rule({ kind: "duplicate", type: "customer.created" });
    await pair.stripe.customers.create({});
    await until(2);
    expect(received[1]?.id).toBe(received[0]?.id);
  });

  it("is held, and released in any order", async () => {
    await rule({ kind: "hold", times: null });
    const { id } = await pair.stripe.customers.create({});
    await pair.stripe.customers.update(id, { name: "changed" });
    await pair.stripe.customers.del(id);
    const held = await pending();
    expect(held.map(({ type }) => type)).toEqual(["customer.created", "customer.updated", "customer.deleted"]);
    expect(received).toEqual([]);
    await pair.control("/webhooks/release", { ids: held.map((one) => one.id).reverse() });
    expect(received.map(({ type }) => type)).toEqual(["customer.deleted", "customer.updated", "customer.created"]);
    await pair.remove("/webhooks/rules");
    await pair.stripe.customers.create({});
    await until(4);
  });

  it.each(["bad_signature", "old_timestamp"])("has a signature that must be refused: %s", async (kind) => {
    await rule({ kind });
    await pair.stripe.customers.create({});
    await until(1);
    expect(() => verify(received[0] as (typeof received)[number])).toThrow(
      Stripe.errors.StripeSignatureVerificationError,
    );
  });
});

it("an event is sent once more by hand", async () => {
  await pair.stripe.customers.create({});
  await until(1);
  await settled();
  await pair.control(`/events/${received[0]?.id}/resend`, {});
  await until(2);
  expect(received[1]?.id).toBe(received[0]?.id);
});
