import { Socket } from "node:net";

/**
 * A socket for the driver whose reads can be led into blocks of our own while a COPY runs: the kernel fills the
 * block in place, and no buffer is made per read. Otherwise it behaves as any socket: it emits `data`.
 */

/** Takes what is read while it is set. */
export interface Sink {
  /** Where the next read may go; at least one byte unless the sink has failed, and not in use elsewhere. */
  space(): Uint8Array;
  /** `count` bytes were read into what `space` gave last. False: pause until `resume` is called on the socket. */
  filled(count: number): boolean;
}

const sinks = new WeakMap<Socket, (sink: Sink | undefined) => void>();

const readBytes = 64 * 1024;

export function createBlockSocket(): Socket {
  const own = Buffer.allocUnsafeSlow(readBytes);
  let sink: Sink | undefined;
  let current: Uint8Array = own;
  // A copy, since the driver keeps what it has not read to the end.
  const toDriver = (bytes: Uint8Array) => socket.emit("data", Buffer.from(bytes));
  const onread = {
    buffer: (): Uint8Array => {
      current = sink === undefined ? own : sink.space();
      return current;
    },
    callback: (count: number, bytes: Uint8Array): boolean => {
      if (sink !== undefined && bytes !== own) return sink.filled(count);
      return lend(bytes.subarray(0, count), () => sink, toDriver);
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

/** Copies bytes that were read elsewhere into the space of the sink that is set, or to the driver where none is. Answers as `filled`. */
function lend(bytes: Uint8Array, sink: () => Sink | undefined, toDriver: (bytes: Uint8Array) => void): boolean {
  let goesOn = true;
  for (let at = 0; at < bytes.length; ) {
    const into = sink();
    if (into === undefined) {
      toDriver(bytes.subarray(at));
      break;
    }
    const space = into.space();
    const step = Math.min(bytes.length - at, space.length);
    if (step === 0) break;
    space.set(bytes.subarray(at, at + step));
    at += step;
    goesOn = into.filled(step);
  }
  return goesOn;
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
  let left: Sink | undefined = sink;
  const take = (bytes: Buffer) => {
    if (!lend(bytes, () => left, toDriver)) stream.pause();
  };
  stream.off("data", listener);
  stream.on("data", take);
  return {
    toDriver,
    restore() {
      left = undefined;
      stream.off("data", take);
      stream.on("data", listener);
    },
  };
}
