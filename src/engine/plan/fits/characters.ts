import type { Check, ValueType } from "./types.ts";

/** Characters that the target's encoding lacks. Pure. */

/** Types whose text may have any character; those of other names are written in ASCII. */
const plain = new Set(
  "uuid inet inet4 inet6 cidr macaddr macaddr8 pg_lsn point line lseg box path polygon circle int4range int8range numrange tsrange tstzrange daterange year".split(
    " ",
  ),
);

const mayHaveAny = (type: ValueType): boolean => type.is === "text" || (type.is === "other" && !plain.has(type.name));

/** `characters`: those beyond ASCII that the target has; undefined: all, or not known. */
export const characterChecks = (
  type: ValueType,
  encoding: { name: string; characters: string } | undefined,
): Check[] =>
  encoding !== undefined && mayHaveAny(type)
    ? [{ check: "charset", charset: encoding.name, characters: encoding.characters }]
    : [];

/** Texts of a database of SQL_ASCII, which are read as UTF-8. */
export const encodedChecks = (type: ValueType): Check[] => (mayHaveAny(type) ? [{ check: "encoded" }] : []);
