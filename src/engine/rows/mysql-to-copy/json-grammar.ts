/**
 * Whether bytes are a JSON document as RFC 8259 and PostgreSQL have it. MariaDB's JSON_VALID takes more: `[-]`, `[1.]`,
 * unknown escapes.
 */
interface JsonGrammar {
  start(): void;
  feed(buffer: Uint8Array, start: number, end: number): void;
  /** Call after the last byte. */
  valid(): boolean;
}

/** What may come next; a name that ends in a number's or word's part is inside of it. */
type State =
  | "value"
  | "value or end"
  | "key"
  | "key or end"
  | "colon"
  | "comma or end"
  | "string"
  | "escape"
  | "hex"
  | "word"
  | "minus"
  | "zero"
  | "integer"
  | "point"
  | "fraction"
  | "e"
  | "sign"
  | "exponent"
  | "wrong";

const isSpace = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
const escapable = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));
const words: Record<string, string> = { t: "rue", f: "alse", n: "ull" };
const ends = new Set<State>(["zero", "integer", "fraction", "exponent"]);

/** From within a number, by what comes. `zero` where it differs from another digit. */
const numbers: Partial<Record<State, { zero?: State; digit?: State; point?: State; e?: State; sign?: State }>> = {
  minus: { zero: "zero", digit: "integer" },
  zero: { point: "point", e: "e" },
  integer: { digit: "integer", point: "point", e: "e" },
  point: { digit: "fraction" },
  fraction: { digit: "fraction", e: "e" },
  e: { digit: "exponent", sign: "sign" },
  sign: { digit: "exponent" },
  exponent: { digit: "exponent" },
};

export function createJsonGrammar(): JsonGrammar {
  let state: State = "value";
  /** Open brackets: true for an object. */
  let open: boolean[] = [];
  let isKey = false;
  let left = 0;
  let word = "";

  const beginValue = (byte: number): State => {
    if (byte === 0x22) {
      isKey = false;
      return "string";
    }
    if (byte === 0x7b || byte === 0x5b) {
      open.push(byte === 0x7b);
      return byte === 0x7b ? "key or end" : "value or end";
    }
    if (byte === 0x2d) return "minus";
    if (byte === 0x30) return "zero";
    if (isDigit(byte)) return "integer";
    word = words[String.fromCharCode(byte)] ?? "";
    return word === "" ? "wrong" : "word";
  };

  const close = (byte: number): State => {
    const object = open.pop();
    return object !== undefined && byte === (object ? 0x7d : 0x5d) ? "comma or end" : "wrong";
  };

  const beginKey = (byte: number): State => {
    isKey = true;
    return byte === 0x22 ? "string" : "wrong";
  };

  const afterValue = (byte: number): State => {
    if (byte !== 0x2c) return close(byte);
    const object = open[open.length - 1];
    return object === undefined ? "wrong" : object ? "key" : "value";
  };

  const between = (byte: number): State => {
    switch (state) {
      case "value":
        return beginValue(byte);
      case "value or end":
        return byte === 0x5d ? close(byte) : beginValue(byte);
      case "key":
        return beginKey(byte);
      case "key or end":
        return byte === 0x7d ? close(byte) : beginKey(byte);
      case "colon":
        return byte === 0x3a ? "value" : "wrong";
      case "comma or end":
        return afterValue(byte);
      default:
        return "wrong";
    }
  };

  const inString = (byte: number): State => {
    if (byte === 0x22) return isKey ? "colon" : "comma or end";
    if (byte === 0x5c) return "escape";
    return byte < 0x20 ? "wrong" : "string";
  };

  const escaped = (byte: number): State => {
    left = 4;
    return byte === 0x75 ? "hex" : escapable.has(byte) ? "string" : "wrong";
  };

  const hex = (byte: number): State => {
    const isHex = isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
    return !isHex ? "wrong" : --left === 0 ? "string" : "hex";
  };

  const inWord = (byte: number): State => {
    if (word.charCodeAt(0) !== byte) return "wrong";
    word = word.slice(1);
    return word === "" ? "comma or end" : "word";
  };

  /** Where a byte leads inside a number; undefined: it does not belong to it. */
  const inNumber = (byte: number): State | undefined => {
    const steps = numbers[state];
    if (byte === 0x30) return steps?.zero ?? steps?.digit;
    if (isDigit(byte)) return steps?.digit;
    if (byte === 0x2e) return steps?.point;
    return (byte | 0x20) === 0x65 ? steps?.e : byte === 0x2b || byte === 0x2d ? steps?.sign : undefined;
  };

  const next = (byte: number): State => {
    switch (state) {
      case "wrong":
        return "wrong";
      case "string":
        return inString(byte);
      case "escape":
        return escaped(byte);
      case "hex":
        return hex(byte);
      case "word":
        return inWord(byte);
      case "value":
      case "value or end":
      case "key":
      case "key or end":
      case "colon":
      case "comma or end":
        return isSpace(byte) ? state : between(byte);
      default: {
        const inside = inNumber(byte);
        if (inside !== undefined) return inside;
        if (!ends.has(state)) return "wrong";
        return isSpace(byte) ? "comma or end" : afterValue(byte);
      }
    }
  };

  return {
    start() {
      state = "value";
      open = [];
    },
    feed(buffer, start, end) {
      for (let at = start; at < end; at++) state = next(buffer[at] as number);
    },
    valid: () => open.length === 0 && (state === "comma or end" || ends.has(state)),
  };
}
