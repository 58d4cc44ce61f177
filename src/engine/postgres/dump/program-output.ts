import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A program's standard output through one buffer. A pipe of Node's own gives each piece as a new one, and collecting those took a sixth of
 * a backup's processor time.
 */
interface ProgramOutput {
  /** For `spawn`, and to be destroyed then: the program has its own. */
  stdout: Socket;
  /** Gives what the program writes, each piece good until its call has ended. Resolves at the end. Errors: those of `take`. */
  read(take: Take): Promise<void>;
  /** Repeatable. */
  close(): void;
}

/** Where the next bytes go, also while the program waits: the same room until it is filled, and never none. */
export type Room = () => Uint8Array;

/** A promise makes the program wait. */
export type Take = (piece: Buffer) => Promise<void> | undefined;

const bufferBytes = 256 * 1024;
/** Of a socket's path on any system. */
const mostPath = 100;

/** `room`: by default one buffer, which each piece is in. */
export async function openOutput(room?: Room): Promise<ProgramOutput> {
  let take: Take = () => undefined;
  let failed: (error: unknown) => void = () => undefined;
  const callback = (length: number, buffer: Uint8Array): boolean => {
    try {
      const taken = take(buffer.subarray(0, length) as Buffer);
      if (taken === undefined) return true;
      taken.then(
        () => reader.resume(),
        (error: unknown) => failed(error),
      );
    } catch (error) {
      failed(error);
    }
    return false;
  };
  const [stdout, reader] = await socketPair({ buffer: room ?? Buffer.allocUnsafeSlow(bufferBytes), callback });
  return {
    stdout,
    read(taking) {
      take = taking;
      return new Promise<void>((resolve, reject) => {
        failed = (error) => {
          reject(error);
          reader.destroy();
        };
        reader.once("error", reject);
        reader.once("close", () => resolve());
      });
    },
    close() {
      stdout.destroy();
      reader.destroy();
    },
  };
}

interface OnRead {
  /** A function is asked after each call of the other one. */
  buffer: Uint8Array | Room;
  /** False: no more is read until the socket is resumed. */
  callback(length: number, buffer: Uint8Array): boolean;
}

/** Two ends of a connection within this process, in a folder that nobody else may enter. */
async function socketPair(onread: OnRead): Promise<[Socket, Socket]> {
  const name = "rowferry-XXXXXX/output";
  const folder = await mkdtemp(join(join(tmpdir(), name).length > mostPath ? "/tmp" : tmpdir(), "rowferry-"));
  const server = createServer({ pauseOnConnect: true });
  try {
    const path = join(folder, "output");
    await once(server.listen(path), "listening");
    const reader = connect({ path, onread });
    const [[writer]] = await Promise.all([once(server, "connection"), once(reader, "connect")]);
    return [writer as Socket, reader];
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
