import type { Session } from "../../../postgres/driver/connection.ts";
import { engineError } from "../../../postgres/driver/errors.ts";
import { unexpectedInCopy, type WireConnection } from "../../../postgres/driver/wire.ts";
import type { Throttle } from "../../../run/throttle.ts";
import type { TakeRow } from "../rows.ts";

/**
 * Rows of a PostgreSQL statement, one at a time, by COPY in its binary form: of a text it is the bytes. The server
 * sends one row in each message; the form's head stands before the first one.
 */
export function postgresRows(
  session: Session,
  sql: string,
  columns: number,
  take: TakeRow,
  throttle: Throttle | undefined,
): Promise<void> {
  const fields = new Array<Buffer | null>(columns).fill(null);
  let started = false;
  let failure: unknown;
  let stream: WireConnection["stream"];

  const message = (bytes: Buffer) => {
    let at = 0;
    if (!started) {
      started = true;
      at = headBytes + bytes.readUInt32BE(headBytes - 4);
    }
    while (at + 2 <= bytes.length) {
      const count = bytes.readInt16BE(at);
      at += 2;
      if (count < 0) return;
      if (count !== columns) throw new Error(`the server returned ${count} columns where ${columns} were requested`);
      for (let column = 0; column < columns; column++) {
        const length = bytes.readInt32BE(at);
        at += 4;
        fields[column] = length < 0 ? null : bytes.subarray(at, at + length);
        if (length > 0) at += length;
      }
      take(fields);
    }
    const wait = throttle?.take(bytes.length);
    if (wait === undefined) return;
    stream.pause();
    void wait.then(() => stream.resume());
  };

  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(engineError(failure ?? error, session.place));
    const unexpected = () => fail(new Error("the server returned an unexpected message after COPY"));
    session.submit({
      ...unexpectedInCopy(unexpected),
      submit(connection) {
        stream = connection.stream;
        connection.query(`COPY (${sql}) TO STDOUT (FORMAT binary)`);
      },
      handleCopyData({ chunk }) {
        if (failure !== undefined) return;
        try {
          message(chunk);
        } catch (error) {
          failure = error;
          session.destroy();
        }
      },
      handleReadyForQuery: () => resolve(),
      handleCommandComplete: () => undefined,
      handleError: fail,
    });
  });
}

/** Signature, flags, length of what follows them. */
const headBytes = 19;
