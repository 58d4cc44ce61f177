import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Endpoint, EngineError } from "../../src/engine/contract/index.ts";
import { meaningSettings } from "../../src/engine/mysql/driver/settings.ts";
import { readBackSettings } from "../../src/engine/postgres/driver/settings.ts";

/** Servers that answer what they like, in the bytes of both protocols. */

export interface Rogue {
  endpoint: Endpoint;
  /** All that clients said, in the order in which it came. */
  heard(): Buffer;
  /** Bytes that clients took. */
  taken(): number;
  close(): void;
}

const password = "planted-s3cr3t";

/** `serve` gets each connection. */
export async function rogue(engine: Endpoint["engine"], serve: (socket: Socket) => void): Promise<Rogue> {
  const open = new Set<Socket>();
  const heard: Buffer[] = [];
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => heard.push(chunk));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: { engine, host: "127.0.0.1", port, user: "u", password, database: "d", tls: { mode: "prefer" } },
    heard: () => Buffer.concat(heard),
    taken: () => [...open].reduce((sum, socket) => sum + socket.bytesWritten, 0),
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Writes `chunk` until the other side hangs up. */
export function endless(socket: Socket, chunk: Buffer): void {
  const on = () => {
    while (!socket.destroyed && socket.writable && socket.write(chunk));
  };
  socket.on("drain", on);
  on();
}

export const repeated = (bytes: Buffer, count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => bytes));

/** The error of what must fail in our own words; what else it fails with is thrown. */
export async function errorOf(work: Promise<unknown>): Promise<EngineError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

/** A MySQL packet. */
export function framed(sequence: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUIntLE(payload.length, 0, 3);
  header[3] = sequence;
  return Buffer.concat([header, payload]);
}

export const okPacket = Buffer.from([0, 0, 0, 2, 0, 0, 0]);

export const greeting = (plugin = "mysql_native_password"): Buffer =>
  Buffer.concat([
    Buffer.from([10]),
    Buffer.from("8.4.0\0"),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from("12345678\0"),
    Buffer.from([0x09, 0xa2, 45, 2, 0, 0x08, 0x00, 21]),
    Buffer.alloc(10),
    Buffer.from(`123456789012\0${plugin}\0`),
  ]);

/** MySQL that greets, and then is asked; `answer` gets the number of the client's packet: 0 is the login, 1 the pins. */
export const mysql =
  (answer: (socket: Socket, packet: number) => void, plugin?: string) =>
  (socket: Socket): void => {
    socket.write(framed(0, greeting(plugin)));
    let packet = 0;
    socket.on("data", () => answer(socket, packet++));
  };

/** The answer to the question for the settings: each as it was set. */
export function mysqlSettings(): Buffer {
  const column = Buffer.concat([Buffer.from([3]), Buffer.from("def"), Buffer.alloc(20)]);
  const eof = Buffer.from([0xfe, 0, 0, 2, 0]);
  const values = meaningSettings({ maria: false, version: 80400, versionText: "8.4.0" }).map(([, value]) => value);
  const row = Buffer.concat(values.map((value) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])));
  const packets = [Buffer.from([values.length]), ...values.map(() => column), eof, row, eof];
  return Buffer.concat(packets.map((payload, at) => framed(at + 1, payload)));
}

/** It lets in whoever comes, and keeps the settings. */
export const mysqlOpen = (answer: (socket: Socket) => void) =>
  mysql((socket, packet) => {
    if (packet < 2) socket.write(framed(packet === 0 ? 2 : 1, okPacket));
    else if (packet === 2) socket.write(mysqlSettings());
    else answer(socket);
  });

/** A message of PostgreSQL's. `length` may lie. */
export function message(type: string, body: Buffer | string = "", length?: number): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeUInt32BE(length ?? bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

export const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};

export const authentication = (kind: number, body: Buffer | string = ""): Buffer =>
  message("R", Buffer.concat([int32(kind), Buffer.from(body)]));

export const ready = message("Z", "I");

/** Lets in whoever comes. */
export const welcome = Buffer.concat([
  authentication(0),
  message("S", "server_version\x0015.4\0"),
  message("K", Buffer.concat([int32(1), int32(2)])),
  ready,
]);

const sslRequest = 80_877_103;

/** PostgreSQL without TLS; `answer` gets the number of the client's message: 0 is the startup. */
export const postgres =
  (answer: (socket: Socket, packet: number, bytes: Buffer) => void) =>
  (socket: Socket): void => {
    let packet = 0;
    socket.on("data", (bytes) => {
      if (bytes.length === 8 && bytes.readInt32BE(4) === sslRequest) socket.write("N");
      else answer(socket, packet++, bytes);
    });
  };

const done = Buffer.concat([message("C", "SELECT 0\0"), ready]);

/** The answer to the question for the settings: each as it was set. */
function postgresSettings(): Buffer {
  const columns = readBackSettings.map((_, at) =>
    Buffer.concat([Buffer.from(`s${at}\0`), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]),
  );
  const values = readBackSettings.map(([, value]) => Buffer.concat([int32(value.length), Buffer.from(value)]));
  const count = int16(readBackSettings.length);
  return Buffer.concat([
    message("T", Buffer.concat([count, ...columns])),
    message("D", Buffer.concat([count, ...values])),
    message("C", "SELECT 1\0"),
    ready,
  ]);
}

/** It lets in whoever comes, takes the two statements of the settings and keeps them; `answer` gets what is asked then. */
export const postgresOpen = (answer: (socket: Socket) => void) =>
  postgres((socket, packet) => {
    if (packet === 0) socket.write(welcome);
    else if (packet <= 2) socket.write(done);
    else if (packet === 3) socket.write(postgresSettings());
    else answer(socket);
  });

/** One column of text. */
export const oneColumn = message(
  "T",
  Buffer.concat([int16(1), Buffer.from("c\0"), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]),
);

export const textRow = (bytes: number): Buffer =>
  message("D", Buffer.concat([int16(1), int32(bytes), Buffer.alloc(bytes, "x")]));
