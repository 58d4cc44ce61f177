import { describe, expect, it } from "vitest";
import { cluster, object, shown } from "../../../test/support/requests/fresh-scene.ts";
import { migrationWith } from "../../../test/support/requests/migration-with.ts";
import { kinds } from "../../resources/objects.ts";
import { trimmed } from "../migrations/view/trim.ts";
import { everywhereOf } from "./fresh.ts";

describe("what was read live", () => {
  it("is believed for a second and not longer", async () => {
    const { state, fresh } = cluster();
    state.object = object("1");
    expect(shown(await fresh.account("a"))).toBe("1");
    state.object = object("2");
    state.now = 1000;
    expect(shown(await fresh.account("a"))).toBe("1");
    state.now = 1001;
    expect(shown(await fresh.account("a"))).toBe("2");
    expect(state.reads).toBe(2);
  });
  it("is counted from before the read was sent, not from its answer", async () => {
    const { state, fresh } = cluster();
    state.took = 900;
    state.object = object("1");
    await fresh.account("a");
    state.object = object("2");
    state.now = 1100;
    expect(shown(await fresh.account("a"))).toBe("2");
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
  it("is one read for a hundred calls at once", async () => {
    const { state, fresh } = cluster();
    await Promise.all(Array.from({ length: 100 }, () => fresh.account("a")));
    expect(state.reads).toBe(1);
  });
});

describe("what the watch has", () => {
  it("is used without a read where nothing was written that it has not seen, for one read of the note in half a second", async () => {
    const { state, fresh, watched } = cluster();
    state.note?.set("accounts", 7n);
    watched(7n, object("7"));
    for (state.now = 0; state.now < 10_000; state.now += 10) {
      expect(shown(await fresh.account("a"))).toBe("7");
      expect(shown(await fresh.token("a"))).toBe("7");
      expect(await fresh.team("a")).toBeDefined();
    }
    expect(state.reads).toBe(0);
    expect(state.noteReads).toBeLessThanOrEqual(20);
  });
  it.each<[string, (here: ReturnType<typeof cluster>) => void]>([
    ["was not listed yet", ({ watched }) => watched(0n, object("5"))],
    ["is behind the note", ({ state }) => state.note?.set("accounts", 6n)],
    [
      "is behind a note above what a double holds",
      ({ state, watched }) => {
        watched(9007199254740992n, object("5"));
        state.note?.set("accounts", 9007199254740993n);
      },
    ],
    [
      "has said nothing for longer than it is believed",
      ({ state }) => {
        state.heard = state.now - 15_001;
      },
    ],
    [
      "has no watch at the moment",
      ({ state }) => {
        state.closedFor = 1001;
      },
    ],
    ["does not have it", ({ watched }) => watched(5n, undefined)],
    [
      "has it as one that is being deleted",
      ({ watched }) => watched(5n, object("5", { deletionTimestamp: "2030-01-31T12:00:00Z" })),
    ],
    [
      "is not held to anything: there is no note",
      ({ state }) => {
        state.note = undefined;
      },
    ],
  ])("is not used, but a live read, where it %s", async (_what, spoil) => {
    const here = cluster();
    here.state.now = 100_000;
    here.state.object = object("9");
    here.watched(5n, object("5"));
    spoil(here);
    expect(shown(await here.fresh.account("a"))).toBe("9");
    expect(here.state.reads).toBe(1);
    // Of a migration whoever asks reads live; the versions above are those of another kind.
    for (const version of here.state.note?.values() ?? []) here.state.note?.set("migrations", version);
    expect(await here.fresh.migration("rowferry-t1", "a")).toBeUndefined();
    expect(here.state.reads).toBe(1);
  });
  it("is used of a migration, as far as it is shown and no further", async () => {
    const { state, fresh, watched } = cluster();
    const migration = migrationWith({ metadata: { name: "a" }, spec: { source: { sealedUrl: "v1.sealed" } } });
    watched(5n, trimmed(migration));
    state.note?.set("migrations", 5n);
    const found = await fresh.migration("rowferry-t1", "a");
    expect(found).toMatchObject({ metadata: { name: "a" }, spec: { attempt: 1, source: {} } });
    expect(JSON.stringify(found)).not.toContain("sealed");
    expect(state.reads).toBe(0);
  });
  it("is used although another kind is behind", async () => {
    const { state, fresh, watched } = cluster();
    watched(5n, object("5"));
    state.note?.set("teams", 6n);
    expect(shown(await fresh.account("a"))).toBe("5");
    expect(state.reads).toBe(0);
    await fresh.team("a");
    expect(state.reads).toBe(1);
  });
  it("is used again as soon as it has caught up, and is newer than what was read meanwhile", async () => {
    const { state, fresh, watched } = cluster();
    watched(5n, object("5"));
    state.note?.set("accounts", 6n);
    state.object = object("6");
    expect(shown(await fresh.account("a"))).toBe("6");
    state.now = 100;
    watched(8n, object("8"));
    expect(shown(await fresh.account("a"))).toBe("8");
    expect(state).toMatchObject({ reads: 1, noteReads: 1 });
  });
  it("is used where it saw a write before the note of it came", async () => {
    const { state, fresh, watched } = cluster();
    watched(6n, object("6"));
    state.note?.set("accounts", 5n);
    expect(shown(await fresh.account("a"))).toBe("6");
  });
});

describe("what was written", () => {
  const raised = async (failures: number) => {
    const waits: number[] = [];
    let left = failures;
    const raise = async () => {
      left -= 1;
      if (left >= 0) throw new Error("down");
    };
    const everywhere = everywhereOf({ raise }, async (milliseconds) => void waits.push(milliseconds));
    await everywhere(kinds.tokens, "12");
    return waits;
  };
  it("is noted however often that fails at first, and then waited for", async () => {
    expect(await raised(0)).toEqual([1300]);
    expect(await raised(4)).toEqual([100, 400, 1000, 2000, 1300]);
  });
  it("is an error where it cannot be noted", () => expect(raised(5)).rejects.toThrow("down"));
});

describe("who raised the note and waited", () => {
  it("waits after the note, and longer than anybody uses what was before", async () => {
    const { state, fresh, pass } = cluster();
    let over = false;
    const waits = fresh.everywhere(kinds.tokens, "12").then(() => {
      over = true;
    });
    await pass(1299);
    expect([state.raised, over]).toEqual([["apitokens 12 at 0"], false]);
    await pass(1);
    await waits;
    await Promise.all([fresh.everywhere(kinds.tokens, undefined), pass(1300)]);
    expect(state.raised).toHaveLength(1);
  });

  /** At 100, or as soon as the case is over, a note of version 6, which the watch never hears of; the longest pass before the wait is over begins 1050 later. */
  it.each<[string, (here: ReturnType<typeof cluster>) => Promise<unknown>]>([
    [
      "what the watch had, by a note read just before",
      async ({ state, fresh }) => {
        state.now = 99;
        return fresh.account("a");
      },
    ],
    [
      "by a note whose answer took its time",
      async ({ state, fresh }) => {
        state.noteTook = 999;
        const found = await fresh.account("a");
        state.noteTook = 0;
        return found;
      },
    ],
    [
      "by notes read ahead all the time",
      async ({ state, fresh }) => {
        for (state.now = -3000; state.now < 100; state.now += 7) await fresh.account("a");
      },
    ],
    [
      "what was read live just before",
      async ({ state, fresh }) => {
        state.version = 0n;
        state.now = 99;
        await fresh.account("a");
        state.version = 5n;
      },
    ],
  ])("knows that no replica uses it: %s", async (_what, before) => {
    const here = cluster();
    const { state, fresh, watched } = here;
    state.object = object("5");
    watched(5n, object("5"));
    await before(here);
    state.object = undefined;
    state.note?.set("accounts", 6n);
    state.now = Math.max(state.now, 100) + 1050;
    expect(await fresh.account("a")).toBeUndefined();
    // Also through all the reads ahead that begin from now on.
    for (; state.now < 5000; state.now += 130) expect(await fresh.account("a")).toBeUndefined();
  });

  it("knows it of notes that are answered long after they were read, and in the wrong order", async () => {
    const { state, fresh, pass, watched } = cluster();
    watched(5n, object("5"));
    const held: (() => void)[] = [];
    state.noteHeld = held;
    const found = fresh.account("a");
    await pass(1100);
    state.note?.set("accounts", 6n);
    await pass(1100);
    expect(state.noteReads).toBe(3);
    held[2]?.();
    held[1]?.();
    held[0]?.();
    expect(await found).toBeUndefined();
    state.noteHeld = undefined;
    for (; state.now < 9000; state.now += 130) {
      state.heard = state.now;
      expect(await fresh.account("a")).toBeUndefined();
    }
  });
});

describe("a token that the cache does not have", () => {
  const many = (fresh: ReturnType<typeof cluster>["fresh"], count: number) =>
    Array.from({ length: count }, (_, at) => fresh.token(String(at)));
  it("is read, so that one that was just minted is known at once", async () => {
    const { state, fresh } = cluster();
    state.object = object("1");
    expect(await fresh.token("1")).toEqual(object("1"));
  });
  it("costs few reads, however many are made up", async () => {
    const { state, fresh, pass } = cluster();
    for (const reads of [20, 40]) {
      const all = many(fresh, 1000);
      for (let waited = 0; waited < 1100; waited += 50) await pass(50);
      expect(await Promise.all(all)).toEqual(Array.from({ length: 1000 }));
      expect(state.reads).toBe(reads);
    }
  });
  it("is awaited in the cache when no read is left, and then known", async () => {
    const { state, fresh, pass } = cluster();
    await Promise.all(many(fresh, 20));
    const late = fresh.token("late");
    state.cached.set("late", object("1"));
    state.object = object("1");
    await pass(50);
    expect(await late).toEqual(object("1"));
  });
  it("takes no read from those that it has", async () => {
    const { state, fresh } = cluster();
    void many(fresh, 100);
    state.cached.set("known", object("1"));
    state.object = object("1");
    expect(await fresh.token("known")).toBeDefined();
    expect(state.reads).toBe(21);
  });
});
