/**
 * Which connections are told to go while a replica drains: each at a moment of its own, over most of that time. Callers who all came to the
 * other replicas at once would wait for each other's handshakes.
 */
export interface Leaving {
  begin(): void;
  /** Whether the answer that begins now is its connection's last. */
  isDue(connection: object): boolean;
}

/** From when to when in the drain, as shares of it: before, whoever sends requests here may not have heard; after, what is left needs some time itself. */
export const leavePage = { connections: [0.2, 0.9], streams: [0.4, 0.9] } as const;

/** `drain`: milliseconds. */
export function createLeaving({
  drain,
  now,
  random,
}: {
  drain: number;
  now: () => number;
  random: () => number;
}): Leaving {
  let begun: number | undefined;
  const moments = new WeakMap<object, number>();
  const [earliest, latest] = leavePage.connections;
  return {
    begin() {
      begun ??= now();
    },
    isDue(connection) {
      if (begun === undefined) return false;
      const moment = moments.get(connection) ?? drain * (earliest + random() * (latest - earliest));
      moments.set(connection, moment);
      return now() - begun >= moment;
    },
  };
}
