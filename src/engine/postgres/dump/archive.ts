import { EngineError } from "../../contract/index.ts";
import { sharedText } from "../../run/memory/shared-text.ts";

/**
 * The table of contents of pg_dump's custom format: every object of a schema with the statement that makes it.
 * Source: PostgreSQL's src/bin/pg_dump/pg_backup_archiver.c, ReadHead and ReadToc. The statements are then run one by
 * one, by name and under the fence; an archive is never given to psql or pg_restore.
 */

export interface DumpEntry {
  id: number;
  /** The catalogue that the object stands in (1259 is pg_class) and its oid there; 0 where there is none. */
  catalog: number;
  oid: number;
  /** For instance `TABLE`, `FK CONSTRAINT`, `ACL`. */
  kind: string;
  /** The object's name; for some kinds with its table's before it, or its arguments after it. */
  tag: string;
  section: "none" | "pre-data" | "data" | "post-data";
  /** The statements that make it; may be empty. */
  create: string;
  drop: string;
  schema: string | undefined;
  tablespace: string;
  accessMethod: string;
  owner: string;
  /** Ids of entries that must be there first. */
  needs: number[];
}

const sections = ["none", "none", "pre-data", "data", "post-data"] as const;

/** 1.12 is PostgreSQL 9.0's, 1.16 that of 17 and 18. */
const oldest = 12;
const newest = 16;

/** The table of contents, and what stands after it in an archive that has rows. */
export interface Contents {
  entries: DumpEntry[];
  /** By an entry's id: COPY … FROM stdin for its rows. */
  copies: ReadonlyMap<number, string>;
  /** Where the data begins. */
  end: number;
  /** Bytes of an integer, without the byte of its sign. */
  intBytes: number;
}

/** Errors: EngineError `unknown_archive`; `archive_cut` where `bytes` ends within it. */
export function readContents(bytes: Buffer): Contents {
  const copies = new Map<number, string>();
  const entries: DumpEntry[] = [];
  const cursor = cursorOf(bytes);
  const head = readHead(cursor);
  for (let i = 0; i < head.count; i++) {
    const { copy, ...entry } = readEntry(cursor, head);
    if (copy !== "") copies.set(entry.id, copy);
    entries.push(entry);
  }
  return { entries, copies, end: cursor.at(), intBytes: head.intBytes };
}

interface ArchiveReader {
  /** Keeps nothing of the piece itself. Errors: `unknown_archive`. */
  take(piece: Buffer): void;
  /** To be called when there are no more pieces. Errors: `archive_cut`. */
  end(): void;
}

/** What follows the table of contents, in pieces. A piece is good until the call returns. */
type DataReader = (piece: Buffer, intBytes: number) => void;

/**
 * Reads an archive as it comes, and gives its entries to `keep` in their order, which is one in which they can be made. An archive with
 * rows has them after that.
 */
export function createArchiveReader(
  keep: (entry: DumpEntry) => void,
  data: DataReader = () => undefined,
): ArchiveReader {
  let pieces: Buffer[] = [];
  let size = 0;
  /** Bytes that are there before the next look: twice as many where an entry did not fit, so that a large one is not read again for each piece. */
  let wanted = 0;
  let head: Head | undefined;
  let count = 0;
  const isRead = () => head !== undefined && count === head.count;
  /** False: it goes on in the next piece. */
  const readOne = (cursor: Cursor): boolean => {
    try {
      if (head === undefined) head = readHead(cursor);
      else {
        const { copy: _, ...entry } = readEntry(cursor, head);
        count++;
        keep(entry);
      }
      return true;
    } catch (error) {
      if (error instanceof EngineError && error.code === "archive_cut") return false;
      throw error;
    }
  };
  const read = () => {
    const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    let at = 0;
    while (!isRead()) {
      const cursor = cursorOf(bytes, at);
      if (!readOne(cursor)) break;
      at = cursor.at();
    }
    pieces = isRead() ? [] : [bytes.subarray(at)];
    size = isRead() ? 0 : bytes.length - at;
    wanted = at === 0 ? size * 2 : 0;
    if (head !== undefined && isRead()) data(bytes.subarray(at), head.intBytes);
  };
  return {
    take(piece) {
      if (head !== undefined && isRead()) return data(piece, head.intBytes);
      pieces.push(Buffer.from(piece));
      size += piece.length;
      if (size >= wanted) read();
    },
    end() {
      if (!isRead()) read();
      if (!isRead()) throw cut();
    },
  };
}

