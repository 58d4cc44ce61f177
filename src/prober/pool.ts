import { createCounts } from "../requests/counts.ts";
import { type Child, type ChildSettings, type ProcessEnd, startChild } from "./process.ts";
import type { ChildWork } from "./work.ts";

/**
 * At most so many probes at once, of them so many of one account, and a short queue; each has a child of its own, which is used once.
 * A place goes to whose account has the fewest, and the last places to accounts that have none, so that the slow servers of one or two
 * accounts hold back nobody else. A few idle children wait
 * started, since starting takes most of a probe's time.
 */

interface PoolSettings extends ChildSettings {
  atOnce: number;
  /** Of one account at once; as many of it may wait. */
  ofOne: number;
  queue: number;
  /** Milliseconds that a call may stand in the queue. */
  patience: number;
  idle: number;
  /** A folder of its own for a child that may start pg_dump, and what removes it. */
  scratch(): Promise<{ path: string; remove(): Promise<void> }>;
}

/** Too much is asked at once: by all, or by this account alone. */
export class Busy extends Error {
  readonly own: boolean;
  constructor(message: string, own = false) {
    super(message);
    this.own = own;
  }
}

export interface PoolCall {
  /** Whose call it is; one of nobody is bounded with all others alone. */
  account: string | undefined;
  /** Monotonic milliseconds at which the answer has to be there. */
  until: number;
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
  /** Of pg_dump; given to a probe that needs it. */
  tools?: Omit<NonNullable<ChildWork["tools"]>, "tmp">;
}

export interface ProcessPool {
  /** Errors: Busy. */
  run(
    work: Pick<ChildWork, "call" | "guard" | "pgDump" | "workerHeap">,
    asking: PoolCall,
  ): Promise<{ answer: unknown } | ProcessEnd>;
  /** Whether a child has ever come up; without idle ones it is not known before the first call. */
  sound(): boolean;
  /** Of the moment. */
  counts(): { running: number; waiting: number; idle: number };
  /** Resolves when the last child is gone; what runs is killed. */
  close(): Promise<void>;
}

/** The child answers by itself so long before it would be killed. */
const marginMs = 1000;
/** A child that cannot be started is not started again at once. */
const slowestRestartMs = 30_000;

export function createProcessPool(settings: PoolSettings, now: () => number): ProcessPool {
  const idle: Child[] = [];
  const living = new Set<Child>();
  const waiting: { account: string | undefined; begin(): void; give(error: Error): void }[] = [];
  let running = 0;
  const byAccount = createCounts();
  const runningOf = (account: string | undefined): number => (account === undefined ? 0 : byAccount.of(account));
  const count = (account: string | undefined, by: 1 | -1) => {
    running += by;
    if (account !== undefined) byAccount.change(account, by);
  };
  const shared = settings.atOnce - (settings.atOnce < 2 ? 0 : Math.max(1, Math.floor(settings.atOnce / 4)));
  const maySpend = (account: string | undefined): boolean => {
    const own = runningOf(account);
    return running < (own === 0 ? settings.atOnce : shared) && own < settings.ofOne;
  };
  let closed = false;
  let sound = settings.idle === 0;
  let restartMs = 0;
  let restart: NodeJS.Timeout | undefined;

  const start = (tmp?: string): Child => {
    const child = startChild(settings, tmp);
    living.add(child);
    void child.gone.then(() => living.delete(child));
    return child;
  };

  const fill = () => {
    if (closed || restart !== undefined) return;
    while (idle.length < settings.idle) {
      const child = start();
      idle.push(child);
      child.ready.then(
        () => {
          restartMs = 0;
          sound = true;
        },
        () => undefined,
      );
      void child.gone.then(() => {
        const at = idle.indexOf(child);
        if (at < 0) return;
        idle.splice(at, 1);
        restartMs = Math.min(Math.max(1000, restartMs * 2), slowestRestartMs);
        restart ??= setTimeout(() => {
          restart = undefined;
          fill();
        }, restartMs);
      });
    }
  };

  const leave = (account: string | undefined) => {
    count(account, -1);
    const fewest = Math.min(...waiting.map((one) => runningOf(one.account)));
    const next = waiting.findIndex((one) => runningOf(one.account) === fewest);
    if (maySpend(waiting[next]?.account)) waiting.splice(next, 1)[0]?.begin();
    // Only now: starting one beside a probe would slow that.
    if (running === 0 || idle.length === 0) fill();
  };

  /** Resolves when there is a place, which is then taken. */
  const enter = ({ account, until, signal }: PoolCall): Promise<void> => {
    if (closed) throw new Busy("the prober is stopping");
    const isSpent = () => account !== undefined && runningOf(account) >= settings.ofOne;
    const busy = () => new Busy("too many probes run at the same time", isSpent());
    if (maySpend(account)) {
      count(account, 1);
      return Promise.resolve();
    }
    const own = account === undefined ? 0 : waiting.filter((one) => one.account === account).length;
    if (waiting.length >= settings.queue || own >= settings.ofOne) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const give = (error: Error) => {
      const at = waiting.indexOf(place);
      if (at < 0) return;
      waiting.splice(at, 1);
      reject(error);
    };
    const timer = setTimeout(() => give(busy()), Math.min(settings.patience, until - now()));
    const gone = () => give(new Busy("the caller is gone"));
    signal.addEventListener("abort", gone, { once: true });
    const place = {
      account,
      begin() {
        count(account, 1);
        resolve();
      },
      give,
    };
    waiting.push(place);
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
    });
  };

  const probeIn = async (
    child: Child,
    work: ChildWork | Omit<ChildWork, "deadlineMs">,
    { account, until, signal }: PoolCall,
  ): Promise<{ answer: unknown } | ProcessEnd> => {
    const left = Math.max(Math.floor(until - now()), marginMs);
    const result = await child.ask({ ...work, deadlineMs: Math.max(left - marginMs, 200) }, left, signal);
    // The place is free when the process is gone, not when it has answered.
    void child.gone.then(() => leave(account));
    return result;
  };

  fill();
  return {
    sound: () => sound,
    counts: () => ({ running, waiting: waiting.length, idle: idle.length }),
    async run(work, asking) {
      await enter(asking);
      if (asking.tools === undefined) return probeIn(idle.shift() ?? start(), work, asking);
      let scratch: Awaited<ReturnType<PoolSettings["scratch"]>>;
      try {
        scratch = await settings.scratch();
      } catch (error) {
        leave(asking.account);
        throw error;
      }
      const child = start(scratch.path);
      void child.gone
        .then(scratch.remove)
        .catch((error: unknown) =>
          settings.failed(`a probe's folder is left: ${(error as NodeJS.ErrnoException).code}`),
        );
      return probeIn(child, { ...work, tools: { ...asking.tools, tmp: scratch.path } }, asking);
    },
    async close() {
      closed = true;
      clearTimeout(restart);
      for (const { give } of [...waiting]) give(new Busy("the prober is stopping"));
      const last = [...living];
      for (const child of last) child.kill();
      await Promise.all(last.map(({ gone }) => gone));
    },
  };
}
