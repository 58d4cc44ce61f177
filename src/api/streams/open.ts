import type { Request, Response } from "express";
import { Problem } from "../../requests/errors.ts";
import type { OperationResult } from "../openapi/operation.ts";
import { type StreamTimes, usualTimes, writeStream } from "./index.ts";

/**
 * The streams that this replica has open: so many in all and for an account at most, each ended when its token no longer holds or the replica
 * ends. Whether it holds is asked before each event, when the event is there: what is read after a token was revoked goes to nobody; and from
 * time to time, so that a quiet stream of one that was revoked takes no place.
 */
export interface Streams {
  write(
    request: Request,
    response: Response,
    open: NonNullable<OperationResult["stream"]>,
    account: string,
    /** Whether the caller may still read it; a throw is a no. */
    holds: () => Promise<boolean>,
  ): Promise<void>;
  count(): number;
  /** Takes no more, and tells the readers to come again, one after the other over so many milliseconds. */
  close(over: number): void;
}

interface StreamsOptions {
  /** For one account. */
  most: number;
  /** For all of them together. */
  mostInAll: number;
  /** Milliseconds between looks at whether the token still holds. */
  recheck: number;
  times?: StreamTimes;
}

export function createStreams({ most, mostInAll, recheck, times = usualTimes }: StreamsOptions): Streams {
  const open = new Map<string, Set<AbortController>>();
  let closed = false;
  const count = () => [...open.values()].reduce((sum, own) => sum + own.size, 0);
  return {
    async write(request, response, source, account, holds) {
      const own = open.get(account) ?? new Set();
      if (closed)
        throw new Problem("unavailable", "This replica is shutting down: open the stream again.", { retryAfter: 1 });
      if (own.size >= most) throw new Problem("limit_reached", `Limit reached: ${most} open streams. Close one first.`);
      if (count() >= mostInAll)
        throw new Problem("busy", "Server busy: this replica has no free stream. Try again in a moment.", {
          retryAfter: 5,
        });
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
      const mayRead = async (): Promise<boolean> => {
        const still = await holds().catch(() => false);
        if (!still) ends.abort();
        return still;
      };
      const allowed = async function* (signal: AbortSignal) {
        for await (const event of source(signal)) {
          if (!(await mayRead())) return;
          yield event;
        }
      };
      const look = setInterval(mayRead, recheck);
      try {
        await writeStream(response, allowed, ends.signal, times);
      } finally {
        clearInterval(look);
        own.delete(ends);
        if (own.size === 0 && open.get(account) === own) open.delete(account);
      }
    },
    count,
    close(over) {
      closed = true;
      const all = [...open.values()].flatMap((own) => [...own]);
      for (const [at, one] of all.entries()) setTimeout(() => one.abort(), (over * at) / all.length);
    },
  };
}
