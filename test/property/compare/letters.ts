import { type Place, sql } from "../../chaos/contents.ts";
import type { Value } from "../kinds/index.ts";
import type { Table } from "../table.ts";
import type { Letters, Stop } from "./stop.ts";

/** Values of expressions that depend on what a database takes for a letter, as upper and lower case do: the database is asked. */

export async function readLetters(place: Place, tables: readonly Table[]): Promise<Letters> {
  const asked = tables.flatMap(({ columns }) => columns.flatMap((column) => column.default?.asked ?? []));
  const found = new Map<string, string>();
  for (const words of new Set(asked)) {
    const [[text] = []] = await sql(place, `SELECT ${words}`);
    found.set(words, text ?? "");
  }
  return found;
}

/** What the value is in the source, and so in each copy of the row. */
export const asMade = ({ asked = "", expect }: Value, letters: Letters): Value["expect"] => {
  const made = letters.get(asked);
  const text = (given: string | null) => (given === null ? null : (made ?? given));
  return { mysql: text(expect.mysql), postgres: text(expect.postgres) };
};

/** What counts for a new row: the target's own letters, if it is PostgreSQL and the report has told that its locale is another. */
export const lettersOfNew = (stop: Stop, table: Table): Promise<Letters> | Letters =>
  stop.engine === "postgres" && stop.report.warnings.some((words) => /^the target database: its locale is /.test(words))
    ? readLetters(stop.place, [table])
    : stop.letters;
