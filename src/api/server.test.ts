import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiServer } from "./server.ts";

/** The bare port, without what the app does. */
let server: Server;
let port: number;

beforeAll(async () => {
  server = createApiServer(
    {
      baseUrl: "https://rowferry.example",
      newId: () => "id-1",
      mostConnections: 3,
      times: { headers: 150, request: 300 },
    },
    (request, response) => {
      request.resume();
      request.once("end", () => response.end("answered"));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

/** What the server says until it ends the connection. */
const say = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let heard = "";
    socket.on("data", (data) => {
      heard += data;
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(heard));
    socket.write(text);
  });

const problemIn = (heard: string) => JSON.parse(heard.split("\r\n\r\n")[1] ?? "") as Record<string, unknown>;

describe("what Node itself would answer, or not answer at all, is a problem too", () => {
  test.each([
    ["no Host", "GET / HTTP/1.1\r\n\r\n", /Host. header is required/],
    ["an Expect that nobody meets", "GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", /100-continue/],
    ["a CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", /not a proxy/],
  ])("%s", async (_name, text, words) => {
    const heard = await say(text);
    expect(heard).toMatch(/^HTTP\/1.1 400 /);
    expect(heard).toContain("X-Request-Id: id-1");
    const problem = { status: 400, code: "malformed_request", request_id: "id-1" };
    expect(problemIn(heard)).toMatchObject({ ...problem, detail: expect.stringMatching(words) });
  });
});

/** Sends a CONNECT, and does `then` when it is answered. */
const connected = (then: (socket: Socket) => unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"));
    socket.once("data", () => then(socket));
    socket.once("error", reject);
    socket.once("close", () => resolve());
  });
const open = () => promisify(server.getConnections.bind(server))();

describe("a CONNECT keeps no connection", () => {
  test.each<[string, (socket: Socket) => unknown]>([
    ["when more comes after it", (socket) => socket.end("x")],
    ["when the client breaks off", (socket) => socket.resetAndDestroy()],
    ["when the client goes on", (socket) => socket.write("x")],
  ])("%s", async (_name, then) => {
    await connected(then);
    await expect.poll(open).toBe(0);
  });
});

describe("what never becomes a request is answered with a problem, and the connection ends", () => {
  test.each([
    ["no HTTP", "hello\r\n\r\n", 400, "malformed_request"],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      400,
      "malformed_request",
    ],
    [
      "a length beside chunks",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
      "malformed_request",
    ],
    ["a bare line feed in a header", "GET / HTTP/1.1\r\nHost: a\r\nX: a\n\r\n\r\n", 400, "malformed_request"],
    ["headers of 17 KB", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(17_000)}\r\n\r\n`, 431, "headers_too_large"],
    ["headers that do not come", "GET / HTTP/1.1\r\nHost: a\r\n", 408, "timed_out"],
    ["a body that does not come", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab", 408, "timed_out"],
  ])("%s", async (_name, text, status, code) => {
    const heard = await say(text);
    expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(heard).toContain("X-Request-Id: id-1");
    expect(problemIn(heard)).toMatchObject({ status, code, request_id: "id-1" });
  });
});

test("A connection beyond the most is ended, and one is taken again once another ended", async () => {
  const open = await Promise.all(
    Array.from(
      { length: 3 },
      () =>
        new Promise<ReturnType<typeof connect>>((resolve) => {
          const socket = connect(port, "127.0.0.1", () => {
            socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            socket.once("data", () => resolve(socket));
          });
        }),
    ),
  );
  expect(await say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").catch(() => "")).toBe("");
  const ends = open.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  for (const socket of open) socket.destroy();
  await Promise.all(ends);
  await expect
    .poll(() => say("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").catch(() => ""))
    .toContain("answered");
});
