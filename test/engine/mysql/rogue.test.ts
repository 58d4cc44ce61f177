import { type AddressInfo, createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { afterEach, expect, test } from "vitest";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { connect } from "../../../src/engine/mysql/driver/session.ts";
import { withReplyListener } from "../../../src/engine/run/watchdog/replies.ts";
import { makeCa, makeServerCertificate } from "../../../src/guard/certificate.ts";
import { mysqlSettings } from "../../guard/rogue.ts";
import { endpoint, error } from "../../support/engine/mysql-support.ts";

/** A server that answers what it likes: what it learns of the password, and what it makes us keep. */

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const framed = (sequence: number, payload: Buffer) => {
  const header = Buffer.alloc(4);
  header.writeUIntLE(payload.length, 0, 3);
  header[3] = sequence;
  return Buffer.concat([header, payload]);
};
const ok = Buffer.from([0, 0, 0, 2, 0, 0, 0]);

/** `capabilities` is the second byte of the server's; 0xaa has TLS. */
const greeting = (plugin: string, capabilities: number): Buffer =>
  Buffer.concat([
    Buffer.from([10]),
    Buffer.from("8.4.0\0"),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from("12345678\0"),
    Buffer.from([0x09, capabilities, 45, 2, 0, 0x08, 0x00, 21]),
    Buffer.alloc(10),
    Buffer.from(`123456789012\0${plugin}\0`),
  ]);

async function serve(welcome: (socket: Socket) => void): Promise<{ port: number }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    welcome(socket);
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
  closing.push(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return { port };
}

/** No TLS is offered. `answer` gets the number of the client's packet, from 0. */
async function rogue(plugin: string, answer: (socket: Socket, packet: number, chunk: Buffer) => void) {
  const heard: Buffer[] = [];
  const { port } = await serve((socket) => {
    socket.write(framed(0, greeting(plugin, 0xa2)));
    let packet = 0;
    socket.on("data", (chunk) => {
      heard.push(chunk);
      answer(socket, packet++, chunk);
    });
  });
  return { heard, source: { ...endpoint("mysql://u:secret-word@127.0.0.1/d", "mysql"), port } };
}

const purpose = { role: "source", program: "test" } as const;

test.each(["caching_sha2_password", "sha256_password"])(
  "%s: without TLS the password is not sent, not even under a key, and the words name the fix",
  async (plugin) => {
    const { heard, source } = await rogue(plugin, (socket, packet) => {
      if (packet === 0 && plugin === "caching_sha2_password") socket.write(framed(2, Buffer.from([1, 4])));
      else if (packet === 0) socket.write(framed(2, Buffer.from(`\u00fe${plugin}\0${"s".repeat(20)}\0`, "latin1")));
    });
    const failed = await error(connect(source, purpose));
    expect(failed).toMatchObject({ code: "tls_required", retryable: false });
    expect(failed.message).toContain("sslmode=require");
    // Nothing after the login's own packet: no request for a key (a single 2 or 1).
    expect(heard.length).toBeLessThan(2);
  },
);

test("a CA makes TLS a must, whatever the mode", async () => {
  const { heard, source } = await rogue("mysql_native_password", () => undefined);
  const failed = await error(connect({ ...source, tls: { mode: "prefer", ca: "a CA" } }, purpose));
  expect(failed).toMatchObject({ code: "tls_failed" });
  expect(heard).toEqual([]);
});

test("an OK sent before TLS starts does not count as the answer to the login", async () => {
  const now = new Date();
  const own = await makeServerCertificate(await makeCa("middle", now), ["localhost"], now);
  const secureContext = createSecureContext({ cert: own.certificate, key: own.key });
  const heard: string[] = [];
  const { port } = await serve((socket) => {
    // The capability TLS, and the OK that belongs to a login in the same segment.
    socket.write(Buffer.concat([framed(0, greeting("mysql_native_password", 0xaa)), framed(3, ok)]));
    socket.once("data", () => {
      const client = new TLSSocket(socket, { isServer: true, secureContext });
      client.on("error", () => undefined);
      client.on("data", (chunk: Buffer) => heard.push(chunk.toString("latin1")));
    });
  });
  const at: Endpoint = { ...endpoint("mysql://u:secret-word@127.0.0.1/d", "mysql"), port, tls: { mode: "require" } };
  expect(await error(connect(at, { ...purpose, loginMs: 3_000 }))).toMatchObject({ code: "protocol_error" });
  expect(heard).toEqual([]);
});

const column = Buffer.concat([Buffer.from([3]), Buffer.from("def"), Buffer.alloc(20)]);
const eof = Buffer.from([0xfe, 0, 0, 2, 0]);

/** Logs in, takes the settings, and gives `pour` the socket at the first query. */
async function pouring(columns: Buffer, pour: (socket: Socket) => void) {
  const { source } = await rogue("mysql_native_password", (socket, packet) => {
    if (packet === 0) socket.write(framed(2, ok));
    else if (packet === 1) socket.write(framed(1, ok));
    else if (packet === 2) socket.write(mysqlSettings());
    else {
      socket.write(Buffer.concat([framed(1, columns), framed(2, column), framed(3, eof)]));
      pour(socket);
    }
  });
  return connect(source, purpose);
}

/** Writes `chunk` until the other side hangs up; answers how many bytes it took. */
function endless(socket: Socket, chunk: Buffer): void {
  const on = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", on);
  on();
}

test("rows without end are cut off at a bound, not kept until memory ends", async () => {
  const rows = Buffer.concat(
    Array.from({ length: 64 }, () => framed(4, Buffer.concat([Buffer.from([0xfd, 0, 0x10, 0]), Buffer.alloc(4096)]))),
  );
  const session = await pouring(Buffer.from([1]), (socket) => endless(socket, rows));
  const before = process.memoryUsage().rss;
  const failed = await error(session.query("SELECT 1"));
  expect(failed).toMatchObject({ code: "source_refused", retryable: false });
  expect(process.memoryUsage().rss - before).toBeLessThan(600 << 20);
});

test("a chain of full packets is cut off at a bound", async () => {
  const full = framed(4, Buffer.alloc(0xffffff));
  const session = await pouring(Buffer.from([1]), (socket) => endless(socket, full));
  expect(await error(session.query("SELECT 1"))).toMatchObject({ code: "source_refused", retryable: false });
});

test("rows of nothing but NULL count too", async () => {
  const nulls = Buffer.concat(Array.from({ length: 4096 }, () => framed(4, Buffer.from([0xfb]))));
  const session = await pouring(Buffer.from([1]), (socket) => endless(socket, nulls));
  const before = process.memoryUsage().rss;
  expect(await error(session.query("SELECT 1"))).toMatchObject({ code: "source_refused", retryable: false });
  // Each is kept as a list, which takes far more memory than its one byte.
  expect(process.memoryUsage().rss - before).toBeLessThan(600 << 20);
});

test("a row of fewer fields than announced, and more columns than any server makes, are no result", async () => {
  const short = await pouring(Buffer.from([1]), (socket) => socket.write(framed(4, Buffer.alloc(0))));
  expect(await error(short.query("SELECT 1"))).toMatchObject({ code: "protocol_error" });
  const wide = Buffer.concat([Buffer.from([0xfe]), Buffer.from([0, 0, 0, 0, 1, 0, 0, 0])]);
  const many = await pouring(wide, () => undefined);
  expect(await error(many.query("SELECT 1"))).toMatchObject({ code: "protocol_error" });
});

test("each answer is heard by who waits for it, an error too", async () => {
  const { source } = await rogue("mysql_native_password", (socket, packet) => {
    const fails = Buffer.concat([Buffer.from([0xff, 0x28, 0x04]), Buffer.from("#42000no")]);
    if (packet === 2) socket.write(mysqlSettings());
    else socket.write(framed(packet === 0 ? 2 : 1, packet === 4 ? fails : ok));
  });
  const session = await connect(source, purpose);
  let heard = 0;
  await withReplyListener(
    () => heard++,
    async () => {
      await session.run("SET a = 1");
      await error(session.run("SET b = 1"));
    },
  );
  await session.run("SET c = 1");
  expect(heard).toBe(2);
});
