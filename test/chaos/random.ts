/** Numbers that follow from a seed, so that what they chose can be run again. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below `n`. */
  below(n: number): number;
  pick<T>(values: readonly T[]): T;
}

/** mulberry32; `seed` and `stream` together name the sequence. */
export function random(seed: number, stream = 0): Random {
  let state = (seed ^ Math.imul(stream + 1, 0x9e3779b1)) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return {
    next,
    below,
    pick(values) {
      const found = values[below(values.length)];
      if (found === undefined) throw new Error("nothing to pick from");
      return found;
    },
  };
}
