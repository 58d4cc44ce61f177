import type { Session } from "../driver/connection.ts";
import { sqlState } from "../driver/errors.ts";

/** Those beyond ASCII that an encoding has. */
export interface Characters {
  name: string;
  characters: string;
}

/**
 * What a database can hold, where its encoding has a byte for each character. Undefined: it has all of Unicode, or several
 * bytes for a character. Not within a transaction: the server refuses bytes that stand for nothing.
 */
export async function charactersOf(session: Session): Promise<Characters | undefined> {
  const [found] = await session.query<{ encoding: string; single: boolean }>(
    `SELECT pg_catalog.current_setting('server_encoding') AS encoding,
            pg_catalog.pg_encoding_max_length(pg_catalog.pg_char_to_encoding(pg_catalog.current_setting('server_encoding')::pg_catalog.name)) = 1 AS single`,
  );
  if (found === undefined || !found.single || found.encoding === "SQL_ASCII") return undefined;
  const read = async (bytes: readonly number[]): Promise<string> => {
    try {
      const hex = Buffer.from(bytes).toString("hex");
      const [row] = await session.query<{ text: string }>(
        "SELECT pg_catalog.convert_from(pg_catalog.decode($1, 'hex'), $2) AS text",
        [hex, found.encoding],
      );
      return row?.text ?? "";
    } catch (error) {
      if (sqlState(error) === undefined) throw error;
      if (bytes.length === 1) return "";
      const half = bytes.length / 2;
      return (await read(bytes.slice(0, half))) + (await read(bytes.slice(half)));
    }
  };
  return { name: found.encoding, characters: await read(Array.from({ length: 128 }, (_, at) => 128 + at)) };
}
