import { once } from "node:events";
import { connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "../databases/free-port.ts";
import { onceReached } from "./until.ts";

const never = new AbortController().signal;

test("a call is repeated while its port refuses connections, and by no other failure", async () => {
  const port = await freePort();
  const server = createServer((socket) => socket.end("hello"));
  let refusals = 0;
  const call = async () => {
    const socket = connect(port, "127.0.0.1");
    try {
      const [text] = await once(socket, "data");
      return String(text);
    } catch (error) {
      refusals += 1;
      if (refusals === 2) server.listen(port, "127.0.0.1");
      throw error;
    } finally {
      socket.destroy();
    }
  };
  try {
    expect(await onceReached("the port", call, never)).toBe("hello");
    expect(refusals).toBe(2);
  } finally {
    server.close();
  }
  await expect(onceReached("the port", () => Promise.reject(new Error("no bucket")), never)).rejects.toThrow(
    "no bucket",
  );
});
