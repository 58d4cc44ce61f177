/**
 * Cuts values out of a JSON text that comes in pieces, so that a large one is never in memory whole. What is cut out is not parsed: the
 * text is taken to be well-formed, as what wrote it made it. One that ends too early, or has another shape, throws NoSuchPart.
 */

export class NoSuchPart extends Error {}

type Pieces = AsyncIterable<Buffer> | Iterable<Buffer>;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d;

/** Follows one byte after the other: how many objects and arrays are open, and whether it is within a string. */
function createFollower() {
  let escaped = false;
  const state = { depth: 0, inString: false };
  return {
    state,
    /** Within a string, from here: where it ends, else the piece's length. */
    endOfString(piece: Buffer, from: number): number {
      for (let at = escaped ? from + 1 : from; ; ) {
        const end = piece.indexOf(quote, at);
        const last = end < 0 ? piece.length : end;
        let slashes = 0;
        while (last - slashes > at && piece[last - slashes - 1] === backslash) slashes += 1;
        escaped = end < 0 && slashes % 2 === 1;
        if (end < 0 || slashes % 2 === 0) return last;
        at = end + 1;
      }
    },
    /** True where the byte stands for itself, and is not part of a string. */
    next(byte: number): boolean {
      if (state.inString) {
        if (escaped) escaped = false;
        else if (byte === backslash) escaped = true;
        else if (byte === quote) state.inString = false;
        return false;
      }
      if (byte === quote) state.inString = true;
      else if (isOpening(byte)) state.depth += 1;
      else if (isClosing(byte)) state.depth -= 1;
      return byte !== quote;
    },
  };
}

/** Bytes of a key; a longer one is none that is looked for. */
const longestKey = 64;

/** The text of the object or array that stands at the path, piece by piece. */
export async function* partAt(pieces: Pieces, path: readonly string[]): AsyncGenerator<Buffer> {
  const follower = createFollower();
  const { state } = follower;
  /** Keys of the path that are passed; the next one stands in the object that is open at depth `level + 1`. */
  let level = 0;
  let isKey = false;
  let key = "";
  /** After the colon behind the next key of the path. */
  let isDue = true;
  let found = false;

  /** Whether the looked-for value begins at this byte. */
  const begins = (byte: number): boolean => {
    const wasInString = state.inString;
    const plain = follower.next(byte);
    const outer = state.depth === level + 1;
    if (isDue && !isSpace(byte)) {
      if (level === path.length ? !isOpening(byte) : byte !== 0x7b) throw new NoSuchPart("it is of another shape");
      isDue = false;
      isKey = level < path.length;
      return !isKey;
    }
    if (!wasInString && state.inString) key = "";
    else if (wasInString && state.inString && isKey && outer && key.length <= longestKey)
      key += String.fromCharCode(byte);
    if (plain && outer && byte === comma) isKey = true;
    if (plain && outer && byte === 0x3a) {
      isKey = false;
      if (key === path[level]) {
        level += 1;
        isDue = true;
      }
    }
    if (plain && state.depth <= level && !isDue) throw new NoSuchPart("it has no such part");
    return false;
  };

  for await (const piece of pieces) {
    let from = found ? 0 : -1;
    for (let at = 0; at < piece.length; at += 1) {
      if (state.inString && !(isKey && state.depth === level + 1)) {
        at = follower.endOfString(piece, at);
        if (at === piece.length) break;
      }
      const byte = piece[at] as number;
      if (!found) {
        if (!begins(byte)) continue;
        found = true;
        from = at;
      } else if (follower.next(byte) && state.depth === level) {
        yield piece.subarray(from, at + 1);
        return;
      }
    }
    if (from >= 0 && from < piece.length) yield piece.subarray(from);
  }
  throw new NoSuchPart("it ends too early");
}

const endsElement = (byte: number, depth: number): boolean => depth === 0 || (depth === 1 && byte === comma);

/** The texts between the commas of an object or array: of each its first `longest` bytes, and whether these are all. */
async function* itemsOf(
  pieces: Pieces,
  opening: number,
  longest: number,
): AsyncGenerator<{ head: Buffer; isWhole: boolean }> {
  const follower = createFollower();
  const { state } = follower;
  let parts: Buffer[] = [];
  let size = 0;
  let begun = false;
  const keep = (part: Buffer) => {
    if (size < longest) parts.push(part.subarray(0, longest - size));
    size += part.length;
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      if (state.inString) {
        at = follower.endOfString(piece, at);
        if (at === piece.length) break;
      }
      const byte = piece[at] as number;
      const plain = follower.next(byte);
      if (!begun) {
        if (byte !== opening) throw new NoSuchPart("it is of another shape");
        begun = true;
        from = at + 1;
        continue;
      }
      if (!plain || !endsElement(byte, state.depth)) continue;
      keep(piece.subarray(from, at));
      const item = { head: Buffer.concat(parts), isWhole: size <= longest };
      parts = [];
      size = 0;
      from = at + 1;
      if (byte === comma || !item.head.every(isSpace)) yield item;
      if (state.depth === 0) return;
    }
    keep(piece.subarray(from));
  }
  throw new NoSuchPart("it ends too early");
}

/** Each element of the array whose text this is. One of more bytes than `longest` throws NoSuchPart. */
export async function* elementsOf(pieces: Pieces, longest: number): AsyncGenerator<Buffer> {
  for await (const { head, isWhole } of itemsOf(pieces, 0x5b, longest)) {
    if (!isWhole) throw new NoSuchPart("an element is too long");
    yield head;
  }
}

/** The members of the object whose text this is, parsed, without those of more bytes than `longest`. */
export async function* membersOf(pieces: Pieces, longest: number): AsyncGenerator<[key: string, value: unknown]> {
  for await (const { head, isWhole } of itemsOf(pieces, 0x7b, longest))
    if (isWhole) yield* Object.entries(JSON.parse(`{${head.toString("utf8")}}`) as Record<string, unknown>);
}
