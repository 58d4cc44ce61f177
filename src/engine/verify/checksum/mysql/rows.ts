import { ProtocolError } from "../../../mysql/driver/errors.ts";
import { isEnd } from "../../../mysql/driver/result.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { fullPacket, packetHeader, readLength } from "../../../mysql/driver/wire.ts";
import type { Throttle } from "../../../run/throttle.ts";
import type { TakeRow } from "../rows.ts";

/** Rows of a MySQL statement, one at a time. Memory: one row, where it is longer than what the input holds of it. */
export function mysqlRows(
  session: Session,
  sql: string,
  columns: number,
  take: TakeRow,
  throttle: Throttle | undefined,
): Promise<void> {
  let ended = false;
  let pieces: Buffer[] | undefined;
  let missing = 0;
  let gathered = 0;
  let goesOn = false;
  let wait: Promise<void> | undefined;
  const fields = new Array<Buffer | null>(columns).fill(null);

  const row = (bytes: Buffer) => {
    let at = 0;
    for (let column = 0; column < columns; column++) {
      if (at >= bytes.length) throw new ProtocolError("a row ends before its last field");
      const { value, next } = readLength(bytes, at);
      at = value < 0 ? next : next + value;
      if (at > bytes.length) throw new ProtocolError("a field is longer than its row");
      fields[column] = value < 0 ? null : bytes.subarray(next, at);
    }
    take(fields);
  };

  /** Goes on with a row whose pieces are gathered. */
  const gather = (into: Buffer[], buffer: Buffer, from: number, end: number): number => {
    const taken = Math.min(missing, end - from);
    if (taken > 0) into.push(Buffer.from(buffer.subarray(from, from + taken)));
    missing -= taken;
    if (missing === 0 && !goesOn) {
      pieces = undefined;
      row(Buffer.concat(into));
    }
    return from + taken;
  };

  /** Takes one packet or a piece of one, and answers where it ended; where it began: there is nothing to take yet. */
  const step = (buffer: Buffer, at: number, end: number): number => {
    if (ended) return at;
    if (pieces !== undefined && missing > 0) return gather(pieces, buffer, at, end);
    if (end - at <= packetHeader)
      return pieces !== undefined && end - at === packetHeader ? begin(buffer, at, end) : at;
    return begin(buffer, at, end);
  };

  const begin = (buffer: Buffer, at: number, end: number): number => {
    const length = buffer.readUIntLE(at, 3);
    const start = at + packetHeader;
    if (pieces === undefined) {
      if (isEnd(buffer[start], length)) {
        ended = true;
        return at;
      }
      if (length < fullPacket && end >= start + length) {
        row(buffer.subarray(start, start + length));
        return start + length;
      }
      // What may come whole with the next piece of input waits for it.
      if (length <= waitingBytes) return at;
      pieces = [];
      gathered = 0;
    }
    missing = length;
    gathered += length;
    if (gathered > mostBytes) throw new ProtocolError("a row is longer than any server sends");
    goesOn = length === fullPacket;
    return missing === 0 ? gather(pieces, buffer, start, end) : start;
  };

  return session.stream(sql, columns, {
    get ended() {
      return ended;
    },
    room() {
      const waited = wait;
      wait = undefined;
      return waited;
    },
    take(buffer, from, end) {
      let at = from;
      for (let next = step(buffer, at, end); next !== at; next = step(buffer, at, end)) at = next;
      wait = throttle?.take(at - from);
      return at;
    },
  });
}

/** MySQL's largest max_allowed_packet. */
const mostBytes = 1 << 30;
/** Far below the input buffer's size. */
const waitingBytes = 128 * 1024;
