import { createFresh } from "../../../src/requests/freshness/fresh.ts";
import type { Cached } from "../../../src/requests/migrations/view/trim.ts";
import type { Account } from "../../../src/resources/account.ts";
import type { KubeObject } from "../../../src/resources/objects.ts";
import type { Team } from "../../../src/resources/team.ts";
import type { ApiToken } from "../../../src/resources/token.ts";

/** An object of that version. */
export const object = (version: string, more: object = {}): KubeObject => ({
  metadata: { name: "a", resourceVersion: version, ...more },
});
/** The version of what was found. */
export const shown = (found: KubeObject | undefined) => found?.metadata.resourceVersion;

/**
 * A cluster with one object of each kind, a replica's watch of it, and the note of writes. A case moves the clock; reads take as long as told, and
 * one that is `held` is answered when the case says so, with what there was when it was sent.
 */
export function cluster() {
  const state = {
    now: 0,
    object: undefined as KubeObject | undefined,
    reads: 0,
    took: 0,
    broken: false,
    held: undefined as (() => void)[] | undefined,
    note: new Map<string, bigint>() as Map<string, bigint> | undefined,
    noteReads: 0,
    noteTook: 0,
    noteBroken: false,
    noteHeld: undefined as (() => void)[] | undefined,
    raised: [] as string[],
    /** The watch: what it has, how far it is, and when it said something. */
    cached: new Map<string, KubeObject>(),
    version: 0n,
    heard: 0,
    closedFor: 0,
  };
  const timers: { at: number; done: () => void }[] = [];
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const hold = async (held: (() => void)[] | undefined) => {
    if (held) await new Promise<void>((resolve) => held.push(resolve));
  };
  const cache = <T>() => ({
    get: (_namespace: string, name: string) => state.cached.get(name) as T | undefined,
    version: () => state.version,
    lastHeard: () => state.heard,
    closedFor: () => state.closedFor,
  });
  const fresh = createFresh({
    client: {
      async get<T>() {
        state.reads += 1;
        if (state.broken) throw new Error("down");
        const seen = state.object;
        state.now += state.took;
        await hold(state.held);
        return seen as T | undefined;
      },
    },
    caches: {
      accounts: cache<Account>(),
      teams: cache<Team>(),
      tokens: cache<ApiToken>(),
      migrations: cache<Cached>(),
    },
    written: {
      async read() {
        state.noteReads += 1;
        if (state.noteBroken) throw new Error("down");
        const seen = state.note && new Map(state.note);
        state.now += state.noteTook;
        await hold(state.noteHeld);
        return seen;
      },
      async raise({ plural }, version) {
        state.raised.push(`${plural} ${version} at ${state.now}`);
        state.note?.set(plural, BigInt(version));
      },
    },
    now: () => state.now,
    pause: (milliseconds) =>
      new Promise((done) => {
        timers.push({ at: state.now + milliseconds, done });
      }),
  });
  return {
    state,
    fresh,
    settle,
    /** Moves the clock, and ends what waited for it. */
    async pass(milliseconds: number) {
      await settle();
      state.now += milliseconds;
      for (const { at, done } of timers) if (at <= state.now) done();
      await settle();
    },
    /** The watch has everything up to this version, and this account. */
    watched(version: bigint, account: KubeObject | undefined) {
      state.version = version;
      state.heard = state.now;
      state.cached.clear();
      if (account) state.cached.set("a", account);
    },
  };
}
