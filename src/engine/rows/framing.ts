import { fullPacket, packetHeader } from "../mysql/driver/wire.ts";

/** A row that comes in pieces, in one packet or several. */
export interface LongRow {
  readonly active: boolean;
  /** Bytes of the row so far. */
  readonly bytes: number;
  start(): void;
  /** Takes what is there; `active` is false after the row's last byte. */
  take(from: Buffer, start: number, end: number, discarding: boolean): number;
}

/** What a format does with a row's bytes, without the packets' headers. */
interface Content {
  start(): void;
  payload(from: Buffer, start: number, end: number): void;
  finish(): void;
}

export function createFraming(content: Content): LongRow {
  let active = false;
  let bytes = 0;
  /** What is left of the present packet. */
  let inPacket = 0;
  let goesOn = false;
  return {
    get active() {
      return active;
    },
    get bytes() {
      return bytes;
    },
    start() {
      active = goesOn = true;
      bytes = inPacket = 0;
      content.start();
    },
    take(from, start, end, discarding) {
      let p = start;
      for (;;) {
        if (inPacket === 0) {
          if (end - p < packetHeader) return p;
          inPacket = from.readUIntLE(p, 3);
          goesOn = inPacket === fullPacket;
          p += packetHeader;
        }
        const length = Math.min(inPacket, end - p);
        if (!discarding) content.payload(from, p, p + length);
        p += length;
        bytes += length;
        inPacket -= length;
        if (inPacket > 0) return p;
        if (!goesOn) {
          if (!discarding) content.finish();
          active = false;
          return p;
        }
      }
    },
  };
}
