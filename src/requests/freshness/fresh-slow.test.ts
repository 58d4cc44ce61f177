import { describe, expect, it } from "vitest";
import { cluster, object, shown } from "../../../test/support/requests/fresh-scene.ts";

describe("a cluster that is slow", () => {
  it("is not asked again for an answer that came too late to be believed: the call is refused", async () => {
    const { state, fresh } = cluster();
    state.took = 1001;
    await expect(fresh.account("a")).rejects.toMatchObject({ code: "unavailable", retryAfter: 2 });
    expect(state.reads).toBe(1);
  });
  it("has one read of an object on its way for all who come, who are refused in time", async () => {
    const { state, fresh, pass } = cluster();
    state.held = [];
    const outcomes: Promise<string>[] = [];
    const ask = () =>
      outcomes.push(
        fresh.account("a").then(
          () => "answered",
          ({ code }: { code: string }) => `${code} at ${state.now}`,
        ),
      );
    for (let count = 0; count < 100; count += 1) ask();
    await pass(1100);
    ask();
    await pass(900);
    ask();
    await pass(0);
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["unavailable at 1100", "unavailable at 2000"]));
    expect(state.reads).toBe(1);
    // What does not end for so long may be lost: another one is begun.
    await pass(1001);
    state.held = undefined;
    state.object = object("1");
    expect(shown(await fresh.account("a"))).toBe("1");
  });
  it("is asked for the note once a second for all calls, which are refused after three, and for nothing else", async () => {
    const { state, fresh, pass } = cluster();
    state.noteHeld = [];
    const all = Array.from({ length: 50 }, (_, at) =>
      fresh.team(`t${at}`).catch(({ code }: { code: string }) => `${code} at ${state.now}`),
    );
    for (let waited = 0; waited < 4; waited += 1) await pass(1100);
    expect(new Set(await Promise.all(all))).toEqual(new Set(["unavailable at 3300"]));
    expect(state).toMatchObject({ reads: 0, noteReads: 3 });
  });
  it("that is well again answers who waited for the note", async () => {
    const { state, fresh, pass, watched } = cluster();
    watched(5n, object("5"));
    state.noteHeld = [];
    const found = fresh.account("a");
    await pass(0);
    state.noteHeld = undefined;
    await pass(1100);
    expect(shown(await found)).toBe("5");
  });
  it("that fails is a failure at once", async () => {
    const { state, fresh } = cluster();
    state.noteBroken = true;
    await expect(fresh.account("a")).rejects.toThrow("down");
    expect(state).toMatchObject({ reads: 0, noteReads: 1 });
  });
  it("has so many live reads at the same time and no more", async () => {
    const { state, fresh, settle, pass } = cluster();
    const held: (() => void)[] = [];
    state.held = held;
    const all = Array.from({ length: 100 }, (_, at) =>
      fresh.team(`t${at}`).then(
        () => "",
        () => "refused",
      ),
    );
    await settle();
    expect(state.reads).toBe(48);
    for (const answer of held) answer();
    expect((await Promise.all(all)).filter((one) => one === "refused")).toHaveLength(52);
    state.held = undefined;
    await pass(2000);
    await expect(fresh.team("t99")).resolves.toBeUndefined();
  });
});
