import type { Session } from "./connection.ts";
import { engineError } from "./errors.ts";
import { unexpectedInCopy, type WireConnection } from "./wire.ts";

/**
 * COPY … FROM STDIN for blocks that already are CopyData messages: their bytes go to the socket as they are.
 * Memory is bounded: at most `inFlightBytes` wait for the socket before `write` asks the caller to wait.
 */

/** Length of the header that stands before each CopyData message: `d` and a big-endian length that counts itself. */
export const headerBytes = 5;

/** Fills the five bytes that the caller reserved at `start` of a message that ends before `end`. */
export function frame(block: Uint8Array, start: number, end: number): void {
  const length = end - start - 1;
  block[start] = 0x64;
  block[start + 1] = length >>> 24;
  block[start + 2] = length >>> 16;
  block[start + 3] = length >>> 8;
  block[start + 4] = length;
}

export interface CopyIn {
  /**
   * Takes a block of CopyData messages, headers included; a message may go on in the next block. Undefined: write
   * on at once. A promise: wait for it first; it rejects with the server's error as EngineError. Who writes on all the
   * same is answered with the same promise, as long as it is open.
   * The block must not be changed before `released` was called with it.
   */
  write(block: Uint8Array): Promise<void> | undefined;
  /** Ends the COPY. Rows as the server counted them. Rejects with the server's error. */
  finish(): Promise<number>;
  /** Gives the COPY up; the transaction is then only good for ROLLBACK. Never rejects. Only between whole messages; else destroy the session. */
  abort(reason: string): Promise<void>;
}

interface CopyInOptions {
  /** Bytes handed over and not yet taken by the kernel, above which `write` answers with a promise. */
  inFlightBytes?: number;
  /** Called once for each block when its bytes have left, for callers that use blocks again. */
  released?: (block: Uint8Array) => void;
}

const copyDone = Buffer.from([0x63, 0, 0, 0, 4]);

/** Starts `statement` (COPY … FROM STDIN) and resolves when the server waits for data. */
export function copyIn(session: Session, statement: string, options: CopyInOptions = {}): Promise<CopyIn> {
  const limit = options.inFlightBytes ?? 1 << 20;
  let socket: WireConnection["stream"];
  let inFlight = 0;
  let failure: Error | undefined;
  let rows: number | undefined;
  let room: PromiseWithResolvers<void> | undefined;
  let end: { resolve(): void; reject(error: Error): void } | undefined;

  return new Promise((started, refused) => {
    const fail = (error: Error) => {
      failure ??= engineError(error, session.place);
      refused(failure);
      room?.reject(failure);
      end?.reject(failure);
      room = end = undefined;
    };
    const unexpected = () => fail(new Error(`the server returned an unexpected message after COPY`));

    const write = (block: Uint8Array): Promise<void> | undefined => {
      if (failure !== undefined) return Promise.reject(failure);
      inFlight += block.length;
      socket.write(block, (error) => {
        inFlight -= block.length;
        options.released?.(block);
        // Errors reach `handleError` through the driver; a dead socket alone must still wake the writer.
        if (error) fail(error);
        else if (room !== undefined && inFlight < limit) {
          room.resolve();
          room = undefined;
        }
      });
      if (inFlight < limit) return undefined;
      room ??= Promise.withResolvers();
      return room.promise;
    };

    const settled = () =>
      new Promise<void>((resolve, reject) => {
        if (failure !== undefined) reject(failure);
        else end = { resolve, reject };
      });

    const copy: CopyIn = {
      write,
      async finish() {
        const ended = settled();
        if (failure === undefined) socket.write(copyDone);
        await ended;
        if (rows === undefined)
          throw engineError(new Error("the server did not say how many rows it took"), session.place);
        return rows;
      },
      async abort(reason) {
        if (failure !== undefined) return;
        const ended = settled();
        const text = Buffer.from(`${reason.slice(0, 200).replaceAll("\0", "")}\0`);
        const message = Buffer.alloc(headerBytes + text.length);
        frame(message, 0, message.length);
        message[0] = 0x66;
        text.copy(message, headerBytes);
        socket.write(message);
        await ended.catch(() => undefined);
      },
    };

    session.submit({
      ...unexpectedInCopy(unexpected),
      submit(connection) {
        connection.query(statement);
      },
      handleCopyInResponse(connection) {
        socket = connection.stream;
        started(copy);
      },
      handleCommandComplete({ text }) {
        const counted = /^COPY (\d+)$/.exec(text);
        if (counted) rows = Number(counted[1]);
      },
      handleReadyForQuery() {
        if (end === undefined) return unexpected();
        end.resolve();
        end = undefined;
      },
      handleError: fail,
    });
  });
}
