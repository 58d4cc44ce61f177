import type { Session } from "../../engine/postgres/driver/connection.ts";
import { runDump } from "../../engine/postgres/dump/dump.ts";

/** Large ones, since each is handed to another thread and waited for. */
const blockBytes = 1 << 20;
/** One is used, one is next, one is filled, and one is free when that is full. */
const blockCount = 4;
/** A block with less room is full: reading a few bytes costs what reading many does. */
const leastRoom = 64 * 1024;

interface Dumping {
  snapshot: string;
  encoding: string;
  /** Tables, quoted and with their schema. */
  without: string[];
  /** Hears of each block before it is given on, while others are used: nobody waits for it. Its error ends the dump. */
  seen(block: Buffer): void;
}

/** pg_dump's output in blocks, each good until the next is asked for. The program waits while all are full. */
export async function* dumped(
  session: Session,
  signal: AbortSignal,
  { snapshot, encoding, without, seen }: Dumping,
): AsyncGenerator<Buffer> {
  const stop = new AbortController();
  const blocks = createBlocks(seen);
  // Bytes of SQL_ASCII are of no encoding that could be converted.
  const args = encoding === "SQL_ASCII" ? [] : ["--encoding=UTF8"];
  const options = {
    snapshot,
    applicationName: "rowferry backup",
    without,
    env: process.env,
    signal: AbortSignal.any([signal, stop.signal]),
    room: blocks.room,
  };
  const ended = runDump(session, args, options, blocks.filled)
    .then(() => blocks.end())
    .catch((error: unknown) => blocks.fail(error));
  try {
    yield* blocks.full();
  } finally {
    stop.abort();
    blocks.fail(undefined);
    await ended;
  }
}

function createBlocks(seen: Dumping["seen"]) {
  const free = Array.from({ length: blockCount }, () => Buffer.allocUnsafeSlow(blockBytes));
  const full: { block: Buffer<ArrayBuffer>; bytes: number }[] = [];
  let filling = free.pop() as Buffer<ArrayBuffer>;
  let bytes = 0;
  let over: { error?: unknown } | undefined;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const untilFree = async () => {
    while (free.length === 0 && over === undefined) await changed.promise;
  };
  const give = () => {
    seen(filling.subarray(0, bytes));
    full.push({ block: filling, bytes });
    change();
  };
  return {
    room: (): Buffer => filling.subarray(bytes),
    /** The piece is in the room. Waits until another block is free, so that there is always one to fill next. */
    filled(piece: Buffer): Promise<void> | undefined {
      if (over !== undefined) return undefined;
      bytes += piece.length;
      if (blockBytes - bytes >= leastRoom) return undefined;
      give();
      filling = free.pop() as Buffer<ArrayBuffer>;
      bytes = 0;
      return free.length === 0 ? untilFree() : undefined;
    },
    end(): void {
      if (bytes > 0) give();
      over ??= {};
      change();
    },
    fail(error: unknown): void {
      over ??= { error };
      change();
    },
    async *full(): AsyncGenerator<Buffer> {
      for (;;) {
        const next = full.shift();
        if (next !== undefined) {
          yield next.block.subarray(0, next.bytes);
          free.push(next.block);
          change();
        } else if (over === undefined) await changed.promise;
        else if ("error" in over) throw over.error;
        else return;
      }
    },
  };
}
