import { createArchiveReader } from "../../engine/postgres/dump/archive.ts";
import { createBlockScanner } from "./block-scanner.ts";

/**
 * Counts each table's rows in pg_dump's output as it passes, so that no table is read twice. In COPY's text form each row is a line: a
 * newline within a value is written as `\n`.
 */
interface RowCounter {
  /** The next piece; nothing of it is kept. Errors: `unknown_archive`, `archive_damaged`. */
  take(piece: Buffer): void;
  /** After the last piece: rows by a table's oid, of tables whose rows the output tells. Errors: `archive_cut`, `archive_damaged`. */
  end(): ReadonlyMap<number, number>;
}

interface Counting {
  /** Oids of the tables whose rows are counted. */
  tables: ReadonlySet<number>;
  /** Hears of rows as they pass, and of the end of a table. */
  account: { rows(count: number): void; table(): void };
}

const newline = 0x0a;
/** What pg_dump writes after the last row. No row is so: a backslash in a value is written twice. */
const endMark = "\\.\n\n\n";
const endLines = 3;

export function createRowCounter({ tables, account }: Counting): RowCounter {
  /** Tables by the entry of their rows. */
  const byEntry = new Map<number, number>();
  /** Undefined: they are not told. */
  const counts = new Map<number, number | undefined>();
  const lines = createLineCounter();
  const tail = createTail(endMark.length + 1);
  let table: number | undefined;
  let reported = 0;
  const report = () => {
    const rows = Math.max(0, lines.count() - endLines);
    if (table !== undefined && rows > reported) account.rows(rows - reported);
    reported = rows;
  };
  const scanner = createBlockScanner({
    begin(entry) {
      table = byEntry.get(entry);
      reported = 0;
      lines.reset();
      tail.reset();
    },
    rows(piece, from, to) {
      if (table === undefined) return;
      lines.take(piece, from, to);
      tail.take(piece, from, to);
    },
    pieceEnd() {
      lines.pieceEnd();
      tail.pieceEnd();
      report();
    },
    end() {
      if (table === undefined) return;
      report();
      const text = tail.text();
      const isMarked = text === endMark || text === `\n${endMark}`;
      // Two entries of one table are none of pg_dump's: they are not added up.
      counts.set(table, isMarked && !counts.has(table) ? lines.count() - endLines : undefined);
      account.table();
      table = undefined;
    },
  });
  const archive = createArchiveReader(({ id, oid, kind }) => {
    if (kind === "TABLE DATA" && tables.has(oid)) byEntry.set(id, oid);
  }, scanner.take);
  return {
    take: archive.take,
    end() {
      archive.end();
      scanner.end();
      return new Map([...counts].flatMap(([oid, rows]) => (rows === undefined ? [] : [[oid, rows]])));
    },
  };
}

function createLineCounter() {
  let count = 0;
  /** The first newline of the piece that is not counted, as far as it was looked for: a stretch is often a row. */
  let found = -1;
  return {
    count: () => count,
    reset() {
      count = 0;
    },
    take(piece: Buffer, from: number, to: number): void {
      for (let at = from; at < to; ) {
        if (found < at) {
          found = piece.indexOf(newline, at);
          if (found < 0) found = piece.length;
        }
        if (found >= to) return;
        count++;
        at = found + 1;
      }
    },
    pieceEnd() {
      found = -1;
    },
  };
}

/** The last bytes of what passes. */
function createTail(most: number) {
  let kept = Buffer.alloc(0);
  /** Those of the piece, if a stretch of it was so long, are copied when they are needed. */
  let last: Buffer | undefined;
  let end = 0;
  const keep = () => {
    if (last !== undefined) kept = Buffer.from(last.subarray(end - most, end));
    last = undefined;
  };
  return {
    reset() {
      kept = Buffer.alloc(0);
      last = undefined;
    },
    take(piece: Buffer, from: number, to: number): void {
      if (to - from >= most) {
        last = piece;
        end = to;
        return;
      }
      keep();
      kept = Buffer.from(Buffer.concat([kept, piece.subarray(from, to)]).subarray(-most));
    },
    pieceEnd: keep,
    text(): string {
      keep();
      return kept.toString("latin1");
    },
  };
}