interface Head {
  minor: number;
  intBytes: number;
  offsetBytes: number;
  /** Of entries. */
  count: number;
}

interface Cursor {
  at(): number;
  skip(bytes: number): void;
  byte(): number;
  /** The next bytes, which begin at `start` of `bytes`. */
  slice(length: number): { bytes: Buffer; start: number };
}

/** Errors: `archive_cut`. */
function cursorOf(bytes: Buffer, start = 0): Cursor {
  let at = start;
  const need = (length: number) => {
    if (at + length > bytes.length) throw cut();
  };
  return {
    at: () => at,
    skip(length) {
      need(length);
      at += length;
    },
    byte() {
      need(1);
      return bytes[at++] as number;
    },
    slice(length) {
      need(length);
      at += length;
      return { bytes, start: at - length };
    },
  };
}

function readInt({ byte }: Cursor, intBytes: number): number {
  const negative = byte() !== 0;
  let value = 0;
  for (let i = 0, scale = 1; i < intBytes; i++, scale *= 256) value += byte() * scale;
  return negative ? -value : value;
}

function readString(cursor: Cursor, intBytes: number): string | undefined {
  const length = readInt(cursor, intBytes);
  if (length < 0) return undefined;
  const { bytes, start } = cursor.slice(length);
  return bytes.toString("utf8", start, start + length);
}

const signature = "PGDMP";

function readHead(cursor: Cursor): Head {
  const { byte, skip } = cursor;
  const { bytes, start } = cursor.slice(signature.length);
  if (bytes.toString("latin1", start, start + signature.length) !== signature) throw broken("it does not begin as one");
  const major = byte();
  const minor = byte();
  skip(1);
  if (major !== 1 || minor < oldest || minor > newest) {
    throw new EngineError(
      "unknown_archive",
      `pg_dump wrote archive format ${major}.${minor}, which this version of Rowferry does not know: use pg_dump of PostgreSQL 18`,
    );
  }
  const intBytes = byte();
  const offsetBytes = byte();
  if (byte() !== 1) throw broken("it is not in the custom format");
  const int = () => readInt(cursor, intBytes);
  const string = () => readString(cursor, intBytes);
  if ((minor >= 15 ? byte() : int()) !== 0) throw broken("it is compressed");
  for (let i = 0; i < 7; i++) int();
  string();
  string();
  string();
  return { minor, intBytes, offsetBytes, count: int() };
}

/** Of texts that very many entries have, each is kept once. */
function readEntry(cursor: Cursor, { minor, intBytes, offsetBytes }: Head): DumpEntry & { copy: string } {
  const int = () => readInt(cursor, intBytes);
  const string = () => readString(cursor, intBytes);
  const text = () => string() ?? "";
  const shared = () => sharedText(text());
  const id = int();
  int();
  const catalog = Number(text());
  const oid = Number(text());
  const tag = text();
  const kind = shared();
  const section = sections[int()] ?? "none";
  const create = text();
  const drop = text();
  const copy = text();
  const schema = shared() || undefined;
  const tablespace = shared();
  const accessMethod = minor >= 14 ? shared() : "";
  if (minor >= 16) int();
  const owner = shared();
  string();
  const needs: number[] = [];
  for (let need = string(); need !== undefined; need = string()) needs.push(Number(need));
  cursor.skip(1 + offsetBytes);
  return { id, catalog, oid, kind, tag, section, create, drop, schema, tablespace, accessMethod, owner, needs, copy };
}

const cut = () => new EngineError("archive_cut", "pg_dump's output is not an archive: it ends too early");
const broken = (why: string) => new EngineError("unknown_archive", `pg_dump's output is not an archive: ${why}`);
