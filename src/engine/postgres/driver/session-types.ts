import type { ErrorOrigin } from "../../contract/server-errors.ts";
import type { Submittable } from "./wire.ts";

/** What a session on PostgreSQL can do. Shapes only. */

export interface Session {
  /** server_version_num, as in 150018. */
  readonly version: number;
  readonly place: ErrorOrigin;
  /** Whether the session is encrypted. */
  readonly encrypted: boolean;
  /** The address that the host's name stood for; undefined where the connection is gone. */
  readonly address: string | undefined;
  /** The server's process, for pg_terminate_backend. */
  readonly processId: number;
  /** Rows of one statement; values are bound when given (with them, several statements are refused). int8 and oid are numbers. Errors: EngineError with the server's as its cause. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Any number of statements by the simple protocol, one implicit transaction. */
  run(text: string): Promise<void>;
  /** Tells the server's notices until the answered function is called. */
  hear(listener: (notice: { message?: string | undefined; detail?: string | undefined }) => void): () => void;
  /** Gives the driver a query of our own (COPY). Its handlers see the driver's raw errors. */
  submit(query: Submittable): void;
  /** Cuts the connection without a goodbye; what runs is rejected with `connection_lost`. */
  destroy(): void;
  /** Closes; repeatable, never rejects. */
  end(): Promise<void>;
}
