import { EngineError } from "../../contract/index.ts";
import { ProtocolError } from "./errors.ts";
import type { Consume } from "./input.ts";
import { fullPacket, packetHeader, type StatementOutcome } from "./wire.ts";

/** How the answer to a command ends. */
export interface ResponseCallbacks<T = StatementOutcome | undefined> {
  done(answer: T): void;
  failed(error: Error): void;
}

/** Above this a packet is gathered apart, since it may not fit into what is left of the input buffer. */
const inPlaceBytes = 256 * 1024;

/** What may still be kept of what a server says. */
interface Budget {
  /** Errors: EngineError `source_refused` when it is used up. */
  spend(bytes: number): void;
}

/** `what` is for a person, as in `the login`. */
export function createBudget(bytes: number, what: string): Budget {
  let left = bytes;
  return {
    spend(more) {
      left -= more;
      if (left < 0)
        throw new EngineError(
          "source_refused",
          `the server's answer to ${what} is larger than ${Math.round(bytes / (1 << 20))} MB, which is more than is ever kept of one: is it what it seems to be?`,
        );
    },
  };
}

/**
 * A consumer that hands over whole payloads, with packets of 16 MB joined; for logins, errors and the catalogue, never
 * for data. A payload handed over is only good during the call. `take` answers false to stop before the next packet.
 */
export function readPackets(take: (payload: Buffer, sequence: number) => boolean, budget: Budget): Consume {
  /** Pieces of a payload that is too long to lie in the input buffer. */
  let pieces: Buffer[] = [];
  let gathering = false;
  let missing = 0;
  let goesOn = false;

  const gather = (buffer: Buffer, start: number, end: number): number => {
    const taken = Math.min(missing, end - start);
    pieces.push(Buffer.from(buffer.subarray(start, start + taken)));
    missing -= taken;
    return start + taken;
  };

  const gathered = (): Buffer => {
    const payload = Buffer.concat(pieces);
    pieces = [];
    gathering = false;
    return payload;
  };

  /** Goes on with a payload that is being gathered: where it stopped, and the payload if it is whole. */
  const goOn = (buffer: Buffer, from: number, end: number): { start: number; payload?: Buffer } => {
    const start = missing > 0 ? gather(buffer, from, end) : from;
    return missing > 0 || goesOn ? { start } : { start, payload: gathered() };
  };

  return (buffer, from, end) => {
    let start = from;
    for (;;) {
      if (gathering) {
        const step = goOn(buffer, start, end);
        start = step.start;
        if (missing > 0 || (step.payload !== undefined && !take(step.payload, 0))) return start;
        if (step.payload !== undefined) continue;
      }
      if (end - start < packetHeader) return start;
      const length = buffer.readUIntLE(start, 3);
      if (!gathering && length <= inPlaceBytes) {
        const at = start + packetHeader;
        if (end < at + length) return start;
        start = at + length;
        budget.spend(length + packetHeader);
        if (!take(buffer.subarray(at, start), buffer.readUInt8(at - 1))) return start;
        continue;
      }
      budget.spend(length + packetHeader);
      gathering = true;
      missing = length;
      goesOn = length === fullPacket;
      start += packetHeader;
    }
  };
}

/** Reads while nothing was asked. */
export const unexpected: Consume = (_buffer, start, end) => {
  if (end - start < packetHeader) return start;
  throw new ProtocolError("the server sends data without a request");
};
