import { type CopyIn, frame, headerBytes } from "../../postgres/driver/copy-in.ts";
import type { BlockPool, Blocks } from "../../run/memory/block-pool.ts";

/** Where data starts in a block: the header of a CopyData message comes first. */
export const blockStart = headerBytes;

/** Each block is handed to the target's socket in one write, and taken up again when its bytes have left. */
export function blocksInto(copy: CopyIn, pool: BlockPool): Blocks {
  let waiting: Promise<void> | undefined;
  return {
    first: () => pool.take(),
    spare: (block) => pool.give(block),
    flush(block, end) {
      frame(block, 0, end);
      const room = copy.write(block.subarray(0, end));
      if (room !== undefined) {
        waiting = room;
        // Whoever asks for room hears of a failure; without this an early one would count as unheard.
        room.catch(() => undefined);
      }
      return pool.take();
    },
    room() {
      const room = waiting;
      waiting = undefined;
      return room;
    },
  };
}
