import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { dial } from "../../../guard/dial.ts";
import type { Endpoint } from "../../contract/index.ts";
import { ProtocolError } from "./errors.ts";

/**
 * Bytes from a socket in one buffer of fixed size: the kernel writes into it, a consumer reads from it, and only the
 * unread tail is ever moved. No object is made for a piece of data.
 */

/** Reads buffer[start..end) as far as it can and answers where it stopped. It may keep nothing of the buffer. */
export type Consume = (buffer: Buffer, start: number, end: number) => number;

export const inputBytes = 1 << 20;

export interface Channel {
  /** Replaces what reads the input; may be called by the consumer itself. */
  reader(consume: Consume): void;
  send(bytes: Buffer): void;
  /** As `send`, for bytes that are used again: `released` is called when they have left, or were lost with the connection. */
  write(bytes: Uint8Array, released: (error: Error | null | undefined) => void): void;
  /** No more data until `resume`; what is in the buffer was offered already. */
  pause(): void;
  resume(): void;
  encrypted(): boolean;
  /** Continues over TLS. Rejects with ProtocolError if bytes are unread: the server, or a man in the middle, sent them before. */
  secure(): Promise<void>;
  destroy(error?: Error): void;
}

interface ChannelEvents {
  /** Once, of a channel that was open: by an error, or without one when the server hung up. */
  closed(error: Error | undefined): void;
}

const connectTimeoutMs = 15_000;

/** Rejects with the socket's error (an errno code), and with the guard's. */
export function openChannel(endpoint: Endpoint, events: ChannelEvents): Promise<Channel> {
  return dial(endpoint, (host) => openAt(host, endpoint, events));
}

function openAt(host: string, endpoint: Endpoint, events: ChannelEvents): Promise<Channel> {
  const buffer = Buffer.allocUnsafeSlow(inputBytes);
  let start = 0;
  let end = 0;
  let paused = false;
  let consume: Consume = (_, at) => at;
  let socket: Socket;
  let secured = false;
  let failure: Error | undefined;
  let connected = false;
  let over = false;

  const read = () => {
    try {
      while (start < end) {
        const reader = consume;
        const at = reader(buffer, start, end);
        if (at === start && reader === consume) break;
        start = at;
      }
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      socket.destroy();
      return;
    }
    if (start === end) start = end = 0;
    else if (buffer.length - end < buffer.length / 4) {
      buffer.copyWithin(0, start, end);
      end -= start;
      start = 0;
    }
    if (end === buffer.length) {
      failure = new Error("a packet is larger than the input buffer");
      socket.destroy();
    }
  };

  const copied = (chunk: Buffer) => {
    for (let at = 0; at < chunk.length && failure === undefined; ) {
      const taken = Math.min(chunk.length - at, buffer.length - end);
      chunk.copy(buffer, end, at, at + taken);
      at += taken;
      end += taken;
      read();
    }
  };

  const close = () => {
    if (over) return;
    over = true;
    if (connected) events.closed(failure);
  };

  const watch = (watched: Socket) => {
    watched.on("error", (error) => {
      failure ??= error;
    });
    watched.on("close", close);
  };

  const channel: Channel = {
    reader(next) {
      consume = next;
    },
    send(bytes) {
      socket.write(bytes);
    },
    write(bytes, released) {
      socket.write(bytes, released);
    },
    pause() {
      paused = true;
      socket.pause();
    },
    resume() {
      paused = false;
      socket.resume();
    },
    encrypted: () => secured,
    secure: () =>
      new Promise((resolve, reject) => {
        if (start < end) throw new ProtocolError("the server sent data between its greeting and the start of TLS");
        const { mode, ca } = endpoint.tls;
        const plain = socket;
        socket = connectTls({
          socket: plain,
          ...(mode === "verify-full" ? { host: endpoint.host } : { checkServerIdentity: () => undefined }),
          ...(ca === undefined ? {} : { ca }),
          // Who gives a CA wants it to count, whatever the mode.
          rejectUnauthorized: ca !== undefined || mode === "verify-full" || mode === "verify-ca",
          minVersion: "TLSv1.2",
        });
        watch(socket);
        socket.once("secureConnect", () => {
          secured = true;
          resolve();
        });
        socket.once("error", reject);
        socket.once("close", () => reject(failure ?? new Error("closed during the TLS handshake")));
        socket.on("data", copied);
      }),
    destroy(error) {
      failure ??= error;
      socket.destroy();
    },
  };

  return new Promise((resolve, reject) => {
    socket = connect({
      host,
      port: endpoint.port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
      onread: {
        buffer: () => buffer.subarray(end),
        callback: (bytes) => {
          end += bytes;
          read();
          return !paused;
        },
      },
    });
    const timer = setTimeout(() => {
      failure = Object.assign(new Error("connect timed out"), { code: "ETIMEDOUT" });
      socket.destroy();
    }, connectTimeoutMs);
    watch(socket);
    socket.once("connect", () => {
      clearTimeout(timer);
      connected = true;
      socket.resume();
      resolve(channel);
    });
    socket.once("close", () => {
      clearTimeout(timer);
      reject(failure ?? new Error("closed"));
    });
  });
}
