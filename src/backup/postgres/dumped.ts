import type { Session } from "../../engine/postgres/driver/connection.ts";
import { runDump } from "../../engine/postgres/dump/dump.ts";

/** Large ones, since each is handed to another thread and waited for. */
const blockBytes = 1 << 20;

/**
 * pg_dump's output in blocks, each good until the next is asked for. One is filled while the other is used; the program waits while
 * both are full.
 */
export async function* dumped(
  session: Session,
  signal: AbortSignal,
  { snapshot, encoding, without }: { snapshot: string; encoding: string; without: string[] },
): AsyncGenerator<Buffer> {
  const stop = new AbortController();
  const blocks = createBlocks();
  // Bytes of SQL_ASCII are of no encoding that could be converted.
  const args = encoding === "SQL_ASCII" ? [] : ["--encoding=UTF8"];
  const options = {
    snapshot,
    applicationName: "rowferry backup",
    without,
    env: process.env,
    signal: AbortSignal.any([signal, stop.signal]),
  };
  const ended = runDump(session, args, options, blocks.fill).then(
    () => blocks.end(),
    (error: unknown) => blocks.end(error),
  );
  try {
    yield* blocks.full();
  } finally {
    stop.abort();
    blocks.end();
    await ended;
  }
}

function createBlocks() {
  const free = [Buffer.allocUnsafeSlow(blockBytes), Buffer.allocUnsafeSlow(blockBytes)];
  const full: Buffer<ArrayBuffer>[] = [];
  let filling = free.pop();
  let filled = 0;
  let over: { error?: unknown } | undefined;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const blocks = {
    /** Waits while both are full. */
    fill(piece: Buffer, from = 0): Promise<void> | undefined {
      for (let at = from; at < piece.length && over === undefined; ) {
        filling ??= free.pop();
        if (filling === undefined) return changed.promise.then(() => blocks.fill(piece, at));
        const taken = piece.copy(filling, filled, at);
        filled += taken;
        at += taken;
        if (filled < blockBytes) continue;
        full.push(filling);
        filling = undefined;
        filled = 0;
        change();
      }
      return undefined;
    },
    end(error?: unknown): void {
      over ??= error === undefined ? {} : { error };
      change();
    },
    async *full(): AsyncGenerator<Buffer> {
      for (;;) {
        const block = full.shift();
        if (block !== undefined) {
          yield block;
          free.push(block);
          change();
        } else if (over === undefined) await changed.promise;
        else if ("error" in over) throw over.error;
        else {
          if (filling !== undefined && filled > 0) yield filling.subarray(0, filled);
          return;
        }
      }
    },
  };
  return blocks;
}
