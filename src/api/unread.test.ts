import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { letUnreadBy, type UnreadBounds } from "./unread.ts";

const open: (() => unknown)[] = [];
afterEach(() => Promise.all(open.splice(0).map((close) => close())));

/** A server that refuses every request without a look at its body, and a client that has sent the head of one. */
async function begin(head: string, bounds: UnreadBounds): Promise<Socket> {
  const server = createServer(async (request, response) => {
    await letUnreadBy(request, bounds);
    if (!request.complete) response.setHeader("Connection", "close");
    response.writeHead(401, { "Content-Length": "2" }).end("no");
  });
  open.push(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  open.push(() => socket.destroy());
  socket.setEncoding("latin1");
  const heard = once(server, "request");
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`);
  await heard;
  return socket;
}

const firstWords = async (socket: Socket): Promise<string> => String((await once(socket, "data"))[0]);

test("a body that comes after its request was refused ends no connection: the next request goes over the same", async () => {
  const socket = await begin("Content-Length: 6", { bytes: 100, milliseconds: 60_000 });
  socket.write("abcdef");
  expect(await firstWords(socket)).toMatch(/^HTTP\/1\.1 401 (?!.*Connection: close)/s);
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(await firstWords(socket)).toMatch(/^HTTP\/1\.1 401 /);
});

test("a body of more than is let by is answered, and its connection ends", async () => {
  const socket = await begin("Transfer-Encoding: chunked", { bytes: 100, milliseconds: 60_000 });
  socket.write(`c8\r\n${"x".repeat(200)}\r\n`);
  expect(await firstWords(socket)).toMatch(/^HTTP\/1\.1 401 .*Connection: close/s);
  await once(socket, "close");
});

test("a body that does not come is waited for no longer than the bound", async () => {
  const socket = await begin("Content-Length: 6", { bytes: 100, milliseconds: 50 });
  expect(await firstWords(socket)).toMatch(/^HTTP\/1\.1 401 .*Connection: close/s);
  await once(socket, "close");
});

test("a client that leaves is waited for no longer", async () => {
  let over = false;
  const server = createServer(async (request) => {
    await letUnreadBy(request, { bytes: 100, milliseconds: 60_000 });
    over = true;
    server.emit("over");
  });
  open.push(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const heard = once(server, "request");
  const done = once(server, "over");
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n");
  await heard;
  socket.destroy();
  await done;
  expect(over).toBe(true);
});
