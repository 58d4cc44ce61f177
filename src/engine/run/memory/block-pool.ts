/** Free blocks that streams share. */
export interface BlockPool {
  take(): Buffer;
  give(block: Uint8Array): void;
}

/** Of every block that goes to a target. */
export const blockBytes = 256 * 1024;

export function createBlockPool(): BlockPool {
  const free: Buffer[] = [];
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(blockBytes),
    give(block) {
      free.push(Buffer.from(block.buffer));
    },
  };
}

/** Blocks on their way to a target. */
export interface Blocks {
  /** An empty block, for the first time. */
  first(): Buffer;
  /** Sends what is in the block up to `end`, of which the last row may go on in the next, and answers with an empty block. */
  flush(block: Buffer, end: number): Buffer;
  /** Set while the target has enough to do; taken by whoever asks. Rejects with the server's error. */
  room(): Promise<void> | undefined;
  /** Gives an unsent block back. */
  spare(block: Buffer): void;
}
