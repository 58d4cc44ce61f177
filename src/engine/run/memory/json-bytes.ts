import { batches } from "./packed.ts";

/** Elements of a list that are text at one moment. */
const together = 2_000;

/** Data as JSON.stringify writes it, in UTF-8: of long lists there is never all as text, which would be in the heap beside them. */
export const jsonBytes = (value: object): Buffer =>
  Buffer.concat(Array.from(jsonPieces(value), (piece) => Buffer.from(piece)));

/** The same as text, in pieces of at most `most` characters, none of which ends within a character. */
export function* jsonTexts(value: object, most: number): Generator<string> {
  let text = "";
  for (const piece of jsonPieces(value)) {
    text += piece;
    while (text.length > most) {
      const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
      yield text.slice(0, end);
      text = text.slice(end);
    }
  }
  yield text;
}

/** The same as text, piece by piece. */
export function* jsonPieces(value: object): Generator<string> {
  let before = "{";
  for (const [key, one] of Object.entries(value)) {
    if (one === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    before = ",";
    if (Array.isArray(one)) yield* listPieces(one);
    else if (one !== null && typeof one === "object") yield* jsonPieces(one);
    else yield JSON.stringify(one);
  }
  yield before === "{" ? "{}" : "}";
}

function* listPieces(list: readonly unknown[]): Generator<string> {
  let before = "[";
  for (const some of batches(list, together)) {
    yield `${before}${JSON.stringify(some).slice(1, -1)}`;
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}
