import { type SourceColumn, type SourceTable, unescaped } from "../catalogue/catalogue.ts";
import { bytesOfHex, hexOf, holdsBytes, isPlainText } from "../catalogue/exact-bytes.ts";
import { literal } from "../driver/names.ts";
import type { Server } from "../driver/session.ts";
import type { Definition, Item } from "./definition.ts";
import { positionOf } from "./definition.ts";

/**
 * A table's text with the characters of four bytes for which the server shows `?` in labels, and MariaDB in defaults, and
 * with a FLOAT's default beyond six digits, and bytes: the catalogue tells what they are (exact-defaults.ts, exact-labels.ts).
 * What cannot be told is a doubt. Pure.
 */
export function exactDefinition(
  definition: Definition,
  { columns }: SourceTable,
  source: Server,
  target: Server,
): Definition {
  const doubts: NonNullable<Definition["doubts"]> = [];
  const items = definition.items.map((item): Item => {
    const column = item.kind === "column" ? columns.find(({ name }) => name === item.name) : undefined;
    if (column === undefined) return item;
    const float = withFloat(item.text, column, target);
    const text = withLabels(withDefault(float ?? withBytes(item.text, column), column, source.maria), column);
    const exact = text === item.text ? item : { ...item, text };
    if (float !== undefined)
      doubts.push({ item: exact, outcome: "converted", note: "its default is an expression, which keeps all digits" });
    const note = doubtOf(column, source.maria);
    if (note !== undefined) doubts.push({ item: exact, outcome: "reported", note });
    return exact;
  });
  return { ...definition, items, ...(doubts.length > 0 ? { doubts } : {}) };
}

function doubtOf({ labelsInDoubt, defaultInDoubt }: SourceColumn, maria: boolean): string | undefined {
  if (defaultInDoubt === "digits")
    return "the source's server shows six digits of its default and does not tell whether there are more: it is made with what is shown";
  // MySQL writes such a default in hex.
  const what = [...(labelsInDoubt ? ["labels that no row has"] : []), ...(maria && defaultInDoubt ? ["default"] : [])];
  if (what.length === 0) return undefined;
  return `the source's server shows ? for characters of four bytes and does not tell which stand in its ${what.join(" and its ")}: it is made with what is shown`;
}

const astral = /[\u{10000}-\u{10ffff}]/u;
const labelled = /^(`(?:[^`]|``)*` )(?:enum|set)\((?:'(?:[^'\\]|''|\\[\s\S])*'(?!')|[^()'])*\)/;

const withLabels = (text: string, { dataType, columnType }: SourceColumn): string =>
  dataType === "enum" || dataType === "set" ? text.replace(labelled, (_, name: string) => name + columnType) : text;

/** MySQL that has expressions for defaults. */
const expressionsFrom = 80_013;

/**
 * Each ALTER TABLE of either server cuts a FLOAT's literal to the six digits that it shows, so one with more becomes an
 * expression; MariaDB takes a number in brackets for a literal. Undefined: it is as it is shown, or no number.
 */
function withFloat(text: string, { dataType, default: value }: SourceColumn, target: Server): string | undefined {
  if (dataType !== "float" || value === null || !(target.maria || target.version >= expressionsFrom)) return undefined;
  const [found, shown] = / DEFAULT '?(-?\d[-+.\de]*)'?/.exec(text) ?? [];
  if (found === undefined || shown === value || !Number.isFinite(Number(value))) return undefined;
  return text.replace(found, () => ` DEFAULT (${value} + 0e0)`);
}

function withDefault(text: string, { default: value }: SourceColumn, maria: boolean): string {
  if (!maria || value === null || !astral.test(value)) return text;
  return text.replace(/ DEFAULT '(?:[^'\\]|''|\\[\s\S])*'/, () => ` DEFAULT ${value}`);
}

/** A table's text with those defaults in hex whose bytes are no plain text, as the catalogue tells them (exact-bytes.ts). */
export const withExactBytes = (definition: Definition, columns: readonly SourceColumn[]): Definition => ({
  ...definition,
  items: definition.items.map((item) => {
    const column = item.kind === "column" ? columns.find(({ name }) => name === item.name) : undefined;
    return column === undefined ? item : { ...item, text: withBytes(item.text, column) };
  }),
});

/** Versions write the same bytes as text, with escapes, `0x…` or `x'…'`: here as text where it is plain, else `0x…`. */
function withBytes(text: string, column: SourceColumn): string {
  const at = holdsBytes(column) ? positionOf(text, " DEFAULT ") : -1;
  if (at < 0) return text;
  const start = at + " DEFAULT ".length;
  const [shown] = /^(?:0x[\da-f]*|x'[\da-f]*'|'(?:[^'\\]|''|\\[\s\S])*')/i.exec(text.slice(start)) ?? [];
  if (shown === undefined) return text;
  const told = isPlainText(shown) ? Buffer.from(unescaped(shown.slice(1, -1))) : bytesOfHex(column.default ?? "");
  const bytes = bytesOfHex(shown) ?? told;
  if (bytes === undefined) return text;
  const letters = bytes.toString("latin1");
  const written = isPlainText(letters) ? literal(letters) : hexOf(bytes);
  return `${text.slice(0, start)}${written}${text.slice(start + shown.length)}`;
}

/** A text as it is shown, however many question marks stand for a character: for the comparison of two. */
export const asShown = (text: string): string => text.replace(/(?:\?|[\u{10000}-\u{10ffff}])+/gu, "?");
