import { createHash } from "node:crypto";
import { foldName, keepable } from "../../../mysql/driver/names.ts";

/** Names that MySQL keeps: at most 64 characters, none beyond the basic plane, no space at the end, told apart without case. */
export interface Names {
  /** `wanted` if it is good and free, else cut or fixed and with a suffix hashed from `identity`, which must be unique. */
  take(wanted: string, identity: string): string;
}

export const nameCharacters = 64;
/** A table's name is a file's: each other character takes five bytes there, and partitions add their own. */
const fileBytes = 180;

/**
 * `file`: names of tables; `exact`: the server tells names apart by case (tables, where lower_case_table_names is 0);
 * `accents`: it may not tell e from é (constraints and partitions of MySQL; information_schema of MariaDB).
 */
export function createNames(
  taken: Iterable<string> = [],
  { file = false, exact = false, accents = false }: { file?: boolean; exact?: boolean; accents?: boolean } = {},
): Names {
  const fold = (name: string) => foldName(name, { exact, accents });
  const used = new Set([...taken].map(fold));
  const long = (name: string) => [...name].length > nameCharacters || (file && fileLength(name) > fileBytes);
  return {
    take(given, identity) {
      // A server that does not tell the names of tables apart by case keeps them in lower case.
      const wanted = file && !exact ? given.toLowerCase() : given;
      const good = keepable(wanted);
      let name = good;
      const bad = () => name === "" || long(name) || used.has(fold(name));
      for (let round = 0; (round === 0 && name !== wanted) || bad(); round++) {
        const suffix = createHash("sha256").update(`${round} ${identity}`).digest("hex").slice(0, 8);
        let start = [...good].slice(0, nameCharacters - suffix.length - 1);
        while (file && start.length > 0 && long(`${start.join("")}_${suffix}`)) start = start.slice(0, -1);
        name = `${start.join("")}_${suffix}`;
      }
      used.add(fold(name));
      return name;
    },
  };
}

/** Bytes of a name in a file's. */
export const fileLength = (name: string): number => name.replaceAll(/[^A-Za-z0-9_]/gu, "@0000").length;
