import type { RowSink } from "../mysql/driver/session.ts";
import type { Throttle } from "../run/throttle.ts";

/** What an encoder took, told as it comes. */

interface Counts {
  readonly rows: number;
  readonly bytes: number;
}

/** Tells `progress` rows and bytes since the last call; answers the bytes. */
export function createMeter(counts: Counts, progress: (rows: number, bytes: number) => void): () => number {
  let rows = 0;
  let bytes = 0;
  return () => {
    const more = counts.bytes - bytes;
    progress(counts.rows - rows, more);
    rows = counts.rows;
    bytes = counts.bytes;
    return more;
  };
}

export const both = (one: Promise<void> | undefined, other: Promise<void> | undefined): Promise<void> | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Promise.all([one, other]).then(() => undefined);

/** The encoder, at the speed that the throttle allows. `took` hears of it before the progress. */
export function metered(
  encoder: RowSink & Counts,
  { throttle, progress }: { throttle: Throttle; progress(rows: number, bytes: number): void },
  took?: () => void,
): RowSink {
  const meter = createMeter(encoder, progress);
  let slow: Promise<void> | undefined;
  return {
    get ended() {
      return encoder.ended;
    },
    room() {
      const room = both(encoder.room(), slow);
      slow = undefined;
      return room;
    },
    take(buffer, start, end) {
      const at = encoder.take(buffer, start, end);
      took?.();
      slow = throttle.take(meter());
      return at;
    },
  };
}
