import { blockStart, createPool, type Loader } from "../../engine/mysql/loader.ts";

/** Rows as LOAD DATA text on their way into a part, instead of into a server. */

export interface RowPipe {
  /** For the engine's encoder of rows. */
  loader: Loader;
  /** What it wrote; a piece is free again when the next one is asked for. */
  pieces: AsyncGenerator<Buffer>;
  /** No more comes; with an error, `pieces` ends by it. */
  end(error?: unknown): void;
}

/** Blocks of 256 KB that wait. */
const mostWaiting = 4;

export function createRowPipe(): RowPipe {
  const pool = createPool();
  const waiting: { block: Buffer; end: number }[] = [];
  let over: { error?: unknown } | undefined;
  let room: PromiseWithResolvers<void> | undefined;
  let more: PromiseWithResolvers<void> | undefined;
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) {
          if (waiting.length < mostWaiting) {
            room?.resolve();
            room = undefined;
          }
          yield next.block.subarray(blockStart, next.end);
          pool.give(next.block);
        } else if (over === undefined) {
          more = Promise.withResolvers();
          await more.promise;
        } else {
          if ("error" in over) throw over.error;
          return;
        }
      }
    } finally {
      // Nobody reads any more: the encoder must not wait for ever.
      room?.resolve();
      waiting.length = 0;
    }
  }
  return {
    loader: {
      first: () => pool.take(),
      spare: (block) => pool.give(block),
      flush(block, end) {
        waiting.push({ block, end });
        more?.resolve();
        if (waiting.length >= mostWaiting) room ??= Promise.withResolvers();
        return pool.take();
      },
      room: () => room?.promise,
      finish: async () => undefined,
      abort: async () => undefined,
    },
    pieces: pieces(),
    end(error) {
      over ??= error === undefined ? {} : { error };
      more?.resolve();
    },
  };
}
