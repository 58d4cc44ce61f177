import { identifier } from "../driver/names.ts";
import type { SourceForeignKey } from "./tables.ts";

/**
 * Foreign keys in the text of SHOW CREATE TABLE. MariaDB does not double the backticks in their names and
 * columns, so that a parser takes what follows for a part of the name: the catalogue tells the names. Pure.
 */
export type KeyNames = Pick<SourceForeignKey, "name" | "columns" | "referencedColumns">;

type Quote = (name: string) => string;

const undoubled: Quote = (name) => `\`${name}\``;

const parent = /(?:`(?:[^`]|``)*`\.)?`(?:[^`]|``)*`/y;

const headOf = (key: KeyNames, parentSql: string, quote: Quote): string => {
  const list = (names: readonly string[]) => `(${names.map(quote).join(", ")})`;
  return `\n  CONSTRAINT ${quote(key.name)} FOREIGN KEY ${list(key.columns)} REFERENCES ${parentSql} ${list(key.referencedColumns)}`;
};

/** Where the key's line is, up to the columns that it refers to, if its names are quoted so. */
function find(shown: string, key: KeyNames, quote: Quote): { at: number; end: number; parentSql: string } | undefined {
  const [before = "", after = ""] = headOf(key, "\0", quote).split(/(?<= REFERENCES )\0(?= \()/);
  for (let at = shown.indexOf(before); at >= 0; at = shown.indexOf(before, at + 1)) {
    parent.lastIndex = at + before.length;
    const [parentSql] = parent.exec(shown) ?? [];
    if (parentSql === undefined || !shown.startsWith(after, parent.lastIndex)) continue;
    return { at, end: parent.lastIndex + after.length, parentSql };
  }
  return undefined;
}

export const hasBacktick = ({ name, columns, referencedColumns }: KeyNames): boolean =>
  [name, ...columns, ...referencedColumns].some((one) => one.includes("`"));

/** The text with the names of these foreign keys quoted as all others are. */
export function withQuotedKeys(shown: string, keys: readonly KeyNames[]): string {
  const wrong = keys.flatMap((key) => {
    if (!hasBacktick(key) || find(shown, key, identifier) !== undefined) return [];
    const found = find(shown, key, undoubled);
    return found === undefined ? [] : [{ ...found, text: headOf(key, found.parentSql, identifier) }];
  });
  // From the end, so that the places before stay as they are.
  return wrong
    .sort((a, b) => b.at - a.at)
    .reduce((text, { at, end, text: right }) => text.slice(0, at) + right + text.slice(end), shown);
}

const rule = "(CASCADE|SET NULL|SET DEFAULT|RESTRICT|NO ACTION)";
const rules = new RegExp(`(?: ON DELETE ${rule})?(?: ON UPDATE ${rule})?,?\\n`, "y");

/** The rules of a foreign key in a table's definition; empty where it is not found. */
export function rulesIn(definition: string, key: KeyNames): Pick<SourceForeignKey, "onUpdate" | "onDelete"> {
  const found = find(definition, key, identifier) ?? find(definition, key, undoubled);
  rules.lastIndex = found?.end ?? 0;
  const read = found === undefined ? null : rules.exec(definition);
  if (read === null) return { onUpdate: "", onDelete: "" };
  return { onDelete: read[1] ?? "RESTRICT", onUpdate: read[2] ?? "RESTRICT" };
}
