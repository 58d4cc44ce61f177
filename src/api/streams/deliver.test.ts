import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { deliver } from "./deliver.ts";

const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

interface Asked {
  response: ServerResponse;
  /** Of the answer: how it ended. */
  ended: Promise<void>;
}

/** A server whose every answer is made by `answer`, and readers that take only what they are told to. */
async function server(answer: (response: ServerResponse) => Promise<void>) {
  const asked: Asked[] = [];
  const arrived: (() => void)[] = [];
  const listening = createServer((_request, response) => {
    const ended = answer(response);
    ended.catch(() => {});
    asked.push({ response, ended });
    arrived.shift()?.();
  });
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  const sockets: Socket[] = [];
  closes.push(async () => {
    for (const socket of sockets) socket.destroy();
    listening.closeAllConnections();
    await new Promise((resolve) => listening.close(resolve));
  });
  return {
    asked,
    /** One that has asked and reads nothing. */
    async reader(): Promise<Socket> {
      const there = new Promise<void>((resolve) => arrived.push(resolve));
      const socket = connect(port, "127.0.0.1");
      socket.pause();
      socket.on("error", () => {});
      sockets.push(socket);
      socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      await there;
      return socket;
    },
  };
}

const large = Buffer.alloc(24 << 20, "x");
const patient = { stalled: 60_000, slowest: 16_384 };
const bodyOf = async (socket: Socket): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  const all = Buffer.concat(parts);
  return all.subarray(all.indexOf("\r\n\r\n") + 4);
};

test("an answer comes whole, whatever pieces it has", async () => {
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
  const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 70_000), Buffer.alloc(0), bytes.subarray(70_000)];
  const { reader, asked } = await server(async (response) => {
    response.setHeader("Content-Length", bytes.length);
    await deliver(response, pieces, bytes.length);
  });
  const body = await bodyOf(await reader());
  expect(body.equals(bytes)).toBe(true);
  await asked[0]?.ended;
});

test("two hundred who do not read hold a slice each, not their answers", async () => {
  const { reader, asked } = await server((response) => deliver(response, [large], large.length, patient));
  const sockets = await Promise.all(Array.from({ length: 200 }, reader));
  const waiting = () => asked.map(({ response }) => response.writableLength);
  // Until what fits into the kernel's buffers is there.
  await expect.poll(() => waiting().filter((bytes) => bytes > 0).length, { timeout: 20_000 }).toBe(sockets.length);
  expect(Math.max(...waiting())).toBeLessThan(20_000);
  sockets[0]?.resume();
  await asked[0]?.ended;
}, 40_000);

test("one who takes nothing is dropped, and what it was sent is asked for no further", async () => {
  let given = 0;
  let closed = false;
  async function* endless() {
    try {
      for (;;) {
        given += 1;
        yield large.subarray(0, 1 << 20);
      }
    } finally {
      closed = true;
    }
  }
  const { reader, asked } = await server((response) =>
    deliver(response, endless(), 1 << 30, { stalled: 200, slowest: 16_384 }),
  );
  await reader();
  await asked[0]?.ended;
  expect(asked[0]?.response.destroyed).toBe(true);
  expect(given).toBeLessThan(20);
  expect(closed).toBe(true);
});

test("one who takes all too slowly is dropped", async () => {
  const { reader, asked } = await server((response) =>
    deliver(response, [large], large.length, { stalled: 300, slowest: 1 << 30 }),
  );
  const socket = await reader();
  const drip = setInterval(() => socket.read(1), 20);
  await asked[0]?.ended;
  clearInterval(drip);
  expect(asked[0]?.response.writableFinished).toBe(false);
});

test("what fails on the way ends the connection, and is told to whoever asked for it", async () => {
  const { reader, asked } = await server((response) =>
    deliver(
      response,
      (async function* () {
        yield large.subarray(0, 10);
        throw new Error("lost");
      })(),
      100,
      patient,
    ),
  );
  const socket = await reader();
  await expect(asked[0]?.ended).rejects.toThrow("lost");
  await new Promise((resolve) => socket.once("close", resolve).resume());
});
