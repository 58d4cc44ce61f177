import type { ErrorOrigin } from "../../contract/server-errors.ts";
import type { LocalStream } from "./local-stream.ts";
import type { WireColumn } from "./prepared.ts";
import type { StatementOutcome } from "./wire.ts";

/** What a session on MySQL or MariaDB can do. Shapes only. */

export interface Server {
  maria: boolean;
  /** 80403 is 8.4.3, 101119 is 10.11.19. */
  version: number;
  versionText: string;
}

/** Reads the row packets of a result from the connection's input, as they come. */
export interface RowSink {
  /**
   * Takes what it can of buffer[start..end) and answers where it stopped. It stops before the packet that ends the
   * result, sets `ended`, and is not called again. It may keep nothing of the buffer.
   */
  take(buffer: Buffer, start: number, end: number): number;
  readonly ended: boolean;
  /** A promise when no more should be read until it resolves; its rejection ends the session. */
  room(): Promise<void> | undefined;
}

export type Row = readonly (string | null)[];

/** A statement whose rows come in the binary protocol. */
interface PreparedStatement {
  /** As the server will send them. */
  columns: readonly WireColumn[];
  /** As Session.stream. */
  stream(sink: RowSink): Promise<void>;
  /** Has the server forget it. */
  close(): Promise<void>;
}

export interface Session {
  readonly server: Server;
  readonly place: ErrorOrigin;
  readonly threadId: number;
  readonly encrypted: boolean;
  /** Rows as text, in UTF-8; `latin1`: a character for each byte. Errors: EngineError with the server's MysqlError as its cause; `source_refused` above `answerBytes`. */
  query(sql: string, encoding?: "latin1"): Promise<Row[]>;
  /** Gives the rows of a statement to `sink` as bytes; `columns` is how many it expects. Resolves after the result's own end. */
  stream(sql: string, columns: number, sink: RowSink): Promise<void>;
  /** Prepares a statement that gives rows. Errors as of `query`. */
  prepare(sql: string): Promise<PreparedStatement>;
  /** A statement without a result set. */
  run(sql: string | Buffer): Promise<StatementOutcome>;
  /**
   * LOAD DATA LOCAL INFILE of `file`, as the statement calls it; the session is taken until the stream's end. Only for
   * a session opened with `loads`. A server that asks for another file, or again, is cut off.
   */
  load(sql: string, file: string): Promise<LocalStream>;
  /** Cuts the connection; what runs is rejected with `connection_lost`. */
  destroy(): void;
  /** Closes; repeatable, never rejects. */
  end(): Promise<void>;
}
