/** The head of a row of the binary protocol: a zero byte and a bit for each column, which says that it is NULL. */
export const rowStart = 1;

/** Bits of the bitmap that belong to no column. */
const bitsBefore = 2;

export const bitmapBytes = (columns: number): number => (columns + 7 + bitsBefore) >> 3;

/** `bitmap`: where it begins. */
export const isNull = (from: Uint8Array, bitmap: number, column: number): boolean =>
  ((from[bitmap + ((column + bitsBefore) >> 3)] as number) & (1 << ((column + bitsBefore) & 7))) !== 0;
