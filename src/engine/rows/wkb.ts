/**
 * Walks through a geometry, SRID (4 bytes) and well-known binary, piece by piece however the pieces are cut, and says
 * what of it another server would not take: lines of one point, rings that are not closed, bytes that are no geometry.
 */
export interface Wkb {
  /** `shape`: the number that the geometry must have; 0: any. */
  start(shape: number): void;
  feed(from: Uint8Array, start: number, end: number): void;
  /** Why it cannot be taken, in words that quote no value. */
  finish(): string | undefined;
}

interface WkbRules {
  /** The SRID comes in big-endian, and geometries in either order; else all is little-endian. */
  turned?: boolean;
  /** Polygons, and those of several points, lines or polygons, may have none. */
  empties?: boolean;
  /** Words where it cannot be taken. */
  srid(srid: number): string | undefined;
  place(x: number, y: number): string | undefined;
  /** Takes what was read, in little-endian: piece[0..length), good during the call. */
  put?(piece: Uint8Array, length: number): void;
}

const collection = 7;
const pointBytes = 16;
const deepest = 50;

/** What is left of a geometry that holds others: how many, of which number (0: any). */
interface Frame {
  left: number;
  shape: number;
}
/** In place of a number: a polygon's ring. */
const ring = -1;

type State = "srid" | "head" | "count" | "point" | "end";
const sizes: Record<State, number> = { srid: 4, head: 5, count: 4, point: pointBytes, end: 0 };

export function createWkb({ turned = false, empties = false, srid, place, put }: WkbRules): Wkb {
  const piece = new Uint8Array(pointBytes);
  const view = new DataView(piece.buffer);
  const first = new Uint8Array(pointBytes);
  let state: State = "end";
  let got = 0;
  let trouble: string | undefined;
  let frames: Frame[] = [];
  /** Of what is being read: its number, or `ring`. */
  let shape = 0;
  let little = true;
  let points = 0;
  let isFirst = true;

  const numberAt = (at: number): number => {
    const value = view.getUint32(at, little);
    view.setUint32(at, value, true);
    return value;
  };

  /** What is whole: the next of those around it, or the end. */
  const close = () => {
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      if (frame.left-- > 0) {
        shape = frame.shape;
        state = shape === ring ? "count" : "head";
        return;
      }
      frames.pop();
    }
    state = "end";
  };

  const readHead = () => {
    const order = piece[0] as number;
    little = order === 1;
    piece[0] = 1;
    const found = numberAt(1);
    if (order > 1 || (order === 0 && !turned) || found < 1 || found > collection || (shape > 0 && found !== shape)) {
      trouble = "bytes that are no geometry of its type";
      return;
    }
    shape = found;
    points = 1;
    isFirst = true;
    state = found === 1 ? "point" : "count";
  };

  const readCount = () => {
    const count = numberAt(0);
    if (shape === ring || shape === 2) {
      if (count < (shape === ring ? 4 : 2)) trouble = "a line or ring with too few points";
      points = count;
      isFirst = true;
      state = "point";
      return;
    }
    if (count === 0 && shape !== collection && !empties) trouble = "an empty geometry";
    if (frames.length >= deepest) trouble = "geometries nested too deep";
    frames.push({ left: count, shape: shape === 3 ? ring : shape === collection ? 0 : shape - 3 });
    close();
  };

  const readPoint = () => {
    const x = view.getFloat64(0, little);
    const y = view.getFloat64(8, little);
    // Bytes are turned, not numbers: each NaN would become the same.
    if (!little) for (const at of [0, 8]) piece.subarray(at, at + 8).reverse();
    trouble = place(x, y);
    if (isFirst) first.set(piece);
    isFirst = false;
    if (--points > 0) return;
    if (shape === ring && piece.some((byte, at) => byte !== first[at])) trouble = "a polygon whose ring is not closed";
    close();
  };

  const read = () => {
    const length = sizes[state];
    if (state === "srid") {
      little = !turned;
      trouble = srid(numberAt(0));
      state = "head";
    } else if (state === "head") readHead();
    else if (state === "count") readCount();
    else readPoint();
    put?.(piece, length);
  };

  return {
    start(wanted) {
      state = "srid";
      shape = wanted;
      got = 0;
      trouble = undefined;
      frames = [];
    },
    feed(from, start, end) {
      for (let p = start; p < end && trouble === undefined; ) {
        if (state === "end") {
          trouble = "bytes after a geometry";
          return;
        }
        const length = Math.min(sizes[state] - got, end - p);
        for (let at = 0; at < length; at++) piece[got + at] = from[p + at] as number;
        p += length;
        got += length;
        if (got < sizes[state]) return;
        got = 0;
        read();
      }
    },
    finish: () => trouble ?? (state === "end" ? undefined : "a geometry that ends too early"),
  };
}
