import { createServer, type Server, type Socket } from "node:net";

/**
 * Listeners on every address of the namespace that note who came to which address. They speak enough of MySQL and PostgreSQL to be
 * believed, and then ask to be left for a forbidden address.
 */

export interface Canaries {
  /** Addresses at which somebody arrived since it was called last. */
  arrived(): string[];
  close(): void;
}

/** Ports that a Server listens on, and who speaks there. */
const ports: [port: number, speak: (socket: Socket) => void][] = [
  [3306, mysql],
  [5432, postgres],
  ...[22, 80, 443, 6379, 6443, 10250].map((port): [number, (socket: Socket) => void] => [port, (one) => one.destroy()]),
];

export async function startCanaries(one: { port: number; address: string }): Promise<Canaries> {
  let seen: string[] = [];
  const listen = (speak: (socket: Socket) => void, port: number, host: string) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((socket) => {
        seen.push((socket.localAddress ?? "?").replace(/^::ffff:(?=\d+\.)/, ""));
        socket.on("error", () => undefined);
        speak(socket);
      });
      server.once("error", reject);
      server.listen(port, host, () => resolve(server));
    });
  const servers = await Promise.all([
    ...ports.map(([port, speak]) => listen(speak, port, "::")),
    listen(mysql, one.port, one.address),
  ]);
  return {
    arrived() {
      const before = seen;
      seen = [];
      return [...new Set(before)];
    },
    close() {
      for (const server of servers) server.close();
    },
  };
}

const framed = (sequence: number, payload: Buffer) => {
  const header = Buffer.alloc(4);
  header.writeUIntLE(payload.length, 0, 3);
  header[3] = sequence;
  return Buffer.concat([header, payload]);
};

/** As Azure's redirection and MariaDB's `redirect_url` say it. */
const elsewhere = "Location: mysql://[169.254.169.254]:3306/user=shop&ttl=0\n";

function mysql(socket: Socket): void {
  const greeting = Buffer.concat([
    Buffer.from([10]),
    Buffer.from("8.4.0\0"),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from("12345678\0"),
    Buffer.from([0x09, 0xa2, 45, 2, 0, 0x88, 0x00, 21]),
    Buffer.alloc(10),
    Buffer.from("123456789012\0mysql_native_password\0"),
  ]);
  socket.write(framed(0, greeting));
  let heard = 0;
  socket.on("data", () => {
    heard += 1;
    const ok = Buffer.concat([Buffer.from([0, 0, 0, 2, 0, 0, 0, elsewhere.length]), Buffer.from(elsewhere)]);
    if (heard === 1) socket.write(framed(2, ok));
    else socket.end(framed(1, Buffer.from("\u00ff\u0001\u0005#08S01reconnect to 169.254.169.254", "latin1")));
  });
}

function postgres(socket: Socket): void {
  socket.on("data", (asked) => {
    if (asked.length === 8) return socket.write("N");
    const fields = Buffer.from("SFATAL\0C57P03\0Mreconnect to host=169.254.169.254\0\0");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(fields.length + 4);
    socket.end(Buffer.concat([Buffer.from("E"), length, fields]));
  });
}
