import type { Channel } from "./input.ts";
import { packetHeader, type StatementOutcome } from "./wire.ts";

/** The file of a LOAD DATA LOCAL INFILE, from memory. */
export interface LocalStream {
  /**
   * Sends block[0..] as one packet: its first four bytes are reserved for the header, and it is shorter than 16 MB. Not to
   * be changed before `released` is called. It is an error to send none but the header, which would end the file.
   */
  write(block: Uint8Array, released: () => void): void;
  /** Ends the file; resolves with the server's answer. Rejects with its error, also with one that came earlier. */
  finish(): Promise<StatementOutcome>;
  /** Settled when the server has answered, which before `finish` is an error; never unheard. */
  readonly answered: Promise<StatementOutcome>;
}

export function localStream(channel: Channel, first: number, answered: Promise<StatementOutcome>): LocalStream {
  let sequence = first;
  const frame = (block: Uint8Array) => {
    const length = block.length - packetHeader;
    block[0] = length;
    block[1] = length >>> 8;
    block[2] = length >>> 16;
    block[3] = sequence;
    sequence = (sequence + 1) & 0xff;
  };
  return {
    answered,
    write(block, released) {
      frame(block);
      channel.write(block, () => released());
    },
    finish() {
      const end = new Uint8Array(packetHeader);
      frame(end);
      channel.write(end, () => undefined);
      return answered;
    },
  };
}
