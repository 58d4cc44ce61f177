import { answerBytes } from "../../run/memory/bounded.ts";
import { sharedText } from "../../run/memory/shared-text.ts";
import { MysqlError, ProtocolError } from "./errors.ts";
import type { Channel, Consume } from "./input.ts";
import type { ResponseCallbacks } from "./packets.ts";
import { createBudget, readPackets, unexpected } from "./packets.ts";
import { isBytes, parseColumn, type WireColumn } from "./prepared.ts";
import type { Row, RowSink } from "./session-types.ts";
import { packet, parseOk, readLength, type StatementOutcome } from "./wire.ts";

/**
 * The answer to one COM_QUERY, or to a prepared statement's COM_STMT_EXECUTE, whose rows only a sink can read; without CLIENT_DEPRECATE_EOF: column count, definitions, EOF, rows, EOF.
 * An ERR may stand wherever a packet may. Anything else is a ProtocolError, which ends the connection.
 */

export type ResultHandler =
  | { rows(row: Row): void; encoding?: BufferEncoding | undefined }
  /** How many columns, or which. */
  | { columns: number | readonly WireColumn[]; sink: RowSink }
  /** No result set is expected. */
  | { local: LocalFile | undefined };

/** The one file that the server may ask for, once: the name that stands in the statement just sent. */
interface LocalFile {
  name: string;
  /** The server waits for the file's packets, of which the first has this sequence number. */
  begin(sequence: number): void;
}

const ok = 0x00;
const wantsFile = 0xfb;
const eof = 0xfe;
const err = 0xff;
/** An EOF packet is shorter than the row that starts with the same byte (a field of 16 MB and more). */
const eofBytes = 9;
const moreResults = 0x0008;
/** What a row takes beside its fields, and a field beside its bytes. */
const rowBytes = 64;
const fieldBytes = 8;
/** No server makes a result with more. */
const mostColumns = 4096;
/** Of one column: six names, each of 256 bytes at most. */
const definitionBytes = 16 << 10;

export const isEnd = (first: number | undefined, length: number): boolean =>
  first === err || (first === eof && length < eofBytes);

export function readResult(channel: Channel, result: ResultHandler, { done, failed }: ResponseCallbacks): Consume {
  let phase: "first" | "file" | "definitions" | "rows" | "over" = "first";
  let columns = 0;
  let defined = 0;
  const budget = createBudget(answerBytes, "a query");

  const finish = (error?: Error, outcome?: StatementOutcome) => {
    phase = "over";
    channel.reader(unexpected);
    if (error === undefined) done(outcome);
    else failed(error);
    return false;
  };

  const first = (payload: Buffer, sequence: number): boolean => {
    if (payload[0] === ok) {
      const outcome = parseOk(payload);
      if (outcome.more) throw new ProtocolError("the server sends more results than were requested");
      return finish(undefined, outcome);
    }
    if (payload[0] === wantsFile) {
      const local = "local" in result && phase === "first" ? result.local : undefined;
      if (local !== undefined && payload.toString("utf8", 1) === local.name) {
        phase = "file";
        local.begin((sequence + 1) & 0xff);
        return true;
      }
      // An empty packet says that there is no such file; the server answers with an error. Whoever asks is not trusted on.
      channel.send(packet((sequence + 1) & 0xff, Buffer.alloc(0)));
      throw new ProtocolError("the server requested a local file, which is refused");
    }
    if (phase === "file" || "local" in result)
      throw new ProtocolError("the server returned a result that was not requested");
    columns = readLength(payload, 0).value;
    if (columns < 1 || columns > mostColumns) throw new ProtocolError(`the server answers with ${columns} columns`);
    if ("sink" in result) {
      const asked = typeof result.columns === "number" ? result.columns : result.columns.length;
      if (columns !== asked)
        throw new ProtocolError(`the server answers with ${columns} columns where ${asked} were requested`);
    }
    phase = "definitions";
    return true;
  };

  const definition = (payload: Buffer): boolean => {
    if (defined < columns) {
      if (payload.length > definitionBytes) throw new ProtocolError("a column is described by more than its names");
      if ("sink" in result && typeof result.columns !== "number") sameColumn(payload, result.columns[defined]);
      defined++;
      return true;
    }
    if (!isEnd(payload[0], payload.length))
      throw new ProtocolError("the column definitions do not end where they should");
    phase = "rows";
    if (!("sink" in result)) return true;
    channel.reader(rowReader(result.sink));
    return false;
  };

  const row = (payload: Buffer): boolean => {
    if (isEnd(payload[0], payload.length)) {
      if ((payload.readUInt16LE(3) & moreResults) !== 0)
        throw new ProtocolError("the server sends more results than were requested");
      return finish();
    }
    if ("rows" in result) {
      budget.spend(rowBytes + columns * fieldBytes);
      result.rows(textRow(payload, columns, result.encoding));
    }
    return true;
  };

  const packets = readPackets((payload, sequence) => {
    if (payload[0] === err && !(phase === "definitions" && defined < columns)) return finish(new MysqlError(payload));
    if (phase === "first" || phase === "file") return first(payload, sequence);
    return phase === "definitions" ? definition(payload) : row(payload);
  }, budget);

  const rowReader = (sink: RowSink): Consume => {
    /** Waits that have not ended: a reader is asked again before they have, and the first one to end must not let it go on. */
    let waits = 0;
    return (buffer, start, end) => {
      const at = sink.take(buffer, start, end);
      if (sink.ended) channel.reader(packets);
      const room = sink.room();
      if (room !== undefined) {
        waits++;
        channel.pause();
        room.then(
          () => {
            waits--;
            if (waits === 0) channel.resume();
          },
          (error) => {
            failed(error);
            channel.destroy();
          },
        );
      }
      return at;
    };
  };

  return packets;
}

function sameColumn(payload: Buffer, prepared: WireColumn | undefined): void {
  const { type, unsigned } = parseColumn(payload);
  // One text may be called another; how it is read is the same.
  if (prepared !== undefined && isBytes(type) && isBytes(prepared.type)) return;
  if (type !== prepared?.type || unsigned !== prepared.unsigned)
    throw new ProtocolError("the server sends another type than it prepared");
}

function textRow(payload: Buffer, columns: number, encoding: BufferEncoding = "utf8"): Row {
  // A list that grows by itself begins with room for 17 fields, and keeps it.
  const row = new Array<string | null>(columns);
  for (let column = 0, at = 0; column < columns; column++) {
    if (at >= payload.length) throw new ProtocolError("a row ends before its last field");
    const { value, next } = readLength(payload, at);
    if (value < 0) {
      row[column] = null;
      at = next;
    } else {
      if (next + value > payload.length) throw new ProtocolError("a field is longer than its row");
      row[column] = sharedText(payload.toString(encoding, next, next + value));
      at = next + value;
    }
  }
  return row;
}
