import { connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

/** A stretch of wire between two programs that can be cut. */
export interface Proxy {
  port: number;
  /** Breaks every connection that is open now; new ones are let through. */
  cut(): void;
  close(): Promise<void>;
}

export interface Watchers {
  /** What a client sends is passed on once this has resolved; where it rejects the connection breaks. */
  before?: (sent: Buffer) => Promise<void>;
  /** Called for each piece of an answer, before it is passed on. */
  answered?: () => void;
}

/** Listens on a free port of the loopback address and passes everything on to `port` there. */
export async function openProxy(port: number, { before, answered }: Watchers = {}): Promise<Proxy> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: "127.0.0.1", port });
    if (answered !== undefined) far.on("data", answered);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      if (socket === near && before !== undefined) socket.pipe(waiting(before)).pipe(other);
      else socket.pipe(other);
    }
  });
  await new Promise<void>((done, fail) => {
    server.once("error", fail).listen(0, "127.0.0.1", () => done());
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  const cut = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: address.port,
    cut,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        cut();
      }),
  };
}

const waiting = (before: (sent: Buffer) => Promise<void>): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, pass) {
      before(chunk).then(() => pass(null, chunk), pass);
    },
  }).on("error", function (this: Transform) {
    this.destroy();
  });
