import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import Stripe from "stripe";
import { afterEach, expect, it } from "vitest";
import { openStore } from "../../dev/stripe/state/store.ts";
import { holdParams } from "./orders.ts";

const root = resolve(import.meta.dirname, "../..");
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
});

interface Started {
  child: ChildProcess;
  stripe: Stripe;
  control: string;
}

/** The command, as a person or the demo starts it. */
const start = async (...options: string[]): Promise<Started> => {
  const child = spawn(process.execPath, [join(root, "dev/stripe/index.ts"), ...options], { cwd: root });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  const { url, control, key } = JSON.parse(String(value)) as { url: string; control: string; key: string };
  const { hostname, port } = new URL(url);
  return { child, control, stripe: new Stripe(key, { host: hostname, port, protocol: "http", maxNetworkRetries: 0 }) };
};

const kill = async ({ child }: Started, signal: NodeJS.Signals): Promise<unknown[]> => {
  const ended = once(child, "exit");
  child.kill(signal);
  return ended;
};

const post = (started: Started, path: string, body = {}): Promise<Response> =>
  fetch(`${started.control}${path}`, { method: "POST", body: JSON.stringify(body) });

it("a simulator that was killed goes on where it was: objects, keys, clock, faults, settings, webhooks and history", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "rowferry-stripe-")), "state.jsonl");
  const first = await start("--file", file, "--webhook", "http://127.0.0.1:9/webhooks/stripe");
  await post(first, "/clock", { advance: 86_400 });
  const again = { idempotencyKey: "once" };
  const session = await first.stripe.checkout.sessions.create(holdParams(), again);
  await post(first, `/sessions/${session.id}/authorize`);
  await post(first, "/faults", { kind: "reset", path: "/v1/charges", times: null });
  await post(first, "/settings", { holdSeconds: 3600 });
  const before = await (await fetch(`${first.control}/history`)).json();
  await kill(first, "SIGKILL");

  const second = await start("--file", file);
  const replayed = await second.stripe.checkout.sessions.create(holdParams(), again);
  expect(replayed.id).toBe(session.id);
  expect(replayed.lastResponse.headers["idempotent-replayed"]).toBe("true");
  const { payment_intent, status } = await second.stripe.checkout.sessions.retrieve(session.id);
  expect(status).toBe("complete");
  expect((await second.stripe.paymentIntents.capture(payment_intent as string)).status).toBe("succeeded");
  await expect(second.stripe.charges.list()).rejects.toMatchObject({ type: "StripeConnectionError" });
  const after = (await (await fetch(`${second.control}/history`)).json()) as unknown[];
  expect(after.slice(0, (before as unknown[]).length)).toEqual(before);
  const settings = (await (await post(second, "/settings")).json()) as { holdSeconds: number };
  expect(settings.holdSeconds).toBe(3600);
  const { now } = (await (await fetch(`${second.control}/clock`)).json()) as { now: number };
  expect(now).toBeGreaterThan(Date.now() / 1000 + 86_000);
  const waiting = (await (await fetch(`${second.control}/webhooks`)).json()) as { type: string }[];
  expect(waiting.map(({ type }) => type)).toContain("checkout.session.completed");
  expect(await kill(second, "SIGTERM")).toEqual([0, null]);
});

it("a file whose last line was cut off by a kill loses only that line", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "rowferry-stripe-")), "state.jsonl");
  const store = openStore(file);
  store.set("things", "a", { id: "a" });
  store.set("things", "b", { id: "b" });
  store.commit();
  store.set("things", "a", undefined);
  store.commit();
  appendFileSync(file, '[["things","c",{"id"');
  for (const _start of [1, 2]) expect(openStore(file).all("things")).toEqual([{ id: "b" }]);
});
