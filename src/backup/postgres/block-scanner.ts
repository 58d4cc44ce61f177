import { BackupError } from "../contract.ts";

/**
 * The blocks of pg_dump's custom format as they pass: what contents.ts reads on demand, without keeping anything. Source: PostgreSQL's
 * src/bin/pg_dump/pg_backup_custom.c.
 */
interface BlockScanner {
  /** Errors: `archive_damaged`. */
  take(piece: Buffer, intBytes: number): void;
  /** Errors: `archive_damaged`. */
  end(): void;
}

/** Rows of one entry of the table of contents, in stretches of a piece. */
interface RowsReader {
  begin(entry: number): void;
  rows(piece: Buffer, from: number, to: number): void;
  /** The piece ends, and its memory is used again. */
  pieceEnd(): void;
  end(): void;
}

const rowsBlock = 1;
const objectsBlock = 3;

type State = "kind" | "entry" | "oid" | "length" | "bytes";

export function createBlockScanner(reader: RowsReader): BlockScanner {
  let state: State = "kind";
  let isRows = false;
  /** Bytes that the present block still has. */
  let left = 0;
  const int = createIntReader();

  const onInt = (value: number) => {
    if (state === "entry") {
      if (isRows) reader.begin(value);
      state = isRows ? "length" : "oid";
    } else if (state === "oid") state = value === 0 ? "kind" : "length";
    else if (value < 0) throw broken("it has a block of negative length");
    else if (value > 0) {
      left = value;
      state = "bytes";
    } else if (isRows) {
      reader.end();
      state = "kind";
    } else state = "oid";
  };

  return {
    take(piece, intBytes) {
      for (let at = 0; at < piece.length; ) {
        if (state === "bytes") {
          const end = Math.min(piece.length, at + left);
          if (isRows) reader.rows(piece, at, end);
          left -= end - at;
          at = end;
          if (left === 0) state = "length";
        } else if (state === "kind") {
          const kind = piece[at++];
          if (kind !== rowsBlock && kind !== objectsBlock) throw broken(`it has a block of the unknown kind ${kind}`);
          isRows = kind === rowsBlock;
          state = "entry";
        } else {
          at = int.read(piece, at, intBytes);
          if (int.isRead()) onInt(int.value());
        }
      }
      reader.pieceEnd();
    },
    end() {
      if (state !== "kind") throw broken("it ends too early");
    },
  };
}

/** Integers, each a byte of its sign and its bytes from the lowest on, that a piece's end may cut. */
function createIntReader() {
  let read = 0;
  let value = 0;
  let negative = false;
  let isRead = false;
  return {
    /** Where it ends, or the piece. */
    read(piece: Buffer, from: number, intBytes: number): number {
      let at = from;
      if (read === 0) value = 0;
      // A row is often a block of its own: this is the way of nearly all of them.
      if (read === 0 && piece.length - at > intBytes) {
        negative = piece[at] !== 0;
        for (let i = at + intBytes; i > at; i--) value = value * 256 + (piece[i] as number);
        isRead = true;
        return at + intBytes + 1;
      }
      while (read <= intBytes && at < piece.length) {
        const byte = piece[at++] as number;
        if (read === 0) negative = byte !== 0;
        else value += byte * 256 ** (read - 1);
        read++;
      }
      isRead = read > intBytes;
      if (isRead) read = 0;
      return at;
    },
    isRead: () => isRead,
    value: () => (negative ? -value : value),
  };
}

const broken = (why: string) =>
  new BackupError("archive_damaged", `pg_dump wrote what is not its own format: ${why}. Run the backup again`);
