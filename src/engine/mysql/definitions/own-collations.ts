import type { SourceTable } from "../catalogue/tables.ts";
import type { Server } from "../driver/session.ts";
import { nearestCollation } from "./collations.ts";
import { outside } from "./definition.ts";
import type { Traits, TranslatedTable } from "./dialect.ts";

/** MySQL that shows what collation a text in utf8mb4 has, of the only set whose default its versions do not agree on. */
const shownFrom = 80_000;

/**
 * With the collations that the source does not show, since they are its defaults for their character sets: another server has
 * others, as its `character_set_collations` has it. Pure.
 */
export function withOwnCollations(
  translated: TranslatedTable,
  { collation, columns }: Pick<SourceTable, "collation" | "columns">,
  source: Server,
  { server, collations }: Traits,
): TranslatedTable {
  const shows = (one: Server) => !one.maria && one.version >= shownFrom;
  if (shows(source) && shows(server)) return translated;
  const near = (name: string) => nearestCollation(name, (one) => collations.has(one)) ?? name;
  const items = translated.items.map((one) => {
    const own = columns.find(({ name }) => one.source.kind === "column" && name === one.source.name)?.collation;
    return own && one.text !== undefined ? { ...one, text: collated(one.text, near(own)) } : one;
  });
  const at = translated.options.findIndex(({ key }) => key === "DEFAULT CHARSET");
  if (collation === "" || at < 0 || translated.options.some(({ key }) => key === "COLLATE"))
    return { ...translated, items };
  const options = [...translated.options];
  options.splice(at + 1, 0, { key: "COLLATE", value: near(collation) });
  return { ...translated, items, options };
}

/** A column that names its character set alone. */
function collated(text: string, collation: string): string {
  let seen = false;
  return outside(text, (between) =>
    between.replace(/ CHARACTER SET \w+(?= |$)(?! COLLATE )/, (found) => {
      if (seen) return found;
      seen = true;
      return `${found} COLLATE ${collation}`;
    }),
  );
}
