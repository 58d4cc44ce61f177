import { describe, expect, test } from "vitest";
import { ClusterError } from "../../../cluster/index.ts";
import type { Team } from "../../../resources/team.ts";
import { Problem } from "../../errors.ts";
import type { Caller, World } from "../../world.ts";
import { whenReady } from "../namespace.ts";
import { untilCached } from "./wait-for-cache.ts";

/** What a verb waits for, by a clock that only its own pauses move. */

const teamWith = (namespace?: string): Team => ({
  metadata: { name: "t1" },
  spec: { title: "One", members: [{ account: "a1", role: "owner" }] },
  ...(namespace === undefined ? {} : { status: { namespace } }),
});

function waiting(namespaceFrom: number) {
  const clock = { now: 0 };
  const world: Pick<World, "pause" | "randomBytes"> & { fresh: Pick<World["fresh"], "team"> } = {
    async pause(milliseconds) {
      clock.now += milliseconds;
    },
    randomBytes: () => new Uint8Array([128]),
    fresh: { team: async () => teamWith(clock.now >= namespaceFrom ? "rowferry-t1" : undefined) },
  };
  return { clock, world };
}

const caller: Pick<Caller, "team"> = { team: teamWith() };
const refused = (code: string) => new ClusterError(code, 403, "said the API server");

describe("a create in a team's namespace", () => {
  test.each([
    ["waits until the namespace is there", 3000, []],
    ["comes again while the rights are not known to the API server", 0, ["Forbidden", "Forbidden"]],
    ["comes again while the namespace is not known to the API server", 0, ["NotFound"]],
    ["comes again when others counted in the quota at once", 0, ["Conflict", "Conflict", "Conflict"]],
  ])("%s", async (_what, from, refusals) => {
    const { clock, world } = waiting(from);
    const left = [...refusals];
    const made = await whenReady(world, caller, async (namespace) => {
      const refusal = left.shift();
      if (refusal !== undefined) throw refused(refusal);
      return `made in ${namespace}`;
    });
    expect(made).toBe("made in rowferry-t1");
    expect(clock.now).toBeLessThan(from + 2000);
  });

  test.each([
    ["a namespace that does not come", Number.POSITIVE_INFINITY, "Forbidden", "unavailable"],
    ["rights that do not come", 0, "Forbidden", "unavailable"],
    ["a quota that is always counted in by others", 0, "Conflict", "busy"],
  ])("gives up on %s, and says when to come again", async (_what, from, refusal, code) => {
    const { clock, world } = waiting(from);
    const failure = await whenReady(world, caller, async () => {
      throw refused(refusal);
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Problem);
    expect(failure).toMatchObject({ code, status: 503, retryAfter: 2 });
    expect(clock.now).toBeLessThan(11_000);
  });

  test("does not wait where another try would end alike", async () => {
    const { clock, world } = waiting(0);
    const refusal = new ClusterError("Invalid", 422, "no");
    const failure = await whenReady(world, { team: teamWith("rowferry-t1") }, async () => {
      throw refusal;
    }).catch((error: unknown) => error);
    expect(failure).toBe(refusal);
    expect(clock.now).toBe(0);
  });
});

describe("a write", () => {
  test("answers once the cache has it, and at once where it has it already", async () => {
    const { clock, world } = waiting(0);
    await untilCached(world, () => clock.now >= 30);
    expect(clock.now).toBeLessThan(100);
    const before = clock.now;
    await untilCached(world, () => true);
    expect(clock.now).toBe(before);
  });

  test("answers all the same when the cache does not come", async () => {
    const { clock, world } = waiting(0);
    await untilCached(world, () => false);
    expect(clock.now).toBeGreaterThanOrEqual(2000);
    expect(clock.now).toBeLessThan(2200);
  });
});
