import type { SourceColumn, SourceTable } from "../mysql/catalogue.ts";
import type { Definition, Item } from "./definition.ts";

/**
 * A table's text with the characters of four bytes for which the server shows `?` in labels, and MariaDB in defaults: the
 * catalogue tells what they are (exact.ts, exact-labels.ts). What cannot be told is a doubt. Pure.
 */
export function exactDefinition(definition: Definition, { columns }: SourceTable, maria: boolean): Definition {
  const doubts: { item: Item; note: string }[] = [];
  const items = definition.items.map((item): Item => {
    const column = item.kind === "column" ? columns.find(({ name }) => name === item.name) : undefined;
    if (column === undefined) return item;
    const text = withLabels(withDefault(item.text, column, maria), column);
    const exact = text === item.text ? item : { ...item, text };
    const note = doubtOf(column, maria);
    if (note !== undefined) doubts.push({ item: exact, note });
    return exact;
  });
  return { ...definition, items, ...(doubts.length > 0 ? { doubts } : {}) };
}

function doubtOf({ labelsInDoubt, defaultInDoubt }: SourceColumn, maria: boolean): string | undefined {
  // MySQL writes such a default in hex.
  const what = [...(labelsInDoubt ? ["labels that no row has"] : []), ...(maria && defaultInDoubt ? ["default"] : [])];
  if (what.length === 0) return undefined;
  return `the source's server shows ? for characters of four bytes and does not tell which stand in its ${what.join(" and its ")}: it is made with what is shown`;
}

const astral = /[\u{10000}-\u{10ffff}]/u;
const labelled = /^(`(?:[^`]|``)*` )(?:enum|set)\((?:'(?:[^'\\]|''|\\[\s\S])*'|[^()'])*\)/;

const withLabels = (text: string, { dataType, columnType }: SourceColumn): string =>
  dataType === "enum" || dataType === "set" ? text.replace(labelled, (_, name: string) => name + columnType) : text;

function withDefault(text: string, { default: value }: SourceColumn, maria: boolean): string {
  if (!maria || value === null || !astral.test(value)) return text;
  return text.replace(/ DEFAULT '(?:[^'\\]|''|\\[\s\S])*'/, () => ` DEFAULT ${value}`);
}

/** A text as it is shown, however many question marks stand for a character: for the comparison of two. */
export const asShown = (text: string): string => text.replace(/(?:\?|[\u{10000}-\u{10ffff}])+/gu, "?");
