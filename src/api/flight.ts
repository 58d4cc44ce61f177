import { createCounts } from "../requests/counts.ts";
import { Problem } from "../requests/errors.ts";

/**
 * The bytes of answers that are in memory until their readers took them: bounded in total, and for each caller (an account, or an address
 * without one), so that whoever asks and does not read fills no memory. Small answers stand in their connection's buffer and do not count.
 */
export interface Flight {
  /** Answers what gives them back. Throws Problem `busy`. */
  take(who: string, bytes: number): () => void;
  /** Of the moment. */
  bytes(): number;
}

interface FlightBounds {
  most: number;
  mostOfOne: number;
}

/** An answer of so many bytes is a small one. */
export const small = 16 * 1024;

export function createFlight({ most, mostOfOne }: FlightBounds): Flight {
  const held = createCounts();
  let total = 0;
  return {
    take(who, bytes) {
      if (bytes <= small) return () => {};
      const own = held.of(who);
      // One is always let through, however large.
      if (own > 0 && own + bytes > mostOfOne)
        throw new Problem("busy", "Too many unread responses. Read the open responses first.", {
          retryAfter: 2,
        });
      if (total > 0 && total + bytes > most)
        throw new Problem("busy", "Server busy: too many large responses are open. Try again in a moment.", {
          retryAfter: 2,
        });
      total += bytes;
      held.change(who, bytes);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        total -= bytes;
        held.change(who, -bytes);
      };
    },
    bytes: () => total,
  };
}
