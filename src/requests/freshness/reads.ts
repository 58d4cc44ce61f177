import { Problem } from "../errors.ts";

/**
 * Live reads, of which what was answered is believed for a second, counted from before the read was sent. A server that is slow is not
 * asked more for it: who comes while a read is on its way joins it, and who cannot have an answer in time is told so at once.
 */
export const keptMs = 1000;
/** Timers of two processes are not of one mind about a millisecond. */
export const margin = 50;
/** Milliseconds after which a read that is still on its way is given up for another. */
export const longestRead = 3000;

export interface Clock {
  /** Steady milliseconds. */
  now: () => number;
  pause: (milliseconds: number) => Promise<void>;
}

export interface Read<T> {
  /** Before it was sent. */
  at: number;
  /** Rejects with Problem `unavailable` once it would be too late; the read goes on. */
  found: Promise<T>;
  /** Whether it was answered or failed. */
  ended: boolean;
}

export const tooSlow = () =>
  new Problem("unavailable", "The cluster answers too slowly; try again in a moment.", { retryAfter: 2 });

export function beginRead<T>({ now, pause }: Clock, send: (at: number) => Promise<T>): Read<T> {
  const at = now();
  const sent = send(at);
  const late = async () => {
    await pause(keptMs + margin);
    if (!read.ended && now() - at > keptMs) throw tooSlow();
    return sent;
  };
  const read: Read<T> = { at, ended: false, found: Promise.race([sent, late()]) };
  const ended = () => {
    read.ended = true;
  };
  sent.then(ended, ended);
  // Who joined hears of it; a read ahead has nobody.
  read.found.catch(() => {});
  return read;
}

export const onItsWay = ({ now }: Clock, read: Read<unknown>, atMost = longestRead): boolean =>
  !read.ended && now() - read.at <= atMost;

/** What a read found, if that may be believed yet. Throws Problem `unavailable`. */
export async function foundBy<T>({ now }: Clock, { at, found }: Read<T>): Promise<T> {
  const value = await found;
  // A read that took longer than it may be believed says what was, not what is.
  if (now() - at > keptMs) throw tooSlow();
  return value;
}
