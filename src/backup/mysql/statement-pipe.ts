import { createInserts, type InsertTarget } from "../../engine/mysql/insert.ts";
import { blockBytes, blockStart, type Loader } from "../../engine/mysql/loader.ts";

/** Rows as INSERT statements on their way into a part, instead of into a server. */

export interface StatementPipe {
  /** For the engine's encoder of rows. */
  loader: Loader;
  /** The statements. Whoever stops reading them ends the encoder's session. */
  statements: AsyncGenerator<Buffer>;
  /** No more rows come; with an error, `statements` ends by it. */
  end(error?: unknown): void;
}

/** Bytes of statements that wait for the storage; a longer one waits alone. */
const mostWaiting = 2 << 20;

export function createStatementPipe(target: InsertTarget): StatementPipe {
  const waiting: Buffer[] = [];
  let bytes = 0;
  let over: { error?: unknown } | undefined;
  let room: PromiseWithResolvers<void> | undefined;
  let more: PromiseWithResolvers<void> | undefined;
  const inserts = createInserts(target, (statement) => {
    // It is good during the call alone.
    waiting.push(Buffer.from(statement));
    bytes += statement.length;
    more?.resolve();
  });
  const block = Buffer.allocUnsafeSlow(blockBytes);
  const finish = (how: { error?: unknown }) => {
    over ??= how;
    more?.resolve();
    room?.resolve();
  };

  async function* statements(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) {
          bytes -= next.length;
          if (bytes < mostWaiting) {
            room?.resolve();
            room = undefined;
          }
          yield next;
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
    loader: {
      first: () => block,
      spare: () => undefined,
      flush(filled, end) {
        if (over !== undefined) return filled;
        try {
          inserts.feed(filled, blockStart, end);
        } catch (error) {
          finish({ error });
        }
        return filled;
      },
      room() {
        if (over !== undefined && "error" in over) return Promise.reject(over.error);
        if (bytes >= mostWaiting) room ??= Promise.withResolvers();
        return room?.promise;
      },
      finish: async () => undefined,
      abort: async () => undefined,
    },
    statements: statements(),
    end(error) {
      if (error === undefined && over === undefined) inserts.end();
      finish(error === undefined ? {} : { error });
    },
  };
}
