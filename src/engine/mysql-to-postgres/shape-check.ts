import { largestSrid } from "./shapes.ts";

/**
 * Whether a geometry as MySQL and MariaDB keep it (SRID, then well-known binary in little-endian) is one that PostGIS
 * takes as it is. MariaDB keeps lines of one point, rings that are not closed, and bytes that are no geometry. Fed
 * piece by piece, however the pieces are cut.
 */
export interface ShapeCheck {
  /** `shape`: the number that the value must have; 0: any. */
  start(shape: number): void;
  feed(from: Uint8Array, start: number, end: number): void;
  /** Why it cannot be taken, in words that quote no value. */
  finish(): string | undefined;
}

const collection = 7;
const pointBytes = 16;
const deepest = 100;

/** What is left of a geometry that holds others: how many, of which number (0: any); `ring`: those of a polygon. */
interface Frame {
  left: number;
  shape: number;
}
const ring = -1;

type State = "srid" | "head" | "count" | "point" | "end";
const sizes: Record<State, number> = { srid: 4, head: 5, count: 4, point: pointBytes, end: 0 };

export function createShapeCheck(): ShapeCheck {
  const piece = new Uint8Array(pointBytes);
  const view = new DataView(piece.buffer);
  const first = new Uint8Array(pointBytes);
  let state: State = "end";
  let got = 0;
  let trouble: string | undefined;
  let frames: Frame[] = [];
  /** Of what is being read: a WKB number, or `ring`. */
  let shape = 0;
  let points = 0;
  let isFirst = true;

  const isOpen = () => piece.some((byte, at) => byte !== first[at]);

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
    const found = view.getUint32(1, true);
    if (piece[0] !== 1 || found < 1 || found > collection || (shape > 0 && found !== shape)) {
      trouble = "bytes that are no geometry of its type";
      return;
    }
    shape = found;
    points = 1;
    isFirst = true;
    state = found === 1 ? "point" : "count";
  };

  const readCount = () => {
    const count = view.getUint32(0, true);
    if (shape === ring || shape === 2) {
      if (count < (shape === ring ? 4 : 2)) trouble = "a line or ring with too few points";
      points = count;
      isFirst = true;
      state = "point";
      return;
    }
    if (frames.length >= deepest) trouble = "geometries nested too deep";
    frames.push({ left: count, shape: shape === 3 ? ring : shape === collection ? 0 : shape - 3 });
    close();
  };

  const readPoint = () => {
    if (Number.isNaN(view.getFloat64(0, true)) || Number.isNaN(view.getFloat64(8, true)))
      trouble = "a coordinate that is no number";
    if (isFirst) first.set(piece);
    isFirst = false;
    if (--points > 0) return;
    if (shape === ring && isOpen()) trouble = "a polygon whose ring is not closed";
    close();
  };

  const step = () => {
    if (state === "srid") {
      if (view.getUint32(0, true) > largestSrid) trouble = `an SRID above ${largestSrid}`;
      state = "head";
    } else if (state === "head") readHead();
    else if (state === "count") readCount();
    else readPoint();
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
        step();
      }
    },
    finish: () => trouble ?? (state === "end" ? undefined : "a geometry that ends too early"),
  };
}
