import { divert, type Sink } from "./block-socket.ts";
import type { Session } from "./connection.ts";
import { engineError } from "./errors.ts";
import { unexpectedInCopy, type WireConnection } from "./wire.ts";

/** The socket of a session in a COPY, and the way back to its driver. */
export type Diverted = { stream: WireConnection["stream"] } & ReturnType<typeof divert>;

/**
 * COPY … TO STDOUT, whose bytes go to `sink` instead of the driver; what is not CopyData is to be given to the driver by
 * `diverted`, which is told before the first byte. Answers with the number of rows that the server says it sent. Errors: the server's.
 */
export function queryCopyOut(
  session: Session,
  statement: string,
  sink: Sink,
  begun: (diverted: Diverted) => void,
): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    let counted: number | undefined;
    const failed = (error: unknown) => reject(engineError(error, session.place));
    const unexpected = () => failed(new Error("the server returned an unexpected message after COPY"));
    session.submit({
      ...unexpectedInCopy(unexpected),
      submit(connection) {
        const { stream } = connection;
        begun({ stream, ...divert(stream, sink) });
        connection.query(statement);
      },
      handleCommandComplete({ text }) {
        const found = /^COPY (\d+)$/.exec(text);
        if (found) counted = Number(found[1]);
      },
      handleReadyForQuery: () => (counted === undefined ? unexpected() : resolve(counted)),
      handleError: failed,
    });
  });
}
