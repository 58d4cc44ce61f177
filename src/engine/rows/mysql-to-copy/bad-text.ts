import { type Endpoint, EngineError } from "../../contract/index.ts";
import type { Catalogue } from "../../mysql/catalogue/catalogue.ts";
import { identifier, qualified } from "../../mysql/driver/names.ts";
import { openReading } from "../../run/open-database.ts";

/**
 * A text that MySQL stores and PostgreSQL refuses: half of a surrogate pair (U+D800 to U+DFFF) as three bytes of its own. PostgreSQL names neither
 * column nor value.
 */
export class BadText extends EngineError {
  readonly table: string;
  constructor(table: string, cause: EngineError) {
    super(cause.code, `table ${table}: ${cause.message}`, { cause });
    this.table = table;
  }
}

/** In hexadecimal. UCS-2 has no pairs: each half of one is a character there. */
const utf8Half = "^(..)*ED[AB]";
const ucs2Half = "^(....)*D[8-9A-F]";

/** Seconds that the source may search. */
const statementTimeout = 60;

/** The error with the columns and their numbers of rows, found in the source as it is now; the same one where they are not found. */
export async function located(
  error: BadText,
  source: Endpoint,
  { tables }: Pick<Catalogue, "tables">,
  signal: AbortSignal,
): Promise<EngineError> {
  const columns = tables
    .find(({ name }) => name === error.table)
    ?.columns.filter(({ characterSet }) => characterSet !== null && /^(?:utf8|ucs2)/.test(characterSet));
  if (columns === undefined || columns.length === 0) return error;
  try {
    const opened = await openReading(source, { role: "source", program: "rowferry", signal, statementTimeout });
    try {
      const counts = columns.map(
        ({ name, characterSet }) =>
          `SUM(COALESCE(HEX(${identifier(name)}) REGEXP '${characterSet === "ucs2" ? ucs2Half : utf8Half}', 0))`,
      );
      const [row] = await opened.session.query(
        `SELECT ${counts.join(", ")} FROM ${qualified(source.database, error.table)}`,
      );
      const found = columns.flatMap(({ name }, at) => {
        const rows = Number((row as unknown[] | undefined)?.[at] ?? 0);
        return rows > 0 ? [`${error.table}.${name} in ${rows} rows`] : [];
      });
      if (found.length === 0) return error;
      return new EngineError(
        "data_refused",
        `half of a surrogate pair (U+D800 to U+DFFF), which is no character to PostgreSQL, is in the text of ${found.join(", ")}: correct the rows`,
        { cause: error },
      );
    } finally {
      await opened.session.end();
    }
  } catch {
    return error;
  }
}
