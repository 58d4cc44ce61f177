import { batches } from "./packed.ts";

/** Elements of a list that are text at one moment. */
const together = 2_000;

/** Data as JSON.stringify writes it, in UTF-8: of long lists there is never all as text, which would be in the heap beside them. */
export const jsonBytes = (value: object): Buffer =>
  Buffer.concat(Array.from(jsonPieces(value), (piece) => Buffer.from(piece)));

function* jsonPieces(value: object): Generator<string> {
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
