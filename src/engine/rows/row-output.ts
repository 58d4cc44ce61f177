import { blockBytes } from "../run/memory/block-pool.ts";

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
