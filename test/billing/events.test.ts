import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signature } from "../../dev/stripe/webhooks/sign.ts";
import { kinds } from "../../src/resources/objects.ts";
import { paymentHint } from "../../src/resources/payment.ts";
import { until } from "../operator/control-plane.ts";
import { type BillingPlace, borrowPlace, type Person, webhookSecret } from "./place.ts";
import { relayWebhooks } from "./webhooks.ts";

/** Stripe's events on their real path, at two replicas of the API. An event is a hint: Stripe's state decides. */

let place: BillingPlace;
let webhooks: Awaited<ReturnType<typeof relayWebhooks>>;

beforeAll(async () => {
  place = await borrowPlace({ replicas: 2 });
  webhooks = await relayWebhooks(place);
});
afterAll(async () => {
  await webhooks?.stop();
  await place?.stop();
});

async function awaiting(): Promise<{ person: Person; id: string; session: string }> {
  const person = await place.paying();
  const { id } = (await place.create(person)).body.migration;
  return { person, id, session: await place.sessionOf(person, id) };
}

/** Milliseconds from the authorization until the API shows that the run starts. */
async function untilStarted(person: Person, id: string, authorize: () => Promise<unknown>): Promise<number> {
  await authorize();
  const begun = performance.now();
  await place.untilStatus(person, id, "pending");
  return performance.now() - begun;
}

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);
const authorizing = (session: string) => () => place.control(`/sessions/${session}/authorize`);
const rule = (input: object) => place.control("/webhooks/rules", input);
const noRules = () => fetch(`${place.stripe.control}/webhooks/rules`, { method: "DELETE" });
const read = async <T>(path: string): Promise<T> => (await (await fetch(`${place.stripe.control}${path}`)).json()) as T;
const pending = () => read<{ id: string; type: string; held: boolean }[]>("/webhooks");

describe("from the authorization to the start", () => {
  test("by webhook", async () => {
    const taken: number[] = [];
    for (let at = 0; at < 5; at += 1) {
      const { person, id, session } = await awaiting();
      taken.push(await untilStarted(person, id, authorizing(session)));
    }
    console.log(`Started after an authorization, by webhook: ${taken.map(seconds).join(", ")} s`);
  });

  test("by polling alone", async () => {
    await rule({ kind: "drop", times: null });
    try {
      const taken: number[] = [];
      for (let at = 0; at < 3; at += 1) {
        const { person, id, session } = await awaiting();
        taken.push(await untilStarted(person, id, authorizing(session)));
      }
      console.log(`Started after an authorization, by polling alone: ${taken.map(seconds).join(", ")} s`);
    } finally {
      await noRules();
    }
  });

  test("by polling alone, at a page that has been open for 23 hours", async () => {
    await rule({ kind: "drop", times: null });
    try {
      const { person, id, session } = await awaiting();
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      await place.installation.plane.admin.client.mergePatch(kinds.migrations, person.namespace, id, {
        spec: { payment: { checkout: { expiresAt } } },
      });
      await until("a look", async () => (await place.stored(person, id))?.status?.payment !== undefined);
      const taken = await untilStarted(person, id, authorizing(session));
      console.log(`Started after an authorization, by polling alone, 23 hours after the create: ${seconds(taken)} s`);
    } finally {
      await noRules();
    }
  });
});

