import { createHash } from "node:crypto";

/** Names that the target keeps as they are, and that are there once. */
export interface Names {
  /** `wanted` if it is good and free, else cut or fixed and with a suffix hashed from `identity`, which must be unique. */
  take(wanted: string, identity: string): string;
  isFree(name: string): boolean;
}

/** What a server asks of names. */
interface NameRules {
  /** Equal for names that the server holds to be the same. */
  fold(name: string): string;
  /** What the server would keep of it. */
  keepable(name: string): string;
  isTooLong(name: string): boolean;
  /** As much of the beginning as leaves room for the suffix. */
  start(name: string, suffix: string): string;
}

export function createUniqueNames(taken: Iterable<string>, { fold, keepable, isTooLong, start }: NameRules): Names {
  const used = new Set(Array.from(taken, fold));
  const isBad = (name: string) => name === "" || isTooLong(name) || used.has(fold(name));
  return {
    isFree: (name) => !used.has(fold(name)),
    take(wanted, identity) {
      const good = keepable(wanted);
      let name = good;
      for (let round = 0; (round === 0 && name !== wanted) || isBad(name); round++) {
        const suffix = `_${createHash("sha256").update(`${round} ${identity}`).digest("hex").slice(0, 8)}`;
        name = `${start(good, suffix)}${suffix}`;
      }
      used.add(fold(name));
      return name;
    },
  };
}

/** The name of what belongs to a table; the same at each call. `given`: by identity. */
export function nameOnce(given: Map<string, string>, names: Names, identity: string, wanted: string): string {
  const known = given.get(identity);
  if (known !== undefined) return known;
  const name = names.take(wanted, identity);
  given.set(identity, name);
  return name;
}
