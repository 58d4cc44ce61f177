import { createUniqueNames, type Names } from "../../unique-names.ts";

/** Bytes of a name that PostgreSQL keeps whole. */
export const nameBytes = 63;

export const createNames = (taken: Iterable<string> = []): Names =>
  createUniqueNames(taken, {
    fold: (name) => name,
    keepable: (name) => name,
    isTooLong: (name) => Buffer.byteLength(name) > nameBytes,
    start: (name, suffix) => cut(name, nameBytes - suffix.length),
  });

/** The longest start of whole characters that fits. */
function cut(text: string, bytes: number): string {
  let length = 0;
  let result = "";
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    result += character;
  }
  return result;
}
