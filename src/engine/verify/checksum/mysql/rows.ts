import { ProtocolError } from "../../../mysql/driver/errors.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { readLength } from "../../../mysql/driver/wire.ts";
import { createFraming, createRowReader } from "../../../rows/framing.ts";
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
  let wait: Promise<void> | undefined;
  const fields = new Array<Buffer | null>(columns).fill(null);

  const row = (bytes: Buffer, start: number, end: number) => {
    let at = start;
    for (let column = 0; column < columns; column++) {
      if (at >= end) throw new ProtocolError("a row ends before its last field");
      const { value, next } = readLength(bytes, at);
      at = value < 0 ? next : next + value;
      if (at > end) throw new ProtocolError("a field is longer than its row");
      fields[column] = value < 0 ? null : bytes.subarray(next, at);
    }
    take(fields);
  };

  let pieces: Buffer[] = [];
  let gathered = 0;
  const long = createFraming({
    start() {
      pieces = [];
      gathered = 0;
    },
    payload(from, start, end) {
      gathered += end - start;
      if (gathered > mostBytes) throw new ProtocolError("a row is longer than any server sends");
      pieces.push(Buffer.from(from.subarray(start, end)));
    },
    finish() {
      const whole = Buffer.concat(pieces);
      pieces = [];
      row(whole, 0, whole.length);
    },
  });
  const reader = createRowReader({ fits: waitingBytes, row, long });

  return session.stream(sql, columns, {
    get ended() {
      return reader.ended;
    },
    room() {
      const waited = wait;
      wait = undefined;
      return waited;
    },
    take(buffer, from, end) {
      const at = reader.take(buffer, from, end);
      wait = throttle?.take(at - from);
      return at;
    },
  });
}

/** MySQL's largest max_allowed_packet. */
const mostBytes = 1 << 30;
/** Far below the input buffer's size. */
const waitingBytes = 128 * 1024;
