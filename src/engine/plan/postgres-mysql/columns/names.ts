import { foldName, keepable } from "../../../mysql/driver/names.ts";
import { createUniqueNames, type Names } from "../../unique-names.ts";

/** Names that MySQL keeps: at most 64 characters, none beyond the basic plane, no space at the end, told apart without case. */
const nameCharacters = 64;
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
  const isTooLong = (name: string) => [...name].length > nameCharacters || (file && fileLength(name) > fileBytes);
  const names = createUniqueNames(taken, {
    fold: (name) => foldName(name, { exact, accents }),
    keepable,
    isTooLong,
    start(name, suffix) {
      let start = [...name].slice(0, nameCharacters - suffix.length);
      while (file && start.length > 0 && isTooLong(`${start.join("")}${suffix}`)) start = start.slice(0, -1);
      return start.join("");
    },
  });
  // A server that does not tell the names of tables apart by case keeps them in lower case.
  const cased = (name: string) => (file && !exact ? name.toLowerCase() : name);
  return { ...names, take: (wanted, identity) => names.take(cased(wanted), identity) };
}

/** Bytes of a name in a file's. */
export const fileLength = (name: string): number => name.replaceAll(/[^A-Za-z0-9_]/gu, "@0000").length;
