/** What is known of how MySQL and MariaDB compare text. PostgreSQL's deterministic collations call equal what has equal bytes. */

/**
 * A collation of PostgreSQL's that takes, or may take, for equal what has other bytes; ColumnMeaning has it under this
 * name. PostgreSQL's own are none.
 */
export const foldingName = (name: string): string => `${name}${foldingWord}`;
export const isFoldingName = (collation: string | undefined): boolean => collation?.endsWith(foldingWord) === true;
export const bareName = (collation: string): string => collation.replace(foldingWord, "");
const foldingWord = " (nondeterministic)";

interface Comparison {
  /**
   * `exact`: equal bytes. `padded`: equal bytes once trailing spaces are gone. `simple`: every character has one weight
   * of its own, shared only by letters and their accents, and trailing spaces do not count. `folded`: more than that.
   */
  equality: "exact" | "padded" | "simple" | "folded";
  /** Ordered as the bytes of UTF-8 are, which is PostgreSQL's collation "C". */
  byteOrder: boolean;
}

export function mysqlComparison(collation: string): Comparison {
  const name = collation.toLowerCase();
  if (name === "utf8mb4_0900_bin" || name === "binary") return { equality: "exact", byteOrder: true };
  if (/^(utf8mb4|utf8mb3|utf8|ascii|latin1)_nopad_bin$/.test(name))
    return { equality: "exact", byteOrder: !name.startsWith("latin1") };
  if (/^(utf8mb4|utf8mb3|utf8|ascii|latin1)_bin$/.test(name)) return { equality: "padded", byteOrder: false };
  if (/^(utf8mb4|utf8mb3|utf8)_general_ci$/.test(name)) return { equality: "simple", byteOrder: false };
  return { equality: "folded", byteOrder: false };
}

/**
 * Text whose every character is equal to no other one in a `simple` collation. Proven by test/engine/translate/collations.test.ts,
 * which compares them with every character there is.
 */
export const isAlone = (literal: string): boolean => /^[0-9 !#$%&()*+,./:;<=>?@_|~-]*$/.test(literal);

/** Collations in which printable ASCII is equal only to itself and to its other case, however else they fold. */
const plainFolding =
  /^(utf8mb4|utf8mb3|utf8|ascii|latin1)_(general_ci|unicode_ci|unicode_520_ci|0900_ai_ci|0900_as_ci|swedish_ci|uca1400_ai_ci|uca1400_as_ci|general_nopad_ci|unicode_nopad_ci)$/;

/**
 * The labels of an enum that MySQL takes to be equal to the literal; undefined: not known. Labels are few and known, so
 * that folding can be worked out where all of them are plain ASCII.
 */
export function equalLabels(
  labels: readonly string[],
  literal: string,
  collation: string | undefined,
): string[] | undefined {
  const plain = (text: string) => /^[ -~]*$/.test(text);
  if (collation === undefined) return undefined;
  const { equality } = mysqlComparison(collation);
  if (equality === "exact") return labels.filter((label) => label === literal);
  const trimmed = (text: string) => text.replace(/(?<! ) +$/, "");
  if (equality === "padded") return labels.filter((label) => trimmed(label) === trimmed(literal));
  if (!plainFolding.test(collation.toLowerCase()) || ![...labels, literal].every(plain)) return undefined;
  const pads = !/_0900_|nopad/.test(collation);
  const key = (text: string) => (pads ? trimmed(text) : text).toLowerCase();
  return labels.filter((label) => key(label) === key(literal));
}

export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
