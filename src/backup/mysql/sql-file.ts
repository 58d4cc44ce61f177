import { BackupError } from "../contract.ts";

/**
 * A file of statements for the mysql client with a delimiter of its own: so it can be taken apart again without a parser. Rows
 * hold no line feed (insert-rows.ts), and the delimiter stands in a line of its own.
 */

export interface SqlFile {
  /** The file's first line. */
  begin: Buffer;
  /** After each statement. */
  end: Buffer;
}

const usual = ";;";
const first = "DELIMITER ";

/** `texts`: all that may hold a line feed. */
export function sqlFileOf(texts: readonly string[]): SqlFile {
  let delimiter = usual;
  for (let at = 0; texts.some((text) => text.includes(delimiter)); at++) delimiter = `;${at};`;
  return { begin: Buffer.from(`${first}${delimiter}\n`), end: Buffer.from(`\n${delimiter}\n`) };
}

/** A whole file, and the bytes of its longest statement. */
export function sqlFile(statements: readonly string[]): { file: Buffer; longest: number } {
  const { begin, end } = sqlFileOf(statements);
  const all = statements.map((statement) => Buffer.from(statement));
  return {
    file: Buffer.concat([begin, ...all.flatMap((statement) => [statement, end])]),
    longest: all.reduce((most, { length }) => Math.max(most, length), 0),
  };
}

const firstBytes = 1 << 20;

/** The statements of such a file, which is untrusted input; each is good until the next. Errors: `archive_damaged`. */
export async function* statementsOf(pieces: AsyncIterable<Buffer>, longest: number): AsyncGenerator<Buffer> {
  let kept = Buffer.allocUnsafe(firstBytes);
  let filled = 0;
  let end: Buffer | undefined;
  for await (const piece of pieces) {
    // Where the end of a statement may be, of which a part came with the last piece.
    const searched = Math.max(0, filled - (end?.length ?? 0));
    if (filled + piece.length > kept.length) {
      const wider = Buffer.allocUnsafe(Math.max(kept.length * 2, filled + piece.length));
      kept.copy(wider, 0, 0, filled);
      kept = wider;
    }
    piece.copy(kept, filled);
    filled += piece.length;
    let at = 0;
    if (end === undefined) {
      const line = kept.subarray(0, filled).indexOf("\n");
      if (line < 0 && filled < 100) continue;
      const delimiter = /^DELIMITER (;\d{0,9};)$/.exec(kept.toString("utf8", 0, Math.max(0, line)))?.[1];
      if (delimiter === undefined) throw broken("its first line is no delimiter");
      end = Buffer.from(`\n${delimiter}\n`);
      at = line + 1;
    }
    const text = kept.subarray(0, filled);
    let next = text.indexOf(end, Math.max(at, searched));
    for (; next >= 0; next = text.indexOf(end, at)) {
      if (next - at > longest) throw tooLong(longest);
      yield text.subarray(at, next);
      at = next + end.length;
    }
    kept.copyWithin(0, at, filled);
    filled -= at;
    if (filled > longest + end.length) throw tooLong(longest);
  }
  if (filled > 0 || end === undefined) throw broken("it ends within a statement");
}

const tooLong = (longest: number) => broken(`a statement is longer than the ${longest} bytes that the manifest names`);

const broken = (why: string) =>
  new BackupError("archive_damaged", `the archive's SQL is not as Rowferry writes it: ${why}. Restore another run`);
