import { EngineError } from "../../contract/index.ts";
import type { Sink } from "../../postgres/driver/block-socket.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import { type Diverted, queryCopyOut } from "../../postgres/driver/copy-out.ts";

/**
 * COPY … TO STDOUT from the socket into one buffer: what is CopyData goes to the consumer where it lies, all else to the
 * driver. No object is made for a row.
 */
interface CopyOutConsumer {
  /** Takes whole CopyData messages from buffer[start..end), as far as it can; it keeps nothing of the buffer. */
  take(buffer: Buffer, start: number, end: number): number;
  /** What comes next is not a message's begin. */
  readonly within: boolean;
  /** A promise when no more should be read until it resolves; its rejection ends the session. */
  room(): Promise<void> | undefined;
}

export const copyBufferBytes = 1 << 20;
const copyData = 0x64;
const copyDone = 0x63;
const errorResponse = 0x45;

/** Answers with the number of rows that the server says it sent. Rejects with the server's error, the consumer's, or that of `room`. */
export function copyOut(
  session: Session,
  statement: string,
  consumer: CopyOutConsumer,
  buffer: Buffer,
): Promise<number> {
  let start = 0;
  let end = 0;
  let over = false;
  /** Bytes of a message for the driver that are still to come. */
  let foreign = 0;
  let failure: { error: unknown } | undefined;
  let paused = false;
  let diverted: Diverted;

  const fail = (error: unknown) => {
    failure ??= { error };
    session.destroy();
  };

  const give = (count: number) => {
    diverted.toDriver(buffer.subarray(start, start + count));
    start += count;
  };

  /** One message, or the part of it that is there, for the driver; false: its header is not whole. */
  const other = (): boolean => {
    if (foreign > 0) {
      const count = Math.min(foreign, end - start);
      foreign -= count;
      give(count);
      return true;
    }
    if (end - start < 5) return false;
    const type = buffer[start];
    const length = buffer.readInt32BE(start + 1);
    if (length < 4) throw new EngineError("protocol_error", "the source sends a message that is shorter than its head");
    foreign = 1 + length;
    if (type !== copyDone && type !== errorResponse) return true;
    // From here on all is the driver's.
    over = true;
    diverted.restore();
    give(end - start);
    return true;
  };

  const read = () => {
    while (start < end && !over && failure === undefined) {
      if (foreign > 0 || (!consumer.within && buffer[start] !== copyData)) {
        if (!other()) break;
        continue;
      }
      const at = consumer.take(buffer, start, end);
      if (at === start) break;
      start = at;
    }
    if (start === end) start = end = 0;
    else if (buffer.length - end < buffer.length / 4) {
      buffer.copyWithin(0, start, end);
      end -= start;
      start = 0;
    }
    const room = over || failure !== undefined ? undefined : consumer.room();
    if (room === undefined) return;
    paused = true;
    room.then(() => {
      paused = false;
      diverted.stream.resume();
    }, fail);
  };

  const sink: Sink = {
    space: () => buffer.subarray(end),
    filled(count) {
      end += count;
      try {
        read();
      } catch (error) {
        fail(error);
      }
      return !paused;
    },
  };

  return queryCopyOut(session, statement, sink, (begun) => {
    diverted = begun;
  }).catch((error: unknown) => {
    throw failure === undefined ? error : failure.error;
  });
}
