import { Socket } from "node:net";

/**
 * A socket for the driver whose reads can be led into blocks of our own while a COPY runs: the kernel fills the
 * block in place, and no buffer is made per read. Otherwise it behaves as any socket: it emits `data`.
 */

/** Takes what is read while it is set. */
export interface Sink {
  /** Where the next read may go; at least one byte, and not in use elsewhere. */
  space(): Uint8Array;
  /** `count` bytes were read into what `space` gave last. False: pause until `resume` is called on the socket. */
  filled(count: number): boolean;
  /** Bytes that were read elsewhere; they are only lent. False: as above. */
  lent(bytes: Uint8Array): boolean;
}

const sinks = new WeakMap<Socket, (sink: Sink | undefined) => void>();

const readBytes = 64 * 1024;

export function createBlockSocket(): Socket {
  const own = Buffer.allocUnsafeSlow(readBytes);
  let sink: Sink | undefined;
  let current: Uint8Array = own;
  const onread = {
    buffer: (): Uint8Array => {
      current = sink === undefined ? own : sink.space();
      return current;
    },
    callback: (count: number, bytes: Uint8Array): boolean => {
      if (sink === undefined) {
        // A copy, since the driver keeps what it has not read to the end.
        socket.emit("data", Buffer.from(bytes.subarray(0, count)));
        return true;
      }
      return bytes === own ? sink.lent(bytes.subarray(0, count)) : sink.filled(count);
    },
  };
  // The option is public for `net.connect`, and read by the constructor, which the typings do not tell.
  const options: object = { onread };
  const socket = new Socket(options);
  sinks.set(socket, (next) => {
    sink = next;
  });
  return socket;
}

/**
 * Leads what a connection's stream reads into the sink until `restore` is called. Also works on other streams (TLS),
 * at the price of one copy. `toDriver` gives bytes to the driver's own listener.
 */
export function divert(stream: Socket, sink: Sink): { toDriver(bytes: Uint8Array): void; restore(): void } {
  const [listener] = stream.listeners("data") as ((bytes: Buffer) => void)[];
  if (listener === undefined) throw new Error("the driver does not listen on its connection");
  const toDriver = (bytes: Uint8Array) => listener(Buffer.from(bytes));
  const set = sinks.get(stream);
  if (set !== undefined) {
    set(sink);
    return { toDriver, restore: () => set(undefined) };
  }
  const lend = (bytes: Buffer) => {
    if (!sink.lent(bytes)) stream.pause();
  };
  stream.off("data", listener);
  stream.on("data", lend);
  return {
    toDriver,
    restore() {
      stream.off("data", lend);
      stream.on("data", listener);
    },
  };
}
