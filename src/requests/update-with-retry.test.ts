import { describe, expect, it } from "vitest";
import { type Client, ClusterError } from "../cluster/index.ts";
import { type KubeObject, kinds } from "../resources/objects.ts";
import { change } from "./update-with-retry.ts";

type Counter = KubeObject & { data?: Record<string, string> };

/** One object with versions, as the API server keeps it; `meanwhile` runs before each update. */
function store(object: Counter | undefined, meanwhile: (times: number) => void = () => {}) {
  const state = { object, version: 1, updates: 0, pauses: 0 };
  const versioned = () =>
    state.object && {
      ...state.object,
      metadata: { ...state.object.metadata, resourceVersion: String(state.version) },
    };
  const client = {
    get: async () => versioned(),
    async update(_kind: unknown, next: Counter) {
      state.updates += 1;
      meanwhile(state.updates);
      if (state.object === undefined) throw new ClusterError("NotFound", 404, "gone", { absent: true });
      if (next.metadata.resourceVersion !== String(state.version)) throw new ClusterError("Conflict", 409, "changed");
      state.object = next;
      state.version += 1;
      return versioned();
    },
  } as unknown as Client;
  const world = {
    client,
    randomBytes: (count: number) => new Uint8Array(count),
    async pause() {
      state.pauses += 1;
    },
  };
  const add = (found: Counter): Counter => ({ ...found, data: { count: String(Number(found.data?.count ?? 0) + 1) } });
  return {
    state,
    run: (edit: (found: Counter) => Counter | undefined = add) => change(world, kinds.configMaps, "n", "c", edit),
  };
}
const object = (): Counter => ({ metadata: { name: "c" } });

describe("a change", () => {
  it("is made on what is there, and answers what is there then", async () => {
    expect((await store(object()).run())?.data).toEqual({ count: "1" });
  });
  it("begins anew on what another made of it meanwhile", async () => {
    const { state, run } = store(object(), (times) => {
      if (times > 3) return;
      state.object = { ...object(), data: { count: String(times * 10) } };
      state.version += 1;
    });
    expect((await run())?.data).toEqual({ count: "31" });
    expect(state.pauses).toBe(3);
  });
  it("that is none writes nothing", async () => {
    const { state, run } = store(object());
    expect(await run(() => undefined)).toBeDefined();
    expect(state.updates).toBe(0);
  });
  it("of what is not there, or goes meanwhile, answers that there is nothing", async () => {
    expect(await store(undefined).run()).toBeUndefined();
    const { state, run } = store(object(), () => {
      state.object = undefined;
    });
    expect(await run()).toBeUndefined();
  });
  it("that others are always faster than is refused as busy", async () => {
    const { state, run } = store(object(), () => {
      state.version += 1;
    });
    await expect(run()).rejects.toMatchObject({ code: "busy" });
  });
  it("that the caller refuses is not tried again", async () => {
    const { state, run } = store(object());
    const refuse = () => {
      throw new Error("no");
    };
    await expect(run(refuse)).rejects.toThrow("no");
    expect(state.updates).toBe(0);
  });
});
