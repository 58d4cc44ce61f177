/** A block is mapped by itself, above the size from which the C library asks the kernel. */
const blockBytes = 256 * 1024;

/**
 * Copies bytes that are kept for long into large blocks: each by itself, between what comes and goes, would keep the memory
 * of its neighbours from being given back.
 */
export function createBlocks(): (bytes: Uint8Array) => Buffer {
  let block = Buffer.alloc(0);
  let used = 0;
  return (bytes) => {
    if (bytes.length > block.length - used) {
      block = Buffer.allocUnsafeSlow(Math.max(blockBytes, bytes.length));
      used = 0;
    }
    const copy = block.subarray(used, used + bytes.length);
    copy.set(bytes);
    used += bytes.length;
    return copy;
  };
}
