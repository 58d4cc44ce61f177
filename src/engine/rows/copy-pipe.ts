import { EngineError } from "../contract/index.ts";
import type { Sink } from "../postgres/driver/block-socket.ts";
import type { Session } from "../postgres/driver/connection.ts";
import { copyIn } from "../postgres/driver/copy-in.ts";
import { type Diverted, queryCopyOut } from "../postgres/driver/copy-out.ts";
import type { Throttle } from "../run/throttle.ts";
import { createScanner } from "./copy-scan.ts";

/**
 * Passes a COPY from one server to another: CopyData messages go from socket to socket as bytes, in blocks, with no
 * object per row. Memory: `blocks` blocks, whatever the rows' size.
 */

const blockBytes = 256 * 1024;
/** A block is sent when less room than this is left in it. */
const leastRoom = 16 * 1024;
const blocks = 4;

interface Block {
  bytes: Buffer;
  /** Slices of it that are on their way. */
  pending: number;
}

/** Blocks of one stream, used again for its next part. */
export type PipeBlocks = Block[];
export const createPipeBlocks = (): PipeBlocks =>
  Array.from({ length: blocks }, () => ({ bytes: Buffer.allocUnsafeSlow(blockBytes), pending: 0 }));

/**
 * Runs `out` (COPY … TO STDOUT) on the source and `into` (COPY … FROM STDIN) on the target. `moved` is told rows and
 * bytes as they pass. Answers with the number of rows. Rejects with the first server's error.
 * `throttle` counts what is read. Errors: `row_count_mismatch` when the servers counted different rows.
 */
export async function passCopy(
  source: Session,
  out: string,
  target: Session,
  into: string,
  pool: PipeBlocks,
  moved: (rows: number, bytes: number) => void,
  throttle: Throttle = { take: () => undefined },
): Promise<number> {
  const onTheWay = new Map<Uint8Array, Block>();
  /** No block is free. */
  let paused = false;
  /** The bandwidth is used up for now. */
  let held = false;
  const released = (slice: Uint8Array) => {
    const block = onTheWay.get(slice);
    onTheWay.delete(slice);
    if (block === undefined || --block.pending > 0 || !paused) return;
    paused = false;
    if (!held) diverted.stream.resume();
  };
  const writer = await copyIn(target, into, { released, inFlightBytes: blockBytes * blocks });

  let block = takeFree(pool);
  /** Bytes of the block that were read, that may be forwarded, and that were sent. */
  let filled = 0;
  let ready = 0;
  let sent = 0;
  let toldRows = 0;
  let diverted: Diverted;
  let failure: unknown;

  const send = () => {
    if (ready <= sent) return;
    const slice = block.bytes.subarray(sent, ready);
    sent = ready;
    block.pending++;
    onTheWay.set(slice, block);
    writer.write(slice)?.catch((error: unknown) => {
      failure ??= error;
      source.destroy();
    });
    moved(scanner.messages - toldRows, slice.length);
    toldRows = scanner.messages;
  };
  const scanner = createScanner({
    forward(_from, to) {
      ready = to;
    },
    foreign(from, to) {
      send();
      ready = sent = to;
      diverted.toDriver(block.bytes.subarray(from, to));
      if (scanner.over) diverted.restore();
    },
  });
  /** Takes `count` bytes that now stand in the block; goes on to the next block when it is full. */
  const take = (count: number) => {
    const from = filled;
    filled += count;
    scanner.scan(block.bytes, from, filled);
    const wait = throttle.take(count);
    if (wait !== undefined) {
      held = true;
      void wait.then(() => {
        held = false;
        if (!paused) diverted.stream.resume();
      });
    }
    if (block.bytes.length - filled >= leastRoom || scanner.over) return;
    send();
    // There is one: reading stops as soon as the last free block is taken, and goes on when another is free.
    block = takeFree(pool, block);
    filled = ready = sent = 0;
    paused = !pool.some((one) => one !== block && one.pending === 0);
  };
  const sink: Sink = {
    space: () => block.bytes.subarray(filled),
    filled(count) {
      // Nobody hears what the socket's own call throws.
      try {
        if (failure === undefined) take(count);
      } catch (error) {
        failure ??= error;
        source.destroy();
      }
      return !paused && !held;
    },
  };

  let rows: number;
  try {
    rows = await queryCopyOut(source, out, sink, (begun) => {
      diverted = begun;
    });
  } catch (error) {
    // The target waits for data, and would wait for ever. Within a message it cannot be told to give up.
    if (scanner.whole) await writer.abort("the source failed");
    else target.destroy();
    throw failure ?? error;
  }
  const stored = await writer.finish();
  if (stored !== rows) {
    throw new EngineError("row_count_mismatch", `the source sent ${rows} rows and the target took ${stored}`);
  }
  return rows;
}

function takeFree(pool: PipeBlocks, butNot?: Block): Block {
  const free = pool.find((one) => one !== butNot && one.pending === 0);
  if (free === undefined) throw new Error("a stream's blocks are all in use");
  return free;
}
