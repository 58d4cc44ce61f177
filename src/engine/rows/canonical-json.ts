/**
 * One text for each JSON value, however a server writes it: keys in order, the last of equal ones, numbers by value.
 * `double`: numbers that are not integers of 64 bits are doubles, as MySQL keeps them; else they are exact.
 */
export function canonicalJson(text: string, double: boolean): string {
  // The reviver sees each number as it was written, which the type of Node's library does not say.
  const parse = JSON.parse as (
    text: string,
    reviver: (key: string, value: unknown, at: { source?: string }) => unknown,
  ) => unknown;
  const value = parse(text, (_, found, { source }) =>
    typeof found === "number" ? new Digits(canonicalNumber(source ?? String(found), double)) : found,
  );
  return write(value);
}

class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function write(value: unknown): string {
  if (value instanceof Digits) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, of]) => `${JSON.stringify(key)}:${write(of)}`).join(",")}}`;
}

const smallest = -(2n ** 63n);
const largest = 2n ** 64n - 1n;

/** `1.50`, `15e-1` → `15e-1`; every zero but a double's `-0` → `0`. */
export function canonicalNumber(text: string, double: boolean): string {
  if (!double) return exact(text);
  if (/^-?\d+$/.test(text)) {
    const integer = BigInt(text);
    if (integer >= smallest && integer <= largest) return exact(text.replace(/^-0+$/, "0"));
  }
  return exact(String(Number(text)));
}

function exact(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const kept = digits.replace(/(?<!0)0+$/, "");
  const minus = sign === "-" ? "-" : "";
  if (kept === "") return minus === "" ? "0" : "-0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length);
  return `${minus}${kept}e${power}`;
}
