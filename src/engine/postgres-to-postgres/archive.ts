import { EngineError } from "../contract.ts";

/**
 * The table of contents of pg_dump's custom format: every object of a schema with the statement that makes it.
 * Source: PostgreSQL's src/bin/pg_dump/pg_backup_archiver.c, ReadHead and ReadToc. The statements are then run one by
 * one, by name and under the fence; an archive is never given to psql or pg_restore.
 */

export interface Entry {
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

/** Reads the entries in their order, which is one in which they can be made. Errors: EngineError `unknown_archive`. */
export const readArchive = (bytes: Buffer): Entry[] => readContents(bytes).entries;

/** The table of contents, and what stands after it in an archive that has rows. */
export interface Contents {
  entries: Entry[];
  /** By an entry's id: COPY … FROM stdin for its rows. */
  copies: ReadonlyMap<number, string>;
  /** Where the data begins. */
  end: number;
  /** Bytes of an integer, without the byte of its sign. */
  intBytes: number;
}

/** Errors: as readArchive; `archive_cut` where `bytes` ends within it. */
export function readContents(bytes: Buffer): Contents {
  if (bytes.length < 5) throw cut();
  if (bytes.toString("latin1", 0, 5) !== "PGDMP") throw broken("it does not begin as one");
  let at = 5;
  const byte = (): number => {
    const value = bytes[at++];
    if (value === undefined) throw cut();
    return value;
  };
  const major = byte();
  const minor = byte();
  byte();
  if (major !== 1 || minor < oldest || minor > newest) {
    throw new EngineError(
      "unknown_archive",
      `pg_dump wrote archive format ${major}.${minor}, which this version of Rowferry does not know: use pg_dump of PostgreSQL 18`,
    );
  }
  const intBytes = byte();
  const offsetBytes = byte();
  if (byte() !== 1) throw broken("it is not in the custom format");

  const int = (): number => {
    const negative = byte() !== 0;
    let value = 0;
    for (let i = 0, scale = 1; i < intBytes; i++, scale *= 256) value += byte() * scale;
    return negative ? -value : value;
  };
  const string = (): string | undefined => {
    const length = int();
    if (length < 0) return undefined;
    if (at + length > bytes.length) throw cut();
    at += length;
    return bytes.toString("utf8", at - length, at);
  };
  const text = () => string() ?? "";

  if (minor >= 15) byte();
  else int();
  for (let i = 0; i < 7; i++) int();
  string();
  string();
  string();

  const entries: Entry[] = [];
  const copies = new Map<number, string>();
  const count = int();
  for (let i = 0; i < count; i++) {
    const id = int();
    int();
    const catalog = Number(text());
    const oid = Number(text());
    const tag = text();
    const kind = text();
    const section = sections[int()] ?? "none";
    const create = text();
    const drop = text();
    const copy = text();
    if (copy !== "") copies.set(id, copy);
    const schema = string() || undefined;
    const tablespace = text();
    const accessMethod = minor >= 14 ? text() : "";
    if (minor >= 16) int();
    const owner = text();
    string();
    const needs: number[] = [];
    for (let need = string(); need !== undefined; need = string()) needs.push(Number(need));
    byte();
    at += offsetBytes;
    entries.push({
      id,
      catalog,
      oid,
      kind,
      tag,
      section,
      create,
      drop,
      schema,
      tablespace,
      accessMethod,
      owner,
      needs,
    });
  }
  if (at > bytes.length) throw cut();
  return { entries, copies, end: at, intBytes };
}

const cut = () => new EngineError("archive_cut", "pg_dump's output is not an archive: it ends too early");
const broken = (why: string) => new EngineError("unknown_archive", `pg_dump's output is not an archive: ${why}`);
