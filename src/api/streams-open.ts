import type { Request, Response } from "express";
import { Problem } from "../requests/errors.ts";
import type { Answer } from "./operation.ts";
import { type StreamTimes, usualTimes, writeStream } from "./streams.ts";

/** The streams that this replica has open: so many for an account at most, each ended when its token no longer holds or the replica ends. */
export interface Streams {
  write(
    request: Request,
    response: Response,
    open: NonNullable<Answer["stream"]>,
    account: string,
    /** Whether the caller may still read it; a throw is a no. */
    holds: () => Promise<boolean>,
  ): Promise<void>;
  count(): number;
  /** Tells every reader to come again, and takes no more. */
  close(): void;
}

export interface StreamsOptions {
  /** For one account. */
  most: number;
  /** Milliseconds between looks at whether the token still holds. */
  recheck: number;
  times?: StreamTimes;
}

export function createStreams({ most, recheck, times = usualTimes }: StreamsOptions): Streams {
  const open = new Map<string, Set<AbortController>>();
  let closed = false;
  return {
    async write(request, response, source, account, holds) {
      const own = open.get(account) ?? new Set();
      if (closed) throw new Problem("unavailable", "This replica ends: open the stream again.", { retryAfter: 1 });
      if (own.size >= most)
        throw new Problem(
          "limit_reached",
          `You have ${most} streams open, the most that there can be: close one first.`,
        );
      response.status(200).set({
        "Content-Type": "text/event-stream; charset=utf-8",
        // Proxies of the nginx kind would keep events back.
        "X-Accel-Buffering": "no",
      });
      if (request.method === "HEAD") {
        response.end();
        return;
      }
      const ends = new AbortController();
      own.add(ends);
      open.set(account, own);
      const look = setInterval(() => {
        holds().then(
          (still) => {
            if (!still) ends.abort();
          },
          () => ends.abort(),
        );
      }, recheck);
      try {
        await writeStream(response, source, ends.signal, times);
      } finally {
        clearInterval(look);
        own.delete(ends);
        if (own.size === 0 && open.get(account) === own) open.delete(account);
      }
    },
    count: () => [...open.values()].reduce((sum, own) => sum + own.size, 0),
    close() {
      closed = true;
      for (const own of open.values()) for (const one of own) one.abort();
    },
  };
}
