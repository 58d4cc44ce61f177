import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../operator/control-plane.ts";
import { silent, startRogue } from "../prober/rogue.ts";
import { type Started, startProber } from "./start.ts";
import { type Person, provided, signUp, startReplica } from "./world.ts";

/** Of the prober, asked through REST: one account's share, whose request it was, and the end of what nobody waits for. */

let prober: Started;
let replica: Awaited<ReturnType<typeof startReplica>>;
let hole: Awaited<ReturnType<typeof startRogue>>;
let ann: Person;
let bob: Person;
let cat: Person;
beforeAll(async () => {
  prober = await startProber(provided.folder, {
    ROWFERRY_PROBER_PATIENCE_SECONDS: "30",
    ROWFERRY_PROBER_TEST_SECONDS: "60",
  });
  [replica, hole, ann, bob, cat] = await Promise.all([
    startReplica({ ROWFERRY_PROBER_URL: `https://localhost:${prober.port}` }),
    startRogue(silent),
    signUp(),
    signUp(),
    signUp(),
  ]);
});
afterAll(async () => {
  hole?.close();
  await prober?.stop("SIGKILL");
});

const logged = () => prober.lines;
const count = async (name: string): Promise<number> => {
  const metrics = await (await fetch(`${prober.health}/metrics`)).text();
  return Number(new RegExp(`^rowferry_prober_${name} (\\d+)$`, "m").exec(metrics)?.[1]);
};
const never = () => ({ url: `mysql://a:b@127.0.0.1:${hole.port}/c` });
const closed = { url: "mysql://a:b@127.0.0.1:1/c" };

test("the request's id is the prober's too", async () => {
  const asked = { token: ann.token, body: closed, headers: { "x-request-id": "from-the-caller:1" } };
  expect((await replica.caller.ask("/api/connections/test", asked)).status).toBe(200);
  await until("the prober's line", () => logged().some((line) => line.request_id === "from-the-caller:1"));
});

test("one account's many probes of silent servers hold back nobody else, and end with their callers", async () => {
  // A place is free when its process is gone, which is after its answer.
  await until("the probe before to be gone", async () => (await count("running")) === 0);
  const before = hole.connections();
  const leaving = Array.from({ length: 4 }, () => new AbortController());
  const many = leaving.map(({ signal }, at) =>
    fetchTest(ann, never(), signal, `of-ann-${at}`).catch((error: unknown) => error),
  );
  await until(
    "two to dial and two to wait",
    async () => hole.connections() === before + 2 && (await count("waiting")) === 2,
  );
  const more = await replica.caller.ask("/api/connections/test", { token: ann.token, body: never() });
  expect(more).toMatchObject({
    status: 503,
    body: { code: "busy", detail: expect.stringContaining("limit of database checks") },
  });
  expect(Number(more.headers["retry-after"])).toBeGreaterThan(0);
  const other = await replica.caller.ask("/api/connections/test", { token: bob.token, body: closed });
  expect(other).toMatchObject({ status: 200, body: { reachable: false, reasons: [{ code: "connection_refused" }] } });
  for (const one of leaving) one.abort();
  await Promise.all(many);
  await until("every probe has ended", () => {
    const ended = new Set(logged().map((line) => line.request_id));
    return [0, 1, 2, 3].every((at) => ended.has(`of-ann-${at}`));
  });
  const again = await replica.caller.ask("/api/connections/test", { token: ann.token, body: closed });
  expect(again.status).toBe(200);
});

test("two accounts' probes of silent servers leave a place for one that has none", async () => {
  await until("the probes before to be gone", async () => (await count("running")) === 0);
  const before = hole.connections();
  const leaving = new AbortController();
  const many = [ann, cat].flatMap((person) =>
    [0, 1].map((at) =>
      fetchTest(person, never(), leaving.signal, `of-two-${person.team}-${at}`).catch((error: unknown) => error),
    ),
  );
  await until(
    "three to dial and one to wait",
    async () => hole.connections() === before + 3 && (await count("waiting")) === 1,
  );
  const other = await replica.caller.ask("/api/connections/test", { token: bob.token, body: closed });
  expect(other).toMatchObject({ status: 200, body: { reachable: false } });
  leaving.abort();
  await Promise.all(many);
});

/** One that its caller may leave. */
async function fetchTest(person: Person, body: object, signal: AbortSignal, id: string): Promise<void> {
  const sent = replica.caller.open("/api/connections/test", {
    token: person.token,
    body,
    headers: { "x-request-id": id },
    signal,
  });
  (await sent).resume();
}