describe("webhooks", () => {
  test("doubled: one run, one capture", async () => {
    await rule({ kind: "duplicate", times: null });
    try {
      const { person, id, session } = await awaiting();
      await untilStarted(person, id, authorizing(session));
      await place.endRun(person, id, "completed");
      await place.untilPaid(person, id, "captured");
      await place.untilShown(person, id, { status: "completed", cost: 5 });
      expect((await place.stored(person, id))?.status?.run).toBe(1);
    } finally {
      await noRules();
    }
  });

  test("late and in the reverse order: they change nothing that Stripe does not confirm", async () => {
    await rule({ kind: "hold", times: null });
    const { person, id, session } = await awaiting();
    await untilStarted(person, id, authorizing(session));
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    await noRules();
    const held = (await pending()).filter((one) => one.held).map((one) => one.id);
    expect(held.length).toBeGreaterThan(1);
    await place.control("/webhooks/release", { ids: held.toReversed() });
    await until("no held webhooks", async () => (await pending()).length === 0);
    const { payment } = (await place.stored(person, id))?.status ?? {};
    expect(payment).toMatchObject({ state: "captured", captured: 500 });
    await place.untilShown(person, id, { status: "completed", cost: 5 });
  });

  test.each(["bad_signature", "old_timestamp"])("with %s: refused, and polling finds the hold", async (kind) => {
    await rule({ kind, times: null });
    try {
      const { person, id, session } = await awaiting();
      await untilStarted(person, id, authorizing(session));
      const history = await read<{ kind: string; outcome?: unknown }[]>("/history");
      expect(history.findLast((entry) => entry.kind === "delivery")?.outcome).toBe(422);
    } finally {
      await noRules();
    }
  });
});

describe("a request to the endpoint", () => {
  const event = (about: object) =>
    JSON.stringify({
      ...{ id: "evt_test", object: "event", type: "checkout.session.completed", api_version: "2025-01-01" },
      data: { object: { id: "cs_test", object: "checkout.session", metadata: about } },
    });
  const now = () => Math.floor(Date.now() / 1000);
  const send = (body: string | Buffer, signed: string | undefined, replica = 0) =>
    place.ask(
      "/webhooks/stripe",
      { raw: body, headers: signed === undefined ? {} : { "stripe-signature": signed } },
      replica,
    );
  const about = (person: Person, id: string, installation: string) => ({
    ...{ installation, namespace: person.namespace, migration: id, checkout: "1" },
  });

  test.each<[string, (body: string) => string | undefined]>([
    ["no signature", () => undefined],
    ["a signature of another secret", (body) => signature(body, ["whsec_other"], now())],
    ["a signature of another body", () => signature("{}", [webhookSecret], now())],
    ["a signature that is 6 minutes old", (body) => signature(body, [webhookSecret], now() - 360)],
    ["text in place of a signature", () => "t=now,v1=zz"],
  ])("with %s is refused on every replica", async (_what, sign) => {
    const { person, id } = await awaiting();
    const { installation } = await metadataOf(person, id);
    const body = event(about(person, id, installation));
    for (const replica of [0, 1]) expect((await send(body, sign(body), replica)).status).toBe(422);
    expect((await place.stored(person, id))?.metadata.annotations?.[paymentHint]).not.toBe("evt_test");
  });

  test("with a body above 1 MiB is refused, however it is signed", async () => {
    const body = "x".repeat((1 << 20) + 1);
    expect((await send(body, signature(body, [webhookSecret], now()))).status).toBe(413);
  });

  test("about this migration is a hint, at any replica, and starts nothing by itself", async () => {
    const { person, id } = await awaiting();
    const { installation } = await metadataOf(person, id);
    const body = event(about(person, id, installation));
    expect((await send(body, signature(body, [webhookSecret], now()), 1)).status).toBe(204);
    await until("the look", async () => (await place.stored(person, id))?.status?.payment?.hint === "evt_test");
    expect((await place.show(person, id)).status).toBe("awaiting_payment");
  });

  test("about another installation, an absent migration or a foreign namespace is taken and ignored", async () => {
    const { person, id } = await awaiting();
    const { installation } = await metadataOf(person, id);
    const absent = "00000000-0000-4000-8000-000000000000";
    const others = [
      about(person, id, "elsewhere"),
      about(person, absent, installation),
      { ...about(person, id, installation), namespace: "kube-system" },
      { ...about(person, id, installation), migration: 7 },
      {},
    ];
    for (const one of others) {
      const body = event(one);
      expect((await send(body, signature(body, [webhookSecret], now()))).status, body).toBe(204);
    }
    expect((await place.stored(person, id))?.metadata.annotations?.[paymentHint]).not.toBe("evt_test");
    expect(await place.stored(person, absent)).toBeUndefined();
  });

  const metadataOf = async (person: Person, id: string): Promise<{ installation: string }> =>
    (await place.atStripe(`checkout/sessions/${await place.sessionOf(person, id)}`)).metadata;
});
