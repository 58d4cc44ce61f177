import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { EngineError } from "../../src/engine/contract/index.ts";
import { connect, type SessionPurpose } from "../../src/engine/mysql/driver/session.ts";
import {
  endless,
  errorOf,
  framed,
  greeting,
  mysql,
  mysqlOpen,
  okPacket,
  type Rogue,
  repeated,
  rogue,
} from "./rogue.ts";

/** A MySQL server that means ill: what it learns, and what it makes us keep and do. (Rows without end: test/engine/mysql/rogue.test.ts.) */

const open: Rogue[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function serve(how: (socket: Socket) => void): Promise<Rogue> {
  const made = await rogue("mysql", how);
  open.push(made);
  return made;
}

const purpose: SessionPurpose = { role: "source", program: "test" };
const hasty: SessionPurpose = { ...purpose, loginMs: 400 };
const wantsFile = (name: string) => Buffer.concat([Buffer.from([0xfb]), Buffer.from(name)]);
const column = Buffer.concat([Buffer.from([3]), Buffer.from("def"), Buffer.alloc(20)]);

describe("a local file", () => {
  test("is not sent in answer to a query, nor in answer to the pins", async () => {
    const asking = await serve(mysqlOpen((socket) => void socket.write(framed(1, wantsFile("/etc/passwd")))));
    const session = await connect(asking.endpoint, purpose);
    expect(await errorOf(session.query("SELECT 1"))).toMatchObject({
      code: "protocol_error",
      message: expect.stringContaining("requested a local file"),
    });
    expect(asking.heard().toString("latin1")).not.toContain("root:");

    const early = await serve(
      mysql(
        (socket, packet) => void socket.write(packet === 0 ? framed(2, okPacket) : framed(1, wantsFile("/etc/passwd"))),
      ),
    );
    expect(await errorOf(connect(early.endpoint, purpose))).toMatchObject({ code: "protocol_error" });
  });

  test("is not sent where our own rows are loaded, under another name or for a second time", async () => {
    const other = await serve(mysqlOpen((socket) => void socket.write(framed(1, wantsFile("/etc/passwd")))));
    const loading = await connect(other.endpoint, { ...purpose, loads: true });
    expect(await errorOf(loading.load("LOAD DATA LOCAL INFILE 'rows' INTO TABLE t", "rows"))).toMatchObject({
      code: "protocol_error",
    });

    const twice = await serve(
      mysqlOpen(
        (socket) => void socket.write(Buffer.concat([framed(1, wantsFile("rows")), framed(2, wantsFile("rows"))])),
      ),
    );
    const session = await connect(twice.endpoint, { ...purpose, loads: true });
    const stream = await session.load("LOAD DATA LOCAL INFILE 'rows' INTO TABLE t", "rows");
    expect(await errorOf(stream.answered)).toMatchObject({ code: "protocol_error" });
  });
});

describe("a password", () => {
  test.each([
    "mysql_clear_password",
    "dialog",
    "mysql_old_password",
    "auth_gssapi_client",
    "constructor",
    "__proto__",
    "",
  ])("is not told to the plugin %j", async (plugin) => {
    const asking = await serve(
      mysql((socket, packet) => {
        if (packet === 0) socket.write(framed(2, Buffer.from(`\u00fe${plugin}\0${"s".repeat(20)}\0`, "latin1")));
        else socket.write(framed(4, okPacket));
      }),
    );
    const failed = await errorOf(connect(asking.endpoint, purpose));
    expect(failed.message).toContain(plugin);
    expect(failed.message).not.toMatch(/native code|object Object/);
    expect(asking.heard().toString("latin1")).not.toContain("planted");
  });

  test("that a server repeats is in no error", async () => {
    const words = Buffer.from("#28000Access denied for u using planted-s3cr3t");
    const telling = await serve(
      mysql((socket) => void socket.write(framed(2, Buffer.concat([Buffer.from([0xff, 0x15, 4]), words])))),
    );
    const failed = await errorOf(connect(telling.endpoint, purpose));
    expect(failed).toMatchObject({ code: "access_denied" });
    expect(failed.message).not.toContain("planted");
  });

  test("is not asked for again and again", async () => {
    const switches = repeated(framed(2, Buffer.from(`\u00feclient_ed25519\0${"s".repeat(32)}\0`, "latin1")), 15_000);
    const asking = await serve(mysql((socket, packet) => packet === 0 && void socket.write(switches)));
    expect(await errorOf(connect(asking.endpoint, purpose))).toMatchObject({
      code: "protocol_error",
      retryable: false,
    });
    expect(asking.heard().length).toBeLessThan(4096);
  });
});

describe("lengths that lie", () => {
  const whole = greeting();
  test("a greeting that ends anywhere is none", async () => {
    const ends = Array.from({ length: whole.length - 24 }, (_, at) => at);
    const codes = new Set<string>();
    for (const end of ends) {
      const short = await serve((socket) => void socket.end(framed(0, whole.subarray(0, end))));
      codes.add((await errorOf(connect(short.endpoint, hasty))).code);
      short.close();
    }
    for (const code of codes)
      expect(["protocol_error", "connection_lost", "database_error", "connection_timeout"]).toContain(code);
  });

  test.each([
    ["an OK that is cut off", Buffer.from([0, 1])],
    ["an OK whose number is longer than the packet", Buffer.from([0, 0xfe, 1])],
    ["an error without a number", Buffer.from([0xff])],
    ["an empty packet", Buffer.alloc(0)],
    ["a count of columns that is cut off", Buffer.from([0xfc, 1])],
    ["a count of columns of 64 bits", Buffer.from([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])],
    ["NULL columns", Buffer.from([0xfb])],
    ["no columns", Buffer.from([0, 0, 0, 0x0a, 0, 0, 0])],
  ])("%s", async (_what, payload) => {
    const lying = await serve(mysqlOpen((socket) => void socket.write(framed(1, payload))));
    const session = await connect(lying.endpoint, purpose);
    expect(await errorOf(session.query("SELECT 1"))).toMatchObject({ code: "protocol_error", retryable: false });
  });

  test.each([
    ["a field longer than its row", Buffer.from([0xfc, 0xff, 0xff, 1])],
    ["a field of 64 bits", Buffer.from([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1])],
    ["a length that is cut off", Buffer.from([0xfd, 1])],
  ])("%s", async (_what, row) => {
    const eof = Buffer.from([0xfe, 0, 0, 2, 0]);
    const answer = Buffer.concat([framed(1, Buffer.from([1])), framed(2, column), framed(3, eof), framed(4, row)]);
    const lying = await serve(mysqlOpen((socket) => void socket.write(answer)));
    const session = await connect(lying.endpoint, purpose);
    expect(await errorOf(session.query("SELECT 1"))).toMatchObject({ code: "protocol_error", retryable: false });
  });

  test("bytes by chance end in an error of ours", async () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
      return seed >>> 8;
    };
    for (let round = 0; round < 60; round++) {
      const bytes = Buffer.from(Array.from({ length: 1 + (random() % 200) }, () => random() & 0xff));
      const odd = await serve(mysqlOpen((socket) => void socket.end(framed(1, bytes))));
      const session = await connect(odd.endpoint, purpose);
      const outcome = await session.query("SELECT 1").then(
        () => "an answer",
        (error: unknown) => (error instanceof EngineError ? error.code : String(error)),
      );
      expect(outcome, `round ${round}`).toBe("connection_lost");
      odd.close();
    }
  });
});

