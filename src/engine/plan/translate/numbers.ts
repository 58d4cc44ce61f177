/** Of whole numbers beyond what Math takes. */

export const smaller = (a: bigint, b: bigint): bigint => {
  if (a < b) return a;
  return b;
};

export const larger = (a: bigint, b: bigint): bigint => {
  if (a > b) return a;
  return b;
};
