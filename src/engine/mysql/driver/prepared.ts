import { MysqlError, ProtocolError } from "./errors.ts";
import type { Channel, Consume } from "./input.ts";
import type { ResponseCallbacks } from "./packets.ts";
import { createBudget, readPackets, unexpected } from "./packets.ts";
import { readLength } from "./wire.ts";

/**
 * Prepared statements: what the server says of one, and the commands for it. Their rows come in the binary protocol,
 * in which numbers and dates are no text.
 */

/** The types of columns on the wire that a reader must tell apart. */
export const wireType = {
  tiny: 1,
  short: 2,
  long: 3,
  double: 5,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  varchar: 15,
  bit: 16,
  json: 245,
  newDecimal: 246,
  enum: 247,
  set: 248,
  tinyBlob: 249,
  mediumBlob: 250,
  longBlob: 251,
  blob: 252,
  varString: 253,
  string: 254,
} as const;

const bytes: ReadonlySet<number> = new Set([
  wireType.varchar,
  wireType.json,
  wireType.enum,
  wireType.set,
  wireType.tinyBlob,
  wireType.mediumBlob,
  wireType.longBlob,
  wireType.blob,
  wireType.varString,
  wireType.string,
]);

/** Text or bytes, which all come as a length and so many bytes. */
export const isBytes = (type: number): boolean => bytes.has(type);

export interface WireColumn {
  /** One of `wireType`, or a number that is none of them. */
  type: number;
  unsigned: boolean;
}

export interface Statement {
  id: number;
  columns: WireColumn[];
}

const prepare = 0x16;
const execute = 0x17;
const close = 0x19;
const eof = 0xfe;
const err = 0xff;
/** 4,096 definitions with six names each. */
const definitionBytes = 16 << 20;
const unsignedFlag = 0x20;
/** A definition's texts: catalogue, schema, table, its own name, column, its own name. */
const texts = 6;

export const prepareCommand = (sql: string): Buffer => Buffer.concat([Buffer.from([prepare]), Buffer.from(sql)]);

/** No cursor, once, no parameters: the rows come as those of a query. */
export function executeCommand(id: number): Buffer {
  const bytes = Buffer.alloc(10);
  bytes[0] = execute;
  bytes.writeUInt32LE(id, 1);
  bytes.writeUInt32LE(1, 6);
  return bytes;
}

/** The server does not answer it. */
export function closeCommand(id: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes[0] = close;
  bytes.writeUInt32LE(id, 1);
  return bytes;
}

/** The answer to a prepare command: what it made, a definition for each column, EOF. */
export function readPrepared(channel: Channel, { done, failed }: ResponseCallbacks<Statement>): Consume {
  const columns: WireColumn[] = [];
  let id = -1;
  let expected = 0;

  const finish = (): boolean => {
    channel.reader(unexpected);
    done({ id, columns });
    return false;
  };

  const head = (payload: Buffer): boolean => {
    if (payload[0] !== 0 || payload.length < 12) throw new ProtocolError("the server does not say what it prepared");
    if (payload.readUInt16LE(7) !== 0) throw new ProtocolError("the server asks for parameters of a statement without");
    id = payload.readUInt32LE(1);
    expected = payload.readUInt16LE(5);
    if (expected === 0) throw new ProtocolError("the server prepared a statement without a result");
    return true;
  };

  return readPackets(
    (payload) => {
      if (id < 0 && payload[0] === err) {
        channel.reader(unexpected);
        failed(new MysqlError(payload));
        return false;
      }
      if (id < 0) return head(payload);
      if (columns.length < expected) {
        columns.push(parseColumn(payload));
        return true;
      }
      if (payload[0] !== eof) throw new ProtocolError("the column definitions do not end where they should");
      return finish();
    },
    createBudget(definitionBytes, "a statement to prepare"),
  );
}

/** A column's definition (protocol 4.1). */
export function parseColumn(payload: Buffer): WireColumn {
  let at = 0;
  for (let text = 0; text < texts; text++) {
    if (at >= payload.length) throw new ProtocolError("a column's definition ends too soon");
    const { value, next } = readLength(payload, at);
    at = next + Math.max(0, value);
  }
  // A length byte, the character set and the display width stand before.
  const type = at + 7;
  if (payload.length < type + 3) throw new ProtocolError("a column's definition ends too soon");
  return { type: payload[type] as number, unsigned: (payload.readUInt16LE(type + 1) & unsignedFlag) !== 0 };
}
