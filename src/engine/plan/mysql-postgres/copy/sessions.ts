/** A bounded set of sessions: each is used by one at a time, opened when first needed, and used again. */
export interface Sessions<Session> {
  use<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export function createSessions<Session extends { end(): Promise<void> }>(
  open: () => Promise<Session>,
  most: number,
): Sessions<Session> {
  const idle: Session[] = [];
  const all: Session[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;
  return {
    async use(work) {
      while (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      busy++;
      try {
        let session = idle.pop();
        if (session === undefined) {
          session = await open();
          all.push(session);
        }
        const result = await work(session);
        // A session whose work failed may be in any state: it is not used again.
        idle.push(session);
        return result;
      } finally {
        busy--;
        waiting.shift()?.();
      }
    },
    async close() {
      await Promise.all(all.map((session) => session.end()));
    },
  };
}

/** Waits for all even when one fails, so that nothing still runs when the error is answered. */
export async function all<Result>(work: readonly Promise<Result>[]): Promise<Result[]> {
  const ends = await Promise.allSettled(work);
  return ends.map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}
