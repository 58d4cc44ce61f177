import { describe, expect, it } from "vitest";
import { ClusterError } from "../../cluster/index.ts";
import { type ConfigMap, kinds } from "../../resources/objects.ts";
import type { World } from "../world.ts";
import { createWritten } from "./written.ts";

/** The note in a cluster whose reads and writes the test counts and breaks. */
function scene(data: Record<string, string> | undefined = { since: "1" }) {
  const state = {
    map: { metadata: { name: "n", resourceVersion: "1" }, data } as ConfigMap | undefined,
    reads: 0,
    writes: 0,
    /** What another replica does between a read and a write, once. */
    meanwhile: undefined as (() => void) | undefined,
    error: undefined as Error | undefined,
  };
  const other = (more: Record<string, string>) => {
    const version = Number(state.map?.metadata.resourceVersion) + 1;
    state.map = {
      metadata: { name: "n", resourceVersion: String(version) },
      data: { ...state.map?.data, ...more },
    };
  };
  const client = {
    async get() {
      state.reads += 1;
      if (state.error) throw state.error;
      return state.map;
    },
    async update(_kind: unknown, next: ConfigMap) {
      state.meanwhile?.();
      state.meanwhile = undefined;
      if (next.metadata.resourceVersion !== state.map?.metadata.resourceVersion)
        throw new ClusterError("Conflict", 409, "somebody was faster");
      state.writes += 1;
      other(next.data ?? {});
      return state.map;
    },
  } as unknown as World["client"];
  const written = createWritten({
    client,
    pause: async () => {},
    randomBytes: (count) => new Uint8Array(count),
    settings: { namespace: "home" },
  });
  return { state, other, written };
}

/** The least of every kind, and the Teams' own. */
const all = (least: bigint, teams: bigint) =>
  new Map(
    [kinds.accounts, kinds.teams, kinds.tokens, kinds.migrations].map(({ plural }) => [
      plural,
      plural === "teams" ? teams : least,
    ]),
  );

describe("the note", () => {
  it.each<[string, Record<string, string> | undefined, Map<string, bigint> | undefined]>([
    ["says of each kind what was written since it was made", { since: "5", teams: "7", accounts: "4" }, all(5n, 7n)],
    [
      "of versions above what a double holds",
      { since: "9007199254740992", teams: "9007199254740993" },
      all(9007199254740992n, 9007199254740993n),
    ],
    ["of nothing, which is new, says nothing", {}, undefined],
    ["without data says nothing", undefined, undefined],
    ["that does not say since when says nothing", { teams: "7" }, undefined],
    ["of what is no version says nothing", { since: "5", teams: "7", accounts: "x" }, undefined],
    ["of a version that is empty says nothing", { since: "5", teams: "" }, undefined],
    ["of a negative version says nothing", { since: "5", teams: "-1" }, undefined],
  ])("%s", async (_what, data, versions) => {
    const { state, written } = scene();
    if (state.map) state.map = data === undefined ? { metadata: state.map.metadata } : { ...state.map, data };
    expect(await written.read()).toEqual(versions);
  });
  it("that is not there, or may not be read, says nothing; a cluster that does not answer is a failure", async () => {
    const { state, written } = scene();
    state.map = undefined;
    expect(await written.read()).toBeUndefined();
    state.error = new ClusterError("Forbidden", 403, "no");
    expect(await written.read()).toBeUndefined();
    state.error = new ClusterError("Unreachable", 0, "down");
    await expect(written.read()).rejects.toThrow("down");
  });
});

describe("a note that was deleted and made anew", () => {
  it("says nothing until it has its own version, which every cache must have reached", async () => {
    const { state, written } = scene();
    await written.raise(kinds.tokens, "70");
    state.map = { metadata: { name: "n", resourceVersion: "90" } };
    expect(await written.read()).toBeUndefined();
    await expect.poll(() => state.map?.data).toEqual({ since: "90", apitokens: "70" });
    expect((await written.read())?.get("apitokens")).toBe(90n);
    expect((await written.read())?.get("teams")).toBe(90n);
    expect(state.writes).toBe(2);
  });
  it("keeps what another replica wrote there first", async () => {
    const { state, other, written } = scene({});
    state.meanwhile = () => other({ since: "1", teams: "2" });
    await written.read();
    await expect.poll(() => state.meanwhile).toBeUndefined();
    expect(await written.read()).toEqual(all(1n, 2n));
    expect(state.writes).toBe(0);
  });
});

describe("raising it", () => {
  it("keeps the higher one, whoever wrote it and in whatever order", async () => {
    const { state, written } = scene({ since: "1", teams: "100" });
    await written.raise(kinds.teams, "99");
    expect(state.writes).toBe(0);
    await written.raise(kinds.teams, "101");
    await written.raise(kinds.accounts, "7");
    await written.raise(kinds.teams, "100");
    expect(state.map?.data).toEqual({ since: "1", teams: "101", accounts: "7" });
  });
  it("compares numbers and not texts", async () => {
    const { state, written } = scene({ since: "1", teams: "99" });
    await written.raise(kinds.teams, "100");
    expect(state.map?.data).toEqual({ since: "1", teams: "100" });
  });
  it("goes on from what another replica wrote in between", async () => {
    const { state, other, written } = scene();
    state.meanwhile = () => other({ teams: "50", apitokens: "9" });
    await written.raise(kinds.teams, "40");
    expect(state.map?.data).toEqual({ since: "1", teams: "50", apitokens: "9" });
    state.meanwhile = () => other({ teams: "55" });
    await written.raise(kinds.teams, "60");
    expect(state.map?.data).toEqual({ since: "1", teams: "60", apitokens: "9" });
  });
  it("of many at once takes two writes, and each is answered only when the note has its own", async () => {
    const { state, written } = scene();
    const all = Array.from({ length: 50 }, async (_, at) => {
      await written.raise(kinds.accounts, String(at + 1));
      expect(Number(state.map?.data?.accounts)).toBeGreaterThan(at);
    });
    await Promise.all(all);
    expect(state.writes).toBeLessThanOrEqual(2);
  });
  it("fixes what is no version", async () => {
    const { state, written } = scene({ since: "1", teams: "x" });
    await written.raise(kinds.teams, "5");
    expect(state.map?.data).toEqual({ since: "1", teams: "5" });
  });
  it("does nothing where there is no note, and fails for what is no version; the next one is as good as ever", async () => {
    const { state, written } = scene();
    const { map } = state;
    state.map = undefined;
    await expect(written.raise(kinds.teams, "5")).resolves.toBeUndefined();
    state.map = map;
    await expect(written.raise(kinds.teams, "x")).rejects.toThrow("no number");
    await written.raise(kinds.accounts, "6");
    // What failed is made good by the way.
    expect(state.map?.data).toEqual({ since: "1", teams: "5", accounts: "6" });
  });
});
