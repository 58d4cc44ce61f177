import { identifier } from "../driver/names.ts";
import { drawsNumbers, inDatabase } from "./code-sql.ts";
import { type Definition, type Item, piecesOf } from "./definition.ts";

/** MariaDB writes a sequence with its database, also in the default of a column. Pure. */

const draws = ({ kind, text }: Item): boolean => kind === "column" && drawsNumbers(text);

/** Defaults that draw from the database's own sequences, from those of the other one. */
export function withMovedDefaults(definition: Definition, from: string, to: string): Definition {
  if (!definition.items.some(draws)) return definition;
  const moved = new Map(
    definition.items.map((item) => [item, draws(item) ? { ...item, text: inDatabase(item.text, from, to) } : item]),
  );
  const doubts = (definition.doubts ?? []).map((doubt) => ({ ...doubt, item: moved.get(doubt.item) ?? doubt.item }));
  for (const item of moved.values()) {
    const others = draws(item) ? sequencesOutside(item.text, to) : [];
    if (others.length > 0)
      doubts.push({
        item,
        outcome: "reported",
        note: `its default draws from ${others.join(", ")}, in a database that is not copied: it does so in the target too`,
      });
  }
  return { ...definition, items: [...moved.values()], ...(doubts.length > 0 ? { doubts } : {}) };
}

/** Sequences of other databases that a text draws from. */
function sequencesOutside(text: string, database: string): string[] {
  const pieces = piecesOf(text).map((piece) => piece.text);
  return pieces.flatMap((piece, at) => {
    if (!/\b(?:nextval|lastval|setval)\($/i.test(piece) || pieces[at + 2] !== ".") return [];
    const name = pieces[at + 1] ?? "";
    return name === identifier(database) ? [] : [`${name}.${pieces[at + 3] ?? ""}`];
  });
}
