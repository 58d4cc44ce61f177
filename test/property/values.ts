import type { Random } from "../chaos/random.ts";

/** Names and values that hurt, as random choices. */

export const reserved = ["select", "Order", "user", "table", "group", "key", "desc", "all", "ctid2", "value", "end"];

const oddities = [
  "'",
  '"',
  "`",
  "\\",
  "\n",
  "\t",
  "%",
  "$1",
  "?",
  ";--",
  " ",
  "é",
  "漢字",
  "A",
  "a",
  ".",
  "/*",
  "*/",
  "\r",
  "{}",
];

/** Unique within its scope, also where case is folded; no more than `longest` characters. `wide`: beyond the basic plane too. */
export function hostileName(random: Random, used: Set<string>, longest: number, wide: boolean): string {
  for (;;) {
    const parts = [
      random.pick(["c", "t", "x", "Z"]),
      ...Array.from({ length: random.below(4) }, () => random.pick(oddities)),
    ];
    if (wide && random.below(6) === 0) parts.push("😀");
    let name = random.below(4) === 0 ? random.pick(reserved) : parts.join("");
    if (random.below(12) === 0) name = name.padEnd(longest, "y");
    // MySQL takes no name that ends in a blank.
    name = [...name].slice(0, longest).join("").trimEnd();
    const folded = name.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
    if (name !== "" && !used.has(folded) && Buffer.byteLength(name) <= longest) {
      used.add(folded);
      return name;
    }
  }
}

const texts = [
  "",
  " ",
  "  trailing  ",
  "it's",
  '"quoted"',
  "back\\slash",
  "\\N",
  "\\.",
  "NULL",
  "a\tb",
  "a\nb",
  "a\r\nb",
  "\b\f\v",
  "\u0001\u001f\u007f",
  "größe",
  "漢字",
  "😀👩‍👩‍👧",
  "e\u0301",
  "%s $1 {x}",
  "<a>&amp;",
  "\u2028",
  "\ufeffbom",
  "\ufffd",
  "true",
  "0",
  "-",
  "{a,b}",
  "(1,2)",
];

export function hostileText(random: Random, longest: number): string {
  const text = Array.from({ length: 1 + random.below(3) }, () => random.pick(texts)).join("");
  const repeated = random.below(20) === 0 ? text.repeat(1 + random.below(400)) : text;
  return [...repeated].slice(0, longest).join("");
}

export function bytes(random: Random, longest: number): Buffer {
  const length = random.below(Math.min(longest, random.below(15) === 0 ? longest : 12) + 1);
  return Buffer.from(
    Array.from({ length }, () => random.pick([0, 9, 10, 13, 26, 34, 39, 92, 127, 128, 255, random.below(256)])),
  );
}

export const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.below(10))
    .join("")
    .replace(/^0+(?=\d)/, "");

const two = (n: number): string => String(n).padStart(2, "0");

export const fraction = (random: Random, places: number): string =>
  places === 0 ? "" : `.${Array.from({ length: places }, () => random.below(10)).join("")}`;

export const dayOf = (random: Random, years: readonly [number, number]): string => {
  const year = years[0] + random.below(years[1] - years[0] + 1);
  return `${String(year).padStart(4, "0")}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
};

export const clock = (random: Random): string =>
  `${two(random.below(24))}:${two(random.below(60))}:${two(random.below(60))}`;

/** JSON without numbers that either server would write another way. */
export function json(random: Random, depth = 2): unknown {
  const kind = random.below(depth > 0 ? 6 : 4);
  if (kind === 0) return random.pick([null, true, false]);
  if (kind === 1) return random.below(1_000_000) - 500_000;
  if (kind < 4) return hostileText(random, 20);
  if (kind === 4) return Array.from({ length: random.below(4) }, () => json(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, (_, n) => [`k${n}${random.pick(oddities)}`, json(random, depth - 1)]),
  );
}

/** One way to write a JSON value: keys in order. */
export const canonicalJson = (text: string): string =>
  JSON.stringify(JSON.parse(text), (_, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

/** Trailing zeros of a fraction say nothing: PostgreSQL leaves them out. */
export const trimmedFraction = (text: string): string => text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

export const canonicalNumber = (text: string): string => (Object.is(Number(text), -0) ? "-0" : String(Number(text)));