describe("without end", () => {
  test("column definitions are cut off at a bound", async () => {
    const wide = Buffer.concat([column, Buffer.alloc(60_000)]);
    const pouring = await serve(
      mysqlOpen((socket) => {
        socket.write(framed(1, Buffer.from([0xfc, 0x00, 0x10])));
        endless(socket, repeated(framed(2, wide), 16));
      }),
    );
    const session = await connect(pouring.endpoint, purpose);
    const before = process.memoryUsage().rss;
    expect(await errorOf(session.query("SELECT 1"))).toMatchObject({ code: "protocol_error", retryable: false });
    expect(process.memoryUsage().rss - before).toBeLessThan(400 << 20);
  });

  test("a greeting and a login are cut off at a bound", async () => {
    const greetings = await serve((socket) => endless(socket, framed(0, Buffer.alloc(60_000, 10))));
    expect(await errorOf(connect(greetings.endpoint, purpose))).toMatchObject({
      code: "protocol_error",
      retryable: false,
    });
    const more = await serve(
      mysql(
        (socket, packet) => packet === 0 && endless(socket, repeated(framed(2, Buffer.from([1, 3])), 4096)),
        "caching_sha2_password",
      ),
    );
    expect((await errorOf(connect(more.endpoint, purpose))).code).toBe("protocol_error");
  });

  test("an error's words are cut short", async () => {
    const words = Buffer.concat([Buffer.from([0xff, 0x28, 4]), Buffer.from("#42000"), Buffer.alloc(8 << 20, "\\")]);
    const telling = await serve(mysqlOpen((socket) => void socket.write(framed(1, words))));
    const session = await connect(telling.endpoint, purpose);
    expect((await errorOf(session.query("SELECT 1"))).message.length).toBeLessThan(5_000);
  });
});

describe("an answer that never comes", () => {
  test.each([
    ["the greeting", (_socket: Socket) => undefined],
    ["the answer to the login", mysql(() => undefined)],
    ["the answer to the pins", mysql((socket, packet) => packet === 0 && void socket.write(framed(2, okPacket)))],
    [
      "the whole of a greeting, byte by byte",
      (socket: Socket) => {
        const bytes = framed(0, Buffer.concat([greeting(), Buffer.alloc(5_000)]));
        let at = 0;
        const drip = setInterval(() => socket.write(bytes.subarray(at, ++at)), 20);
        socket.on("close", () => clearInterval(drip));
      },
    ],
  ])("%s: the wait has an end", async (_what, how) => {
    const silent = await serve(how as (socket: Socket) => void);
    expect(await errorOf(connect(silent.endpoint, hasty))).toMatchObject({
      code: "connection_timeout",
      retryable: true,
    });
  });
});

test("a server that speaks without being asked is left", async () => {
  const eager = await serve(
    mysql((socket, packet) => {
      if (packet === 0) socket.write(framed(2, okPacket));
      else socket.write(repeated(framed(1, okPacket), 3));
    }),
  );
  const failed = await errorOf(connect(eager.endpoint, purpose).then((session) => session.query("SELECT 1")));
  expect(failed.code).toBe("protocol_error");
});
