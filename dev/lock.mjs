// A lock between processes that ends with its owner, however that ends. It is a listening socket: the kernel lets one
// process have the name, and whoever waits holds a connection that breaks when the owner is gone.
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const address = (name) => {
  const id = `rowferry-${createHash("sha256").update(name).digest("hex").slice(0, 24)}`;
  return process.platform === "linux" ? `\0${id}` : join(tmpdir(), `${id}.lock`);
};

/** This process, for those who wait for it: the command as npm started it, or its program. */
const holder = () => {
  const script = process.env.npm_lifecycle_event;
  const command = script === undefined ? basename(process.argv[1] ?? "node") : `npm run ${script}`;
  return `\`${command}\` (process ${process.pid})`;
};

const tryListen = (path) =>
  new Promise((resolve, reject) => {
    const waiting = new Set();
    const server = createServer((socket) => {
      waiting.add(socket);
      socket.on("error", () => {}).on("close", () => waiting.delete(socket));
      socket.write(holder());
    });
    server.on("error", (error) => (error.code === "EADDRINUSE" ? resolve(null) : reject(error)));
    server.listen({ path, exclusive: true }, () => {
      server.unref();
      const release = () =>
        new Promise((done) => {
          server.close(() => done());
          for (const socket of waiting) socket.destroy();
        });
      resolve(release);
    });
  });

const untilOwnerEnds = (path, { signal, onHolder }) =>
  new Promise((resolve, reject) => {
    const socket = connect(path);
    const stop = () => socket.destroy();
    signal?.addEventListener("abort", stop, { once: true });
    // A name in the file system outlives its owner; an abstract one does not.
    socket.on("error", (error) => {
      if (error.code === "ECONNREFUSED" && !path.startsWith("\0")) rmSync(path, { force: true });
    });
    socket.on("close", () => {
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    });
    socket.on("data", (name) => onHolder?.(String(name)));
  });

/**
 * Waits for the lock and returns the function that gives it back.
 *
 * @param {string} name any string; equal strings exclude each other
 * @param {{ onWait?: () => void, onHolder?: (name: string) => void, signal?: AbortSignal }} [options] onWait is called once if
 *   another process has the lock, onHolder with the name of each one that is waited for
 * @returns {Promise<() => Promise<void>>}
 */
export const lock = async (name, options = {}) => {
  const path = address(name);
  for (let said = false; ; ) {
    options.signal?.throwIfAborted();
    const release = await tryListen(path);
    if (release !== null) return release;
    if (!said) options.onWait?.();
    said = true;
    await untilOwnerEnds(path, options);
  }
};
