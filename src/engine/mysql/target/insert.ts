import { EngineError } from "../../contract/index.ts";
import { type BlockPool, blockBytes } from "../../run/memory/block-pool.ts";
import { identifier, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { blockStart, checkLoaded, type LoadColumn, type Loader, type LoadTarget } from "./loader.ts";

/**
 * The way for servers with local_infile off: the same blocks of LOAD DATA text become INSERT statements of many rows.
 * The text's escapes are those of a quoted string as well, so only quotes are added; a field's bytes are given as a binary
 * string, which takes no conversion. IGNORE is what LOCAL does anyway: one meaning for both ways, and every warning counts.
 */

/** A statement is sent when it is as long as this, or as a quarter of what the server takes. */
export const statementBytes = 1 << 20;
/** Of max_allowed_packet, for the packet's own header and command. */
export const spareBytes = 1024;

const backslash = 0x5c;
const tab = 0x09;
const lineFeed = 0x0a;
const quote = 0x27;

/** Turns blocks into statements; `send` gets each, which is only good during the call. */
interface Inserts {
  feed(block: Uint8Array, start: number, end: number): void;
  /** Sends what is left. */
  end(): void;
}

export interface InsertTarget extends Pick<LoadTarget, "columns"> {
  /** What a statement begins with, before its columns. */
  into: string;
  /** Bytes after which a statement is sent. */
  most: number;
  /** Bytes that a statement may have. */
  limit: number;
  /** For a row that is longer. */
  tooLarge(bytes: number): Error;
}

export function createInserts(
  { into, columns, most, limit, tooLarge }: InsertTarget,
  send: (statement: Buffer) => void,
): Inserts {
  const head = Buffer.from(insertHead(into, columns));
  const around = columns.map(literalParts);
  let out = Buffer.allocUnsafe(Math.min(most, statementBytes) + blockBytes * 2);
  let o = 0;
  let rows = 0;
  let column = 0;
  let rowStart = 0;
  /** `start`: before a field; `maybeNull`: after its first backslash; `null`: after \N; `inside`: in its text; `escape`: after a backslash there. */
  let state: "start" | "maybeNull" | "null" | "inside" | "escape" = "start";

  const grow = (needed: number) => {
    if (o + needed <= out.length) return;
    const wider = Buffer.allocUnsafe(Math.max(out.length * 2, o + needed));
    out.copy(wider, 0, 0, o);
    out = wider;
  };
  const put = (bytes: Buffer) => {
    grow(bytes.length);
    bytes.copy(out, o);
    o += bytes.length;
  };
  const putText = (text: string) => put(Buffer.from(text));
  const parts = () => around[column] as { before: Buffer; after: Buffer; nothing: Buffer };

  const flush = (end: number) => {
    if (rows === 0) return;
    // What was begun of the next row stays.
    const rest = Buffer.from(out.subarray(rowStart, o));
    send(out.subarray(0, end));
    rows = 0;
    o = 0;
    put(head);
    rowStart = o;
    put(rest[0] === 0x2c ? rest.subarray(1) : rest);
  };

  const open = () => {
    put(parts().before);
    state = "inside";
  };

  const close = (last: boolean) => {
    if (state === "null") put(parts().nothing);
    else {
      if (state === "start") open();
      put(parts().after);
    }
    column++;
    state = "start";
    if (!last) return putText(",");
    putText(")");
    if (o - rowStart + head.length > limit) throw tooLarge(o - rowStart);
    // Over the limit with this row, not without it: it goes into the next statement.
    if (o > limit) flush(rowStart);
    rows++;
    if (o >= most) {
      rowStart = o;
      flush(o);
    }
    column = 0;
  };

  const inField = (byte: number) => {
    if (state === "start" && byte === backslash) {
      state = "maybeNull";
      return;
    }
    if (state === "maybeNull" && byte === 0x4e) {
      state = "null";
      return;
    }
    if (state === "start" || state === "maybeNull") {
      const escaped = state === "maybeNull";
      open();
      grow(2);
      if (escaped) {
        out[o++] = backslash;
        out[o++] = byte;
        return;
      }
    }
    grow(2);
    if (state === "escape") state = "inside";
    else if (byte === backslash) state = "escape";
    else if (byte === quote) out[o++] = backslash;
    out[o++] = byte;
  };

  const beginRow = () => {
    rowStart = o;
    putText(rows === 0 ? "(" : ",(");
  };

  put(head);
  rowStart = o;
  let begun = false;
  return {
    feed(block, start, end) {
      grow((end - start) * 2 + 64);
      for (let p = start; p < end; p++) {
        const byte = block[p] as number;
        if (!begun) {
          beginRow();
          begun = true;
        }
        if (byte === tab) close(false);
        else if (byte === lineFeed) {
          close(true);
          begun = false;
        } else inField(byte);
        if (o > limit * 2 + blockBytes) throw tooLarge(o - rowStart);
      }
    },
    end() {
      rowStart = o;
      flush(o);
    },
  };
}

/** What each statement begins with. */
export const insertHead = (into: string, columns: LoadTarget["columns"]): string =>
  `${into} (${columns.map(({ name }) => identifier(name)).join(", ")}) VALUES `;

const marker = "\u0000field\u0000";

/** What stands before and after the field's escaped bytes, and for NULL. */
export function literalParts({ value }: LoadColumn): { before: Buffer; after: Buffer; nothing: Buffer } {
  const sql = value?.(marker) ?? marker;
  const pieces = sql.split(marker);
  const [before = "", after = ""] = pieces;
  if (pieces.length !== 2) throw new Error("a column's value has to name its field once");
  return {
    before: Buffer.from(`${before}_binary'`),
    after: Buffer.from(`'${after}`),
    nothing: Buffer.from(`${before}NULL${after}`),
  };
}

const tooLarge = (bytes: number, limit: number): EngineError =>
  new EngineError(
    "row_too_large",
    `a row of about ${bytes} bytes is larger than the target's max_allowed_packet of ${limit + spareBytes}: raise max_allowed_packet there, or set local_infile=ON, and retry`,
  );

export async function insertRows(session: Session, target: LoadTarget, pool: BlockPool): Promise<Loader> {
  const [[allowed] = []] = await session.query("SELECT @@max_allowed_packet");
  const limit = Number(allowed) - spareBytes;
  let affected = 0;
  let warnings = 0;
  let last: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;
  const { database, table, columns } = target;
  const into = {
    into: `INSERT IGNORE INTO ${qualified(database, table)}`,
    columns,
    most: Math.min(statementBytes, limit / 4),
    limit,
    tooLarge: (bytes: number) => tooLarge(bytes, limit),
  };
  const inserts = createInserts(into, (statement) => {
    // Statements queue up in the session; it keeps its own copy of each.
    const copy = Buffer.from(statement);
    const sent = (last ?? Promise.resolve()).then(async () => {
      if (failure !== undefined) return;
      try {
        const done = await session.run(copy);
        affected += done.affected;
        warnings += done.warnings;
        // A later statement would take the words of this one away.
        if (done.warnings > 0 && firstWarnings === undefined) firstWarnings = await session.query("SHOW WARNINGS");
      } catch (error) {
        failure ??= { error };
      }
    });
    last = sent;
  });
  let firstWarnings: readonly (readonly (string | null)[])[] | undefined;
  const settled = async () => {
    const mine = last;
    await mine;
    if (last === mine) last = undefined;
    if (failure !== undefined) throw failure.error;
  };
  return {
    first: () => pool.take(),
    spare: (block) => pool.give(block),
    flush(block, end) {
      if (failure === undefined) {
        try {
          inserts.feed(block, blockStart, end);
        } catch (error) {
          failure = { error };
        }
      }
      return block;
    },
    room() {
      if (failure !== undefined) return Promise.reject(failure.error);
      if (last === undefined) return undefined;
      const waiting = settled();
      waiting.catch(() => undefined);
      return waiting;
    },
    async finish(rows, tolerated) {
      if (failure !== undefined) throw failure.error;
      inserts.end();
      await settled();
      const asked = { query: async () => firstWarnings ?? [] };
      await checkLoaded(asked, { rows, affected, warnings }, tolerated);
    },
    async abort() {
      failure ??= { error: new EngineError("cancelled", "the rows were given up") };
      await last;
    },
  };
}
