/** Rows of hostile values, the same for a seed: for i j b u t n m x s p g a e d h k of the translation's tests. */

const texts = [
  "",
  " ",
  "a",
  "A",
  "a ",
  " a",
  "aa",
  "b",
  "B",
  "ab",
  "á",
  "ß",
  "é",
  "é",
  "Ä_",
  "%",
  "a%b",
  "\\",
  "a\\b",
  "'",
  '"',
  "12-34",
  "x@y.z",
  "💥",
  "日本語",
  "a\tb",
  "a\nb",
  "pg",
  "0",
  "NULL",
  "i",
  "İ",
];
const ascii = texts.filter((text) => /^[\0-\x7f]*$/.test(text));
const dates = [
  "2020-02-29",
  "2019-12-31",
  "1999-12-31",
  "0001-01-01",
  "9999-12-31",
  "2000-01-31",
  "2024-05-30",
  "1970-01-01",
];
const times = ["00:00:00", "23:59:59", "12:30:15", "00:00:01"];
const integers = [0, 1, -1, 2, 3, 7, -7, 5, 100, 2147483647, -2147483648, 65536, 12];

/** A generator whose numbers are the seed's (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function hostileRows(count: number, seed: number): (string | number | null)[][] {
  const random = seeded(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  const maybe = <Value>(value: () => Value): Value | null => (random() < 0.12 ? null : value());
  const decimal = (whole: number, scale: number) => ((random() - 0.5) * 10 ** (random() * whole)).toFixed(scale);
  return Array.from({ length: count }, () => [
    maybe(() => pick(integers)),
    pick(integers),
    maybe(() => pick(["9223372036854775807", "-9223372036854775808", "0", "42"])),
    maybe(() => pick([0, 1, 4294967295, 12])),
    maybe(() => pick([0, 1])),
    maybe(() => (random() < 0.3 ? pick(["0.00", "0.50", "-0.50", "1.50", "2.50", "-99999999.99"]) : decimal(8, 2))),
    maybe(() =>
      random() < 0.3 ? pick(["0.000000", "0.050000", "-0.150000", "2.500000", "1.234500"]) : decimal(12, 6),
    ),
    maybe(() => (random() - 0.5) * 1e6),
    maybe(() => pick(texts)),
    maybe(() => pick(texts)),
    maybe(() => pick(texts)),
    maybe(() => pick(ascii)),
    maybe(() => pick(["G", "PG", "pg-13"])),
    maybe(() => pick(dates)),
    maybe(() => `${pick(dates)} ${pick(times)}`),
    maybe(() => `${pick(dates)} ${pick(times)}.${String(Math.floor(random() * 1e6)).padStart(6, "0")}`),
  ]);
}
