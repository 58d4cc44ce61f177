import { type AddressInfo, createServer, type Socket } from "node:net";

/** Servers that keep to no protocol, or to one only as long as it serves them. */
export interface Rogue {
  port: number;
  /** Connections that were opened. */
  connections(): number;
  close(): void;
}

/** `serve` gets each connection. */
export async function startRogue(serve: (socket: Socket) => void): Promise<Rogue> {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
    serve(socket);
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
  return {
    port,
    connections: () => count,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** Takes connections and what is sent, and says nothing. */
export const silent = (socket: Socket) => void socket.resume();

/** Writes `chunk` again and again until the other side hangs up. */
function endless(socket: Socket, chunk: Buffer): void {
  const on = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", on);
  on();
}

const framed = (sequence: number, payload: Buffer) => {
  const header = Buffer.alloc(4);
  header.writeUIntLE(payload.length, 0, 3);
  header[3] = sequence;
  return Buffer.concat([header, payload]);
};

const ok = Buffer.from([0, 0, 0, 2, 0, 0, 0]);

function greet(socket: Socket): void {
  const parts = [
    Buffer.from([10]),
    Buffer.from("8.4.0\0"),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from("12345678\0"),
    Buffer.from([0x09, 0xa2, 45, 2, 0, 0x08, 0x00, 21]),
    Buffer.alloc(10),
    Buffer.from("123456789012\0mysql_native_password\0"),
  ];
  socket.write(framed(0, Buffer.concat(parts)));
}

/** MySQL that lets anybody in; `answer` gets every later command. */
const mysql = (answer: (socket: Socket) => void) => (socket: Socket) => {
  greet(socket);
  let packets = 0;
  socket.on("data", () => {
    packets += 1;
    if (packets === 1) socket.write(framed(2, ok));
    else if (packets === 2) socket.write(framed(1, ok));
    else answer(socket);
  });
};

const column = Buffer.concat([Buffer.from([3]), Buffer.from("def"), Buffer.alloc(20)]);
const eof = Buffer.from([0xfe, 0, 0, 2, 0]);
const row = framed(4, Buffer.concat([Buffer.from([0xfd, 0, 0x10, 0]), Buffer.alloc(4096)]));

export const endlessRows = mysql((socket) => {
  socket.write(Buffer.concat([framed(1, Buffer.from([1])), framed(2, column), framed(3, eof)]));
  endless(socket, Buffer.concat(Array.from({ length: 64 }, () => row)));
});

export const endlessColumns = mysql((socket) => {
  socket.write(framed(1, Buffer.from([0xfc, 0xff, 0xff])));
  endless(socket, Buffer.concat(Array.from({ length: 256 }, () => framed(2, column))));
});

export const asksForAFile = mysql((socket) => {
  socket.write(framed(1, Buffer.concat([Buffer.from([0xfb]), Buffer.from("/etc/passwd")])));
});

/** A login refused with words of 16 MB less a byte, full of what redaction is slow at. */
export const hugeRefusal = (socket: Socket) => {
  greet(socket);
  socket.once("data", () => {
    const words = Buffer.alloc(900_000, "\\");
    socket.write(framed(2, Buffer.concat([Buffer.from([0xff, 0x15, 0x04]), Buffer.from("#28000"), words])));
  });
};

const pgMessage = (type: string, body: Buffer) => {
  const header = Buffer.alloc(5);
  header.write(type, 0, "latin1");
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
};

/** PostgreSQL without TLS; `answer` is called at the startup message, and `each` at every later one. */
const postgres = (answer: (socket: Socket) => void, each?: (socket: Socket) => void) => (socket: Socket) => {
  let messages = 0;
  socket.on("data", (chunk) => {
    messages += 1;
    if (chunk.length === 8 && chunk.readInt32BE(4) === 80_877_103) {
      messages -= 1;
      socket.write("N");
    } else if (messages === 1) answer(socket);
    else each?.(socket);
  });
};

const errorBody = (bytes: number) =>
  Buffer.concat([
    Buffer.from("SFATAL\0VFATAL\0C28P01\0M"),
    Buffer.alloc(bytes, "x"),
    Buffer.from("\0D"),
    Buffer.alloc(bytes, "y"),
    Buffer.from("\0\0"),
  ]);

export const hugeError = postgres((socket) => void socket.write(pgMessage("E", errorBody(8 << 20))));

/** Announces an error of a gigabyte, and goes on sending. */
export const endlessError = postgres((socket) => {
  const header = Buffer.alloc(5);
  header.write("E", 0, "latin1");
  header.writeInt32BE(1 << 30, 1);
  socket.write(header);
  endless(socket, Buffer.alloc(1 << 20, "x"));
});

export const endlessNotices = postgres((socket) => {
  socket.write(pgMessage("R", Buffer.alloc(4)));
  const notice = pgMessage(
    "N",
    Buffer.concat([Buffer.from("SNOTICE\0C00000\0M"), Buffer.alloc(4096, "n"), Buffer.from("\0\0")]),
  );
  endless(socket, Buffer.concat(Array.from({ length: 64 }, () => notice)));
});

/** Asks for SCRAM, and then for more rounds than anybody should work. */
export const costlyScram = (rounds: number) => {
  let nonce = "";
  return (socket: Socket) => {
    let messages = 0;
    socket.on("data", (chunk) => {
      if (chunk.length === 8 && chunk.readInt32BE(4) === 80_877_103) return void socket.write("N");
      messages += 1;
      if (messages === 1) {
        const method = Buffer.concat([Buffer.from([0, 0, 0, 10]), Buffer.from("SCRAM-SHA-256\0\0")]);
        return void socket.write(pgMessage("R", method));
      }
      nonce = /r=([^,\0]+)/.exec(chunk.toString("latin1"))?.[1] ?? "";
      const go = `r=${nonce}more,s=${Buffer.from("salt").toString("base64")},i=${rounds}`;
      socket.write(pgMessage("R", Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from(go)])));
    });
  };
};
