import { alreadyExists, type Client, kinds } from "../../cluster/index.ts";
import { type AccountEvent, mostAccountEvents } from "../../resources/account-log.ts";
import { apiVersion } from "../../resources/group.ts";
import { change } from "../update-with-retry.ts";
import type { World } from "../world.ts";

/**
 * Keeps the last events of each account in its AccountLog. A call never waits for it: events are written together, a moment later, and
 * several replicas lose none of each other's. It is best effort: what cannot be kept is only in the log of the API.
 */
interface AccountLogs {
  note(account: string, event: AccountEvent): void;
  /** Writes what waits. Never rejects. */
  flush(): Promise<void>;
}

interface Options {
  client: Pick<Client, "get" | "create" | "update">;
  /** Resolves after so many milliseconds, or at once when the process ends. */
  pause: World["pause"];
  randomBytes: World["randomBytes"];
  problem: (error: unknown) => void;
  over: () => boolean;
}

/** Milliseconds. */
const gather = 1000;
const afterFailure = 15_000;
/** Of all accounts together, so that a store that fails does not fill the memory. */
export const mostWaiting = 5000;

const byTime = (a: AccountEvent, b: AccountEvent): number => (`${a.at} ${a.id}` < `${b.at} ${b.id}` ? -1 : 1);

/** The newest, oldest first, each once. */
export function mergeEvents(kept: readonly AccountEvent[], more: readonly AccountEvent[]): AccountEvent[] {
  const byId = new Map([...kept, ...more].map((event) => [event.id, event]));
  return [...byId.values()].sort(byTime).slice(-mostAccountEvents);
}

export function createAccountLogs({ client, pause, randomBytes, problem, over }: Options): AccountLogs {
  const waiting = new Map<string, AccountEvent[]>();
  let count = 0;
  let running = false;
  let last: Promise<boolean> = Promise.resolve(true);

  async function store(name: string, events: readonly AccountEvent[]): Promise<void> {
    const add = () =>
      change({ client, pause, randomBytes }, kinds.accountLogs, "", name, (log) => ({
        ...log,
        spec: { events: mergeEvents(log.spec.events, events) },
      }));
    if ((await add()) !== undefined) return;
    const account = await client.get(kinds.accounts, "", name);
    // It was deleted.
    if (account === undefined) return;
    try {
      await client.create(kinds.accountLogs, {
        metadata: {
          name,
          // With the account its log goes.
          ownerReferences: [{ apiVersion, kind: kinds.accounts.kind, name, uid: account.metadata.uid ?? "" }],
        },
        spec: { events: mergeEvents([], events) },
      });
    } catch (error) {
      if (!alreadyExists(error)) throw error;
      // By another replica.
      await add();
    }
  }

  /** Whether all was written. */
  async function writeAll(): Promise<boolean> {
    for (const [name, events] of [...waiting]) {
      waiting.delete(name);
      count -= events.length;
      try {
        await store(name, events);
      } catch (error) {
        for (const event of events) keep(name, event);
        problem(error);
        return false;
      }
    }
    return true;
  }

  /** One at a time. */
  function write(): Promise<boolean> {
    last = last.then(writeAll);
    return last;
  }

  function keep(name: string, event: AccountEvent): void {
    const events = waiting.get(name) ?? [];
    if (events.length < mostAccountEvents && count >= mostWaiting) return;
    const next = [...events, event].slice(-mostAccountEvents);
    count += next.length - events.length;
    waiting.set(name, next);
  }

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    await pause(gather);
    while (waiting.size > 0 && !over()) await pause((await write()) ? gather : afterFailure);
    running = false;
  }

  return {
    note(name, event) {
      keep(name, event);
      void run();
    },
    async flush() {
      await write();
    },
  };
}
