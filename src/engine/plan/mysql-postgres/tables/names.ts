import { createHash } from "node:crypto";

/** Names that the target keeps whole (63 bytes) and that are there once. */
export interface Names {
  /** `wanted` if it is free and short enough, else cut and with a suffix hashed from `identity`, which must be unique. */
  take(wanted: string, identity: string): string;
  isFree(name: string): boolean;
}

export const nameBytes = 63;

export function createNames(taken: Iterable<string> = []): Names {
  const used = new Set(taken);
  return {
    isFree: (name) => !used.has(name),
    take(wanted, identity) {
      let name = wanted;
      for (let round = 0; name === "" || Buffer.byteLength(name) > nameBytes || used.has(name); round++) {
        const suffix = createHash("sha256").update(`${round} ${identity}`).digest("hex").slice(0, 8);
        name = `${cut(wanted, nameBytes - suffix.length - 1)}_${suffix}`;
      }
      used.add(name);
      return name;
    },
  };
}

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
