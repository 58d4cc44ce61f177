import { afterEach, expect, test } from "vitest";
import type { Lease } from "../resources/objects.ts";
import type { Client } from "./client.ts";
import { ClusterError } from "./errors.ts";
import { microTime, runElection } from "./lease.ts";

/** A store of one Lease with versions, as the API server keeps it. */
function store() {
  let lease: Lease | undefined;
  let version = 0;
  let broken = false;
  const check = () => {
    if (broken) throw new ClusterError("Unreachable", 0, "down");
  };
  const save = (next: Lease): Lease => {
    version += 1;
    lease = { ...next, metadata: { ...next.metadata, resourceVersion: String(version) } };
    return structuredClone(lease);
  };
  const part = {
    async get() {
      check();
      return lease === undefined ? undefined : structuredClone(lease);
    },
    async create(_kind: unknown, next: Lease) {
      check();
      if (lease) throw new ClusterError("AlreadyExists", 409, "there");
      return save(next);
    },
    async update(_kind: unknown, next: Lease) {
      check();
      if (next.metadata.resourceVersion !== lease?.metadata.resourceVersion)
        throw new ClusterError("Conflict", 409, "changed");
      return save(next);
    },
  };
  return {
    client: part as unknown as Client,
    breaks: (now: boolean) => {
      broken = now;
    },
    steal: (holder: string) => save({ ...(lease as Lease), spec: { ...lease?.spec, holderIdentity: holder } }),
    lease: () => lease,
  };
}

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function run(kept: ReturnType<typeof store>, identity: string, duration = 150) {
  const stop = new AbortController();
  stops.push(stop);
  const terms: { began: number; ended?: number }[] = [];
  const ended = runElection({
    client: kept.client,
    namespace: "n",
    name: "l",
    identity,
    duration,
    lead: async (term) => {
      const mine: (typeof terms)[number] = { began: performance.now() };
      terms.push(mine);
      await new Promise<void>((resolve) => term.addEventListener("abort", () => resolve()));
      mine.ended = performance.now();
    },
    now: () => performance.now(),
    wall: () => new Date("2026-01-01T00:00:00Z"),
    random: () => 0.5,
    signal: stop.signal,
    problem: () => {},
  });
  return { terms, stop, ended, leads: () => terms.length > 0 && terms.at(-1)?.ended === undefined };
}

const until = async (what: string, holds: () => boolean) => {
  const deadline = performance.now() + 4000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};

test("a time has microseconds, as a Lease wants it", () => {
  expect(microTime(new Date("2026-01-01T00:00:00.123Z"))).toBe("2026-01-01T00:00:00.123000Z");
});

test("one leads; when it stops in order the other follows at once", async () => {
  const kept = store();
  // So long that only the handing over can explain that b leads within the wait.
  const a = run(kept, "a", 10_000);
  await until("a leads", a.leads);
  const b = run(kept, "b", 10_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(b.leads()).toBe(false);
  a.stop.abort();
  await a.ended;
  expect(kept.lease()?.spec?.holderIdentity).toBe("");
  await until("b leads", b.leads);
  expect(kept.lease()?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
});

test("a leader that cannot renew ends its term before another may begin", async () => {
  const kept = store();
  const a = run(kept, "a", 1500);
  await until("a leads", a.leads);
  const renewed = performance.now();
  kept.breaks(true);
  await until("a has ended", () => !a.leads());
  expect(performance.now() - renewed).toBeLessThan(1500);
  kept.breaks(false);
  await until("a leads again", a.leads);
});

test("a leader whose lease another took ends at once", async () => {
  const kept = store();
  const a = run(kept, "a", 1000);
  await until("a leads", a.leads);
  kept.steal("b");
  await until("a has ended", () => !a.leads());
  expect(kept.lease()?.spec?.holderIdentity).toBe("b");
});

test("a holder that is silent is replaced only after its whole duration, as seen from here", async () => {
  const kept = store();
  const a = run(kept, "a", 300);
  await until("a leads", a.leads);
  kept.steal("ghost");
  await until("a has ended", () => !a.leads());
  const seen = performance.now();
  await until("a leads again", a.leads);
  expect(performance.now() - seen).toBeGreaterThan(200);
});
