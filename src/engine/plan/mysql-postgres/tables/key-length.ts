import { labelsOf, type SourceIndexPart } from "../../../mysql/catalogue/catalogue.ts";
import { kind } from "../../../rows/mysql-to-copy/fields.ts";
import type { ColumnPlan } from "../columns/column-plan.ts";

/** What a B-tree of PostgreSQL takes in one entry, header included, where its pages have 8 KB. */
export const longestKey = 2704;

const entryHeader = 8;
/** A length word and what aligns the next value. */
const valueHeader = 8;
const ofShortValue = 40;

/** The longest entry, in bytes, that the catalogue's lengths allow; the server may still compress it into the limit. */
export function keyLength(parts: readonly { column: ColumnPlan; part: SourceIndexPart }[]): number {
  return parts.reduce((sum, { column, part }) => sum + valueLength(column, part.prefix), entryHeader);
}

function valueLength({ source, type }: ColumnPlan, prefix: number | null): number {
  const length = prefix ?? source.characters ?? 0;
  switch (type.field.kind) {
    case kind.text:
      return valueHeader + length * bytesOfCharacter(source.characterSet);
    case kind.bytea:
      return valueHeader + length;
    case kind.enumeration:
      return valueHeader + (type.labels === undefined ? longest(source.columnType) : 4);
    case kind.set:
      return ofShortValue + labelsOf(source.columnType).reduce((sum, label) => sum + valueHeader + utf8(label), 0);
    default:
      return ofShortValue;
  }
}

const utf8 = (text: string): number => Buffer.byteLength(text);
const longest = (columnType: string): number => Math.max(0, ...labelsOf(columnType).map(utf8));

/** In UTF-8, at most: `€` of latin1 has three. */
function bytesOfCharacter(characterSet: string | null): number {
  if (characterSet === "ascii") return 1;
  return /^(utf8mb4|utf16(le)?|utf32|gb18030)$/.test(characterSet ?? "utf8mb4") ? 4 : 3;
}
