import type { Consume } from "./input.ts";
import { fullPacket, packetHeader } from "./wire.ts";

/** Above this a packet is gathered apart, since it may not fit into what is left of the input buffer. */
const inPlaceBytes = 256 * 1024;

/**
 * A consumer that hands over whole payloads, with packets of 16 MB joined; for logins, errors and the catalogue, never
 * for data. A payload handed over is only good during the call. `take` answers false to stop before the next packet.
 */
export function readPackets(take: (payload: Buffer, sequence: number) => boolean): Consume {
  let gathered: Buffer[] | undefined;
  let missing = 0;
  let goesOn = false;
  return (buffer, from, end) => {
    let start = from;
    for (;;) {
      if (gathered !== undefined && missing > 0) {
        const taken = Math.min(missing, end - start);
        if (taken === 0) return start;
        gathered.push(Buffer.from(buffer.subarray(start, start + taken)));
        start += taken;
        missing -= taken;
        if (missing > 0) return start;
        if (!goesOn) {
          const payload = Buffer.concat(gathered);
          gathered = undefined;
          if (!take(payload, 0)) return start;
          continue;
        }
      }
      if (end - start < packetHeader) return start;
      const length = buffer.readUIntLE(start, 3);
      if (gathered === undefined && length <= inPlaceBytes) {
        if (end - start < packetHeader + length) return start;
        const payload = buffer.subarray(start + packetHeader, start + packetHeader + length);
        const sequence = buffer[start + 3] ?? 0;
        start += packetHeader + length;
        if (!take(payload, sequence)) return start;
        continue;
      }
      gathered ??= [];
      missing = length;
      goesOn = length === fullPacket;
      start += packetHeader;
      if (length === 0) {
        const payload = Buffer.concat(gathered);
        gathered = undefined;
        if (!take(payload, 0)) return start;
      }
    }
  };
}
