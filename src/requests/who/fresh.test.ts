import { describe, expect, it } from "vitest";
import type { Client } from "../../cluster/index.ts";
import type { KubeObject } from "../../resources/objects.ts";
import { createFresh } from "./fresh.ts";

/** One Account, whose reads take as long as told. */
function cluster() {
  const state = { now: 0, reads: 0, took: 0, object: undefined as KubeObject | undefined, broken: false };
  const client = {
    async get() {
      state.reads += 1;
      if (state.broken) throw new Error("down");
      const seen = state.object;
      state.now += state.took;
      return seen;
    },
  } as unknown as Client;
  return { state, fresh: createFresh(client, () => state.now) };
}
const object = (version: string, more: object = {}): KubeObject => ({
  metadata: { name: "a", resourceVersion: version, ...more },
});

describe("what was read", () => {
  it("is believed for a second and not longer", async () => {
    const { state, fresh } = cluster();
    state.object = object("1");
    expect((await fresh.account("a"))?.metadata.resourceVersion).toBe("1");
    state.object = object("2");
    state.now = 1000;
    expect((await fresh.account("a"))?.metadata.resourceVersion).toBe("1");
    state.now = 1001;
    expect((await fresh.account("a"))?.metadata.resourceVersion).toBe("2");
    expect(state.reads).toBe(2);
  });
  it("is counted from before the read was sent, not from its answer", async () => {
    const { state, fresh } = cluster();
    state.took = 900;
    state.object = object("1");
    await fresh.account("a");
    state.object = object("2");
    state.now = 1100;
    expect((await fresh.account("a"))?.metadata.resourceVersion).toBe("2");
  });
  it("is refused when each read takes longer than it may be believed", async () => {
    const { state, fresh } = cluster();
    state.took = 1001;
    await expect(fresh.account("a")).rejects.toMatchObject({ code: "unavailable" });
  });
  it("is kept too where there is nothing", async () => {
    const { state, fresh } = cluster();
    expect(await fresh.token("1")).toBeUndefined();
    expect(await fresh.token("1")).toBeUndefined();
    expect(state.reads).toBe(1);
  });
  it("is nothing while it is being deleted", async () => {
    const { state, fresh } = cluster();
    state.object = object("1", { deletionTimestamp: "2030-01-31T12:00:00Z" });
    expect(await fresh.team("a")).toBeUndefined();
  });
  it("is not a failure: the next call asks again", async () => {
    const { state, fresh } = cluster();
    state.broken = true;
    await expect(fresh.account("a")).rejects.toThrow("down");
    state.broken = false;
    state.object = object("1");
    expect(await fresh.account("a")).toBeDefined();
  });
});

it("a hundred calls at once are one read", async () => {
  const { state, fresh } = cluster();
  await Promise.all(Array.from({ length: 100 }, () => fresh.account("a")));
  expect(state.reads).toBe(1);
});

it("a replica believes nothing any more when a write has waited", async () => {
  const { state, fresh } = cluster();
  state.object = object("1");
  await fresh.account("a");
  state.object = undefined;
  state.now = fresh.believed;
  expect(await fresh.account("a")).toBeUndefined();
});
