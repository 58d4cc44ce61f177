import type { InsertTarget } from "../../engine/mysql/target/insert.ts";
import { createInsertRows, type InsertRows } from "./insert-rows.ts";

/** Rows as INSERT statements on their way into a part, instead of into a server. */

interface StatementPipe {
  /** For the session that reads them. */
  rows: InsertRows;
  /** The statements, each good until the next is asked for. Whoever stops reading them ends the session's reading. */
  statements: AsyncGenerator<Buffer>;
  /** No more rows come; with an error, `statements` ends by it. */
  end(error?: unknown): void;
}

/** Bytes of statements that wait for the storage; a longer one waits alone. */
const mostWaiting = 2 << 20;

export function createStatementPipe(kinds: readonly number[], target: InsertTarget): StatementPipe {
  const waiting: { buffer: Buffer; length: number }[] = [];
  /** A buffer whose statement is stored. */
  let free: Buffer | undefined;
  let bytes = 0;
  let over: { error?: unknown } | undefined;
  let room: PromiseWithResolvers<void> | undefined;
  let more: PromiseWithResolvers<void> | undefined;
  const rows = createInsertRows(kinds, target, {
    take(wanted) {
      const found = free;
      if (found === undefined || found.length < wanted) return Buffer.allocUnsafeSlow(wanted);
      free = undefined;
      return found;
    },
    send(buffer, length) {
      waiting.push({ buffer, length });
      bytes += length;
      more?.resolve();
    },
    room() {
      if (over !== undefined && "error" in over) return Promise.reject(over.error);
      if (bytes >= mostWaiting) room ??= Promise.withResolvers();
      return room?.promise;
    },
  });
  const finish = (how: { error?: unknown }) => {
    over ??= how;
    more?.resolve();
    if ("error" in how) room?.reject(how.error);
    else room?.resolve();
  };

  async function* statements(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) {
          yield next.buffer.subarray(0, next.length);
          // One of an ordinary size: a long row's is not kept.
          if (next.buffer.length < mostWaiting) free = next.buffer;
          bytes -= next.length;
          if (bytes < mostWaiting) {
            room?.resolve();
            room = undefined;
          }
        } else if (over === undefined) {
          more = Promise.withResolvers();
          await more.promise;
        } else {
          if ("error" in over) throw over.error;
          return;
        }
      }
    } finally {
      finish({ error: new Error("nobody reads the rows any more") });
    }
  }

  return {
    rows,
    statements: statements(),
    end(error) {
      if (error === undefined && over === undefined) rows.finish();
      finish(error === undefined ? {} : { error });
    },
  };
}
