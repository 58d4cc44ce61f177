import { BackupError } from "../contract.ts";

/**
 * A file of statements for the mysql client with a delimiter of its own, which occurs in none of them: so it can be taken apart
 * again without a parser.
 */

/** As the mysql client takes it: at most 15 characters. */
const usual = ";;";
const first = "DELIMITER ";

export function sqlFile(statements: readonly string[]): Buffer {
  let delimiter = usual;
  for (let at = 0; statements.some((statement) => statement.includes(delimiter)); at++) delimiter = `;${at};`;
  const lines = statements.map((statement) => `${statement}\n${delimiter}\n`);
  return Buffer.from(`${first}${delimiter}\n${lines.join("")}`);
}

/** Bytes of one statement: the longest that a server takes. */
const longest = 64 * 1024 * 1024;

/** The statements of such a file, which is untrusted input. Errors: `archive_damaged`. */
export async function* statementsOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let kept = Buffer.alloc(0);
  let end: Buffer | undefined;
  for await (const piece of pieces) {
    kept = Buffer.concat([kept, piece]);
    let at = 0;
    if (end === undefined) {
      const line = kept.indexOf("\n");
      if (line < 0) continue;
      const head = kept.toString("utf8", 0, line);
      const delimiter = head.slice(first.length);
      if (!head.startsWith(first) || !/^;\d{0,9};$/.test(delimiter)) throw broken("its first line is no delimiter");
      end = Buffer.from(`\n${delimiter}\n`);
      at = line + 1;
    }
    for (let next = kept.indexOf(end, at); next >= 0; next = kept.indexOf(end, at)) {
      yield kept.toString("utf8", at, next);
      at = next + end.length;
    }
    kept = kept.subarray(at);
    if (kept.length > longest) throw broken("a statement is longer than 64 MB");
  }
  if (kept.length > 0 || end === undefined) throw broken("it ends within a statement");
}

const broken = (why: string) =>
  new BackupError("archive_damaged", `the archive's SQL is not as Rowferry writes it: ${why}. Restore another run`);
