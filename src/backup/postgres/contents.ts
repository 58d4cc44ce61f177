import { EngineError } from "../../engine/contract/index.ts";
import { type Contents, readContents } from "../../engine/postgres/dump/archive.ts";
import { BackupError } from "../contract.ts";

/**
 * pg_dump's custom format as a stream: the table of contents, then blocks of data in its order. Source: PostgreSQL's
 * src/bin/pg_dump/pg_backup_custom.c. It is untrusted input: every length is bounded before anything is kept.
 */

interface DumpReader {
  contents: Contents;
  /** The next block, or undefined at the end. A block is read to its end before the next one is asked for. */
  block(): Promise<Block | undefined>;
}

type Block =
  /** Rows of the entry, as COPY text. */
  | { kind: "rows"; id: number; pieces(blocks: ContentBlocks): AsyncGenerator<Buffer> }
  /** Large objects, each with its oid. */
  | { kind: "objects"; id: number; objects(blocks: ContentBlocks): AsyncGenerator<LargeObject> };

export interface LargeObject {
  oid: number;
  pieces: AsyncGenerator<Buffer>;
}

/** Where the pieces are put: each begins with `reserved` bytes for the caller, who owns it from then on. */
export interface ContentBlocks {
  reserved: number;
  take(): Buffer;
}

/** A table of contents is some kilobytes a table; this bounds what a hostile archive can make us keep. */
const mostContents = 64 * 1024 * 1024;
const rowsBlock = 1;
const objectsBlock = 3;

export async function readDump(plain: AsyncIterable<Buffer>): Promise<DumpReader> {
  const source = plain[Symbol.asyncIterator]();
  let bytes: Buffer = Buffer.alloc(0);
  let at = 0;
  /** Appends a piece; false at the end. The last piece is good until then. */
  const fill = async (): Promise<boolean> => {
    const left = Buffer.from(bytes.subarray(at));
    const { value, done } = await source.next();
    if (done) {
      bytes = left;
      at = 0;
      return false;
    }
    bytes = left.length === 0 ? value : Buffer.concat([left, value]);
    at = 0;
    return true;
  };

  let contents: Contents | undefined;
  // As it doubles, a large one is not tried again for each piece.
  for (let next = 0; contents === undefined; ) {
    const ended = !(await fill());
    if (bytes.length < next && !ended) continue;
    contents = tried(bytes);
    next = bytes.length * 2;
    if (contents === undefined && ended) throw cut();
    if (contents === undefined && bytes.length > mostContents)
      throw refused(`its table of contents is larger than ${mostContents} bytes`);
  }
  at = contents.end;
  const { intBytes } = contents;

  const need = async (count: number): Promise<void> => {
    while (bytes.length - at < count) if (!(await fill())) throw cut();
  };
  const takeInt = (): number => {
    const negative = bytes[at++] !== 0;
    let value = 0;
    for (let i = 0, scale = 1; i < intBytes; i++, scale *= 256) value += (bytes[at++] as number) * scale;
    return negative ? -value : value;
  };
  const int = async (): Promise<number> => {
    if (bytes.length - at < intBytes + 1) await need(intBytes + 1);
    return takeInt();
  };

  /** One stretch of data: lengths and bytes, up to a length of 0. Small ones are put together. */
  async function* stretch({ reserved, take }: ContentBlocks): AsyncGenerator<Buffer> {
    let out = take();
    let filled = reserved;
    for (;;) {
      let left = bytes.length - at > intBytes ? takeInt() : await int();
      if (left < 0) throw refused("it has a block of negative length");
      if (left === 0) break;
      while (left > 0) {
        if (at === bytes.length && !(await fill())) throw cut();
        const taken = Math.min(left, bytes.length - at, out.length - filled);
        bytes.copy(out, filled, at, at + taken);
        at += taken;
        left -= taken;
        filled += taken;
        if (filled === out.length) {
          yield out;
          out = take();
          filled = reserved;
        }
      }
    }
    if (filled > reserved) yield out.subarray(0, filled);
  }

  async function* objects(blocks: ContentBlocks): AsyncGenerator<LargeObject> {
    for (let oid = await int(); oid !== 0; oid = await int()) yield { oid, pieces: stretch(blocks) };
  }

  return {
    contents,
    async block() {
      if (at === bytes.length && !(await fill())) return undefined;
      const kind = bytes[at++];
      const id = await int();
      if (kind === rowsBlock) return { kind: "rows", id, pieces: stretch };
      if (kind === objectsBlock) return { kind: "objects", id, objects };
      throw refused(`it has a block of the unknown kind ${kind}`);
    },
  };
}

function tried(bytes: Buffer): Contents | undefined {
  try {
    return readContents(bytes);
  } catch (error) {
    if (error instanceof EngineError && error.code === "archive_cut") return undefined;
    throw error;
  }
}

export const refused = (why: string) =>
  new BackupError("archive_damaged", `the dump is none that pg_dump wrote: ${why}. Restore another run`);
const cut = () => refused("it ends too early");
