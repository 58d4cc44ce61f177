/** Free blocks that streams share. */
export interface BlockPool {
  take(): Buffer;
  give(block: Uint8Array): void;
}

export function createBlockPool(bytes: number): BlockPool {
  const free: Buffer[] = [];
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(bytes),
    give(block) {
      free.push(Buffer.from(block.buffer));
    },
  };
}
