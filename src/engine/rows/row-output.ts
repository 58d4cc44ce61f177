import { blockBytes } from "../run/memory/block-pool.ts";

/** What the encoders of rows have in common. `Findings`: of a column. */
export interface RowEncoding<Findings> {
  /** Rows written so far. */
  readonly rows: number;
  /** Bytes of rows read so far. */
  readonly bytes: number;
  /** One for each column, live. */
  readonly findings: readonly Findings[];
  /** A guess is broken: what comes is read and thrown away. */
  readonly broken: boolean;
  /** Throws away what comes. */
  discard(): void;
  readonly discarded: boolean;
  /** Sends what is left in the block and gives the block back. Last call. */
  finish(): void;
}

/** The block that an encoder writes rows to, for its long rows. */
export interface RowOutput {
  block(): Buffer;
  /** Where the next byte goes. */
  at(): number;
  move(at: number): void;
  /** Sends the block and goes on with an empty one. */
  flush(): void;
}

/** Makes room for so many bytes. */
export function need(out: RowOutput, bytes: number): void {
  if (out.at() + bytes > blockBytes) out.flush();
}

export function put(out: RowOutput, byte: number): void {
  need(out, 1);
  out.block()[out.at()] = byte;
  out.move(out.at() + 1);
}
