/**
 * Bytes of the MySQL protocol: packets, length-encoded integers, the server's greeting, our answer to it.
 * Source: MySQL Internals, "Client/Server Protocol"; MariaDB Knowledge Base, "Clients & Utilities: Protocol".
 */

/** Payload bytes of a full packet; one that is full goes on in the next. */
export const fullPacket = 0xffffff;
/** A packet's header: three bytes of length (little-endian), one of sequence. */
export const packetHeader = 4;

export const capability = {
  longPassword: 0x1,
  longFlag: 0x4,
  connectWithDatabase: 0x8,
  /** Only ever announced by a session that sends LOAD DATA LOCAL itself. */
  localFiles: 0x80,
  protocol41: 0x200,
  tls: 0x800,
  transactions: 0x2000,
  secureConnection: 0x8000,
  pluginAuth: 0x80000,
  connectAttributes: 0x100000,
  pluginAuthLengthEncoded: 0x200000,
} as const;

/** utf8mb4_general_ci: known to every server since 5.5. */
const charset = 45;

interface Greeting {
  /** As the server says it, without the `5.5.5-` that MariaDB puts before its own. */
  versionText: string;
  maria: boolean;
  threadId: number;
  capabilities: number;
  scramble: Buffer;
  plugin: string;
}

/** The server's first packet (protocol 10). Throws on another protocol. */
export function parseGreeting(packet: Buffer): Greeting {
  if (packet[0] !== 10) throw new Error(`the server speaks protocol ${packet[0]}, not 10: is it a MySQL server?`);
  const versionEnd = packet.indexOf(0, 1);
  const text = packet.toString("latin1", 1, versionEnd);
  let at = versionEnd + 1;
  const threadId = packet.readUInt32LE(at);
  const first = packet.subarray(at + 4, at + 12);
  const low = packet.readUInt16LE(at + 13);
  const high = packet.readUInt16LE(at + 18);
  const scrambleLength = packet[at + 20] ?? 0;
  at += 31;
  const secondLength = Math.max(13, scrambleLength - 8);
  const second = packet.subarray(at, at + secondLength);
  at += secondLength;
  const pluginEnd = packet.indexOf(0, at);
  const scramble = Buffer.concat([first, second]);
  return {
    versionText: text.replace(/^5\.5\.5-/, ""),
    maria: /mariadb/i.test(text),
    threadId,
    capabilities: ((high << 16) | low) >>> 0,
    // The last byte is a terminator, not part of the scramble.
    scramble: scramble.subarray(0, scramble[scramble.length - 1] === 0 ? scramble.length - 1 : scramble.length),
    plugin: packet.toString("latin1", at, pluginEnd < 0 ? packet.length : pluginEnd),
  };
}

/** `8.4.3-log` → 80403, `10.11.19-MariaDB` → 101119. */
export function versionNumber(text: string): number {
  const [major = 0, minor = 0, patch = 0] = (/^\d+(\.\d+)*/.exec(text)?.[0] ?? "").split(".").map(Number);
  return major * 10_000 + minor * 100 + patch;
}

/** `payload` as one packet, or as several where it is as long as a full one or longer. */
export function packet(sequence: number, payload: Buffer): Buffer {
  if (payload.length >= fullPacket) {
    const rest = packet((sequence + 1) & 0xff, payload.subarray(fullPacket));
    const header = Buffer.from([0xff, 0xff, 0xff, sequence]);
    return Buffer.concat([header, payload.subarray(0, fullPacket), rest]);
  }
  const whole = Buffer.allocUnsafe(packetHeader + payload.length);
  whole.writeUIntLE(payload.length, 0, 3);
  whole[3] = sequence;
  payload.copy(whole, packetHeader);
  return whole;
}

function head(flags: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32LE(flags, 0);
  bytes.writeUInt32LE(0x4000_0000, 4);
  bytes[8] = charset;
  return bytes;
}

export const tlsRequest = (flags: number): Buffer => head(flags);

interface Login {
  user: string;
  database: string;
  plugin: string;
  answer: Buffer;
  /** Shown in performance_schema. */
  program: string;
}

/** HandshakeResponse41. */
export function loginResponse(flags: number, login: Login): Buffer {
  const text = (value: string) => Buffer.from(`${value}\0`);
  const attributes = Buffer.concat(["program_name", login.program].map((value) => lengthEncoded(Buffer.from(value))));
  return Buffer.concat([
    head(flags),
    text(login.user),
    lengthEncoded(login.answer),
    text(login.database),
    text(login.plugin),
    lengthEncoded(attributes),
  ]);
}

function lengthEncoded(bytes: Buffer): Buffer {
  if (bytes.length < 0xfb) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  return Buffer.concat([Buffer.from([0xfc, bytes.length & 0xff, bytes.length >>> 8]), bytes]);
}

/** A length-encoded integer and where it ends. -1 stands for NULL (0xfb). */
export function readLength(bytes: Buffer, at: number): { value: number; next: number } {
  const first = bytes[at] ?? 0;
  if (first < 0xfb) return { value: first, next: at + 1 };
  if (first === 0xfb) return { value: -1, next: at + 1 };
  if (first === 0xfc) return { value: bytes.readUInt16LE(at + 1), next: at + 3 };
  if (first === 0xfd) return { value: bytes.readUIntLE(at + 1, 3), next: at + 4 };
  return { value: Number(bytes.readBigUInt64LE(at + 1)), next: at + 9 };
}

/** What a statement without a result set did. */
export interface StatementOutcome {
  affected: number;
  /** The id that AUTO_INCREMENT gave to the first row, 0 without one. */
  insertId: number;
  /** At most 65,535. */
  warnings: number;
  /** Another result follows. */
  more: boolean;
}

const moreResults = 0x0008;

/** An OK packet (first byte 0x00). */
export function parseOk(payload: Buffer): StatementOutcome {
  const affected = readLength(payload, 1);
  const insertId = readLength(payload, affected.next);
  const at = insertId.next;
  return {
    affected: affected.value,
    insertId: insertId.value,
    more: (payload.readUInt16LE(at) & moreResults) !== 0,
    warnings: payload.readUInt16LE(at + 2),
  };
}
