import { identifier, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { unescaped } from "./catalogue-text.ts";
import type { SourceColumn, SourceTable } from "./tables.ts";

/**
 * Literal defaults of BINARY and VARBINARY become `0x…`. information_schema shows bytes that are no text as `?` (MariaDB)
 * or ends at a NUL (MySQL); SHOW CREATE TABLE has them all, in the bytes themselves or in hex.
 */
export async function readExactBytes(
  session: Session,
  database: string,
  tables: Iterable<Pick<SourceTable, "name" | "columns">>,
): Promise<void> {
  const { maria } = session.server;
  for (const { name, columns } of tables) {
    const doubtful = columns.filter((column) => isDoubtful(column, maria));
    if (doubtful.length === 0) continue;
    const definition = await shownBytes(session, database, name);
    for (const column of doubtful) {
      const bytes = bytesIn(definition, column.name);
      if (bytes === undefined) column.defaultInDoubt = "characters";
      else column.default = hexOf(bytes);
    }
  }
}

/** Types whose values are bytes: `binary`, `varbinary`, `blob` and its sizes. */
export const holdsBytes = ({ dataType }: Pick<SourceColumn, "dataType">): boolean =>
  /^(?:var)?binary$|blob$/.test(dataType);

/** No letter that one of the servers might show otherwise. */
export const isPlainText = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** `0xff41`, or `x'ff41'` as newer MariaDB shows it; undefined: neither. */
export function bytesOfHex(text: string): Buffer | undefined {
  const digits = /^(?:0x((?:[\da-f]{2})*)|x'((?:[\da-f]{2})*)')$/i.exec(text);
  return digits === null ? undefined : Buffer.from(digits[1] ?? digits[2] ?? "", "hex");
}

export const hexOf = (bytes: Buffer): string => `0x${bytes.toString("hex").toUpperCase()}`;

function isDoubtful({ dataType, default: text, extra }: SourceColumn, maria: boolean): boolean {
  if (text === null || !/binary$/.test(dataType)) return false;
  if (!maria) return !extra.includes("default_generated");
  return bytesOfHex(text) !== undefined || (text.startsWith("'") && (text.includes("?") || !isPlainText(text)));
}

/** The literal default of a column in a table's definition, of which each character is a byte. Pure. */
export function bytesIn(definition: string, column: string): Buffer | undefined {
  const start = `  ${Buffer.from(identifier(column)).toString("latin1")} `;
  const line = definition.split("\n").find((one) => one.startsWith(start)) ?? "";
  const found = /^(?:var)?binary\(\d+\)[^']*? DEFAULT (?:(0x[\da-f]*|x'[\da-f]*')|'((?:[^'\\]|''|\\[\s\S])*)')/i.exec(
    line.slice(start.length),
  );
  if (found === null) return undefined;
  const [, hex, quoted = ""] = found;
  return hex === undefined ? Buffer.from(unescaped(quoted), "latin1") : bytesOfHex(hex);
}

/** SHOW CREATE TABLE with a character for each byte. */
async function shownBytes(session: Session, database: string, table: string): Promise<string> {
  const [[results] = []] = await session.query("SELECT @@character_set_results");
  await session.run("SET SESSION character_set_results = NULL");
  const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(database, table)}`, "latin1");
  await session.run(`SET SESSION character_set_results = ${results ?? "NULL"}`);
  return shown ?? "";
}
