import { qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import type { SourceTable } from "./tables.ts";

/** Parsers of full-text indexes, which only SHOW CREATE TABLE tells. */

const quoted = "`((?:[^`]|``)*)`";
/** Names of columns may hold line ends and brackets. */
const part = "`(?:[^`]|``)*`";
const parserLine = new RegExp(`\\n  FULLTEXT KEY ${quoted} \\(${part}(?:,${part})*\\) .*\\bWITH PARSER ${quoted}`, "g");
const plain = (name = ""): string => name.replaceAll("``", "`");

export async function readParsers(session: Session, database: string, tables: Iterable<SourceTable>): Promise<void> {
  for (const table of tables) {
    if (!table.indexes.some(({ type }) => type === "FULLTEXT")) continue;
    const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(database, table.name)}`);
    for (const [, key, parser] of (shown ?? "").matchAll(parserLine)) {
      const index = table.indexes.find(({ name, type }) => type === "FULLTEXT" && name === plain(key));
      if (index !== undefined) index.parser = plain(parser);
    }
  }
}
