import type { Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { EngineError } from "../../src/engine/contract/index.ts";
import { connect, type Session, type SessionPurpose } from "../../src/engine/postgres/driver/connection.ts";
import { dumpSchema } from "../../src/engine/postgres/dump/dump.ts";
import {
  authentication,
  endless,
  errorOf,
  int16,
  int32,
  message,
  oneColumn,
  postgres,
  postgresOpen,
  type Rogue,
  ready,
  repeated,
  rogue,
  textRow,
  welcome,
} from "./rogue.ts";

/** A PostgreSQL server that means ill: what it learns, and what it makes us keep and do. */

const open: Rogue[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function serve(how: (socket: Socket) => void): Promise<Rogue> {
  const made = await rogue("postgres", how);
  open.push(made);
  return made;
}

const purpose: SessionPurpose = { role: "source", applicationName: "test" };
const hasty: SessionPurpose = { ...purpose, loginMs: 400 };

const mechanisms = authentication(10, "SCRAM-SHA-256\0\0");
const nonceOf = (bytes: Buffer) => /r=([^,\0]+)/.exec(bytes.toString("latin1"))?.[1] ?? "";
const salt = Buffer.from("salt").toString("base64");

/** Asks for SCRAM and gives `first` what the client sent for it. */
const scram = (first: (nonce: string) => Buffer) =>
  postgres((socket, packet, bytes) => {
    if (packet === 0) socket.write(mechanisms);
    else if (packet === 1) socket.write(first(nonceOf(bytes)));
  });

const cpuMs = (since: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

describe("SCRAM", () => {
  test.each([1_000_000, 2_147_483_647])("%i rounds are not worked", async (rounds) => {
    const costly = await serve(scram((nonce) => authentication(11, `r=${nonce}x,s=${salt},i=${rounds}`)));
    const since = process.cpuUsage();
    expect(await errorOf(connect(costly.endpoint, purpose))).toMatchObject({ code: "access_denied", retryable: false });
    expect(cpuMs(since)).toBeLessThan(2_000);
  });

  test("rounds that are asked for a thousand times are not worked", async () => {
    const again = await serve(scram((nonce) => repeated(authentication(11, `r=${nonce}x,s=${salt},i=100000`), 1_000)));
    const since = process.cpuUsage();
    expect(await errorOf(connect(again.endpoint, purpose))).toMatchObject({ code: "protocol_error" });
    expect(cpuMs(since)).toBeLessThan(5_000);
  });

  test.each([
    ["another's nonce", () => authentication(11, `r=another,s=${salt},i=4096`)],
    ["no nonce of its own", (nonce: string) => authentication(11, `r=${nonce},s=${salt},i=4096`)],
    ["no rounds", (nonce: string) => authentication(11, `r=${nonce}x,s=${salt},i=0`)],
    ["rounds that are no number", (nonce: string) => authentication(11, `r=${nonce}x,s=${salt},i=-5`)],
    ["a salt that is none", (nonce: string) => authentication(11, `r=${nonce}x,s=**,i=4096`)],
    ["nothing", () => authentication(11)],
  ])("%s is refused", async (_what, first) => {
    const odd = await serve(scram(first));
    expect(await errorOf(connect(odd.endpoint, purpose))).toMatchObject({ code: "access_denied" });
  });

  test("a server that cannot prove that it knows the password is left", async () => {
    const other = await serve(
      postgres((socket, packet, bytes) => {
        if (packet === 0) socket.write(mechanisms);
        else if (packet === 1) socket.write(authentication(11, `r=${nonceOf(bytes)}x,s=${salt},i=4096`));
        else socket.write(Buffer.concat([authentication(12, `v=${Buffer.alloc(32).toString("base64")}`), welcome]));
      }),
    );
    expect(await errorOf(connect(other.endpoint, purpose))).toMatchObject({ code: "access_denied" });
  });

  test("a mechanism that is none is refused", async () => {
    const odd = await serve(postgres((socket) => void socket.write(authentication(10, "PLAIN\0\0"))));
    expect(await errorOf(connect(odd.endpoint, purpose))).toMatchObject({ code: "access_denied", retryable: false });
    expect(odd.heard().toString("latin1")).not.toContain("planted");
  });
});

describe("a password", () => {
  test.each([
    ["in clear text", authentication(3), "access_denied"],
    ["as MD5", authentication(5, "salt"), "access_denied"],
    ["after the login", Buffer.concat([welcome, authentication(3)]), "protocol_error"],
    ["as MD5 after the login", Buffer.concat([welcome, authentication(5, "salt")]), "protocol_error"],
  ])("is not told without TLS, asked for %s", async (_what, request, code) => {
    const asking = await serve(postgres((socket, packet) => packet === 0 && void socket.write(request)));
    const failed = await errorOf(connect(asking.endpoint, purpose));
    expect(failed.code).toBe(code);
    // A message of type p would hold it.
    expect(asking.heard().toString("latin1")).not.toMatch(/planted|p\0\0\0/);
  });

  test("that a server repeats is in no error", async () => {
    const telling = await serve(
      postgres((socket) => void socket.write(message("E", "SFATAL\0C28P01\0Mwrong: planted-s3cr3t\0\0"))),
    );
    expect((await errorOf(connect(telling.endpoint, purpose))).message).not.toContain("planted");
  });
});

const notice = message("N", `SNOTICE\0C00000\0M${"n".repeat(4096)}\0\0`);
const status = message("S", `application_name\0${"s".repeat(4096)}\0`);

describe("without end", () => {
  const inLogin: [what: string, how: (socket: Socket) => void, code: string][] = [
    ["notices", (socket) => endless(socket, repeated(notice, 16)), "source_refused"],
    ["settings", (socket) => endless(socket, repeated(status, 16)), "source_refused"],
    [
      "an error's words",
      (socket) => {
        socket.write(message("E", "SFATAL\0C28P01\0M", 1 << 30));
        endless(socket, Buffer.alloc(65_536, "x"));
      },
      "protocol_error",
    ],
    [
      "an error of 8 MB",
      (socket) => void socket.write(message("E", `SFATAL\0C28P01\0M${"x".repeat(8 << 20)}\0\0`)),
      "source_refused",
    ],
    ["mechanisms", (socket) => endless(socket, authentication(10, "A\0".repeat(30_000))), "access_denied"],
    ["keys", (socket) => endless(socket, message("K", Buffer.alloc(60_000))), "source_refused"],
  ];
  test.each(inLogin)("%s in a login are cut off", async (_what, how, code) => {
    const pouring = await serve(postgres((socket, packet) => packet === 0 && how(socket)));
    const before = process.memoryUsage().rss;
    expect(await errorOf(connect(pouring.endpoint, purpose))).toMatchObject({ code, retryable: false });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 << 20);
  });

  const inQuery: [what: string, how: (socket: Socket) => void, code: string][] = [
    ["rows", (socket) => endless(socket, repeated(textRow(4096), 16)), "source_refused"],
    ["empty rows", (socket) => endless(socket, repeated(message("D", int16(0)), 4096)), "source_refused"],
    [
      "rows of NULL",
      (socket) => endless(socket, repeated(message("D", Buffer.concat([int16(1), int32(-1)])), 4096)),
      "source_refused",
    ],
    [
      "one row",
      (socket) => {
        socket.write(message("D", int16(1), 1 << 30));
        endless(socket, Buffer.alloc(65_536));
      },
      "source_refused",
    ],
    ["notices", (socket) => endless(socket, repeated(notice, 16)), "source_refused"],
    [
      "notices of a gigabyte",
      (socket) => {
        socket.write(message("N", "", 1 << 30));
        endless(socket, Buffer.alloc(65_536));
      },
      "protocol_error",
    ],
    ["settings", (socket) => endless(socket, repeated(status, 16)), "source_refused"],
    [
      "notifications",
      (socket) => endless(socket, repeated(message("A", Buffer.concat([int32(1), Buffer.from("a\0b\0")])), 64)),
      "source_refused",
    ],
    ["ends of answers", (socket) => endless(socket, repeated(ready, 64)), "protocol_error"],
    ["definitions of columns", (socket) => endless(socket, repeated(oneColumn, 64)), "source_refused"],
    [
      "data of a COPY",
      (socket) => {
        socket.write(message("H", Buffer.concat([Buffer.from([0]), int16(0)])));
        endless(socket, repeated(message("d", "x".repeat(4096)), 16));
      },
      "protocol_error",
    ],
    [
      "requests for data of a COPY",
      (socket) => endless(socket, message("G", Buffer.concat([Buffer.from([0]), int16(0)]))),
      "protocol_error",
    ],
    ["parts of a portal", (socket) => endless(socket, repeated(message("s"), 64)), "protocol_error"],
  ];
  test.each(inQuery)("%s in an answer are cut off", async (_what, how, code) => {
    const pouring = await serve(
      postgresOpen((socket) => {
        socket.write(oneColumn);
        how(socket);
      }),
    );
    const session = await connect(pouring.endpoint, purpose);
    const before = process.memoryUsage().rss;
    expect(await errorOf(session.query("SELECT 1", []))).toMatchObject({ code, retryable: false });
    expect(process.memoryUsage().rss - before).toBeLessThan(900 << 20);
    await session.end();
  });

  test("an error's words are cut short", async () => {
    const telling = await serve(
      postgresOpen(
        (socket) =>
          void socket.write(Buffer.concat([message("E", `SERROR\0C42501\0M${"\\".repeat(8 << 20)}\0\0`), ready])),
      ),
    );
    const session = await connect(telling.endpoint, purpose);
    expect((await errorOf(session.query("SELECT 1"))).message.length).toBeLessThan(5_000);
    await session.end();
  });
});

describe("lengths that lie", () => {
  test.each([
    ["a message of length 0", message("D", "", 0), "protocol_error"],
    ["a message of length 3", message("D", "", 3), "protocol_error"],
    ["a row of more fields than it holds", message("D", int16(1000)), "protocol_error"],
    ["a row of fewer than no fields", message("D", int16(-5)), "protocol_error"],
    ["a field longer than its row", message("D", Buffer.concat([int16(1), int32(1 << 30)])), "1 rows"],
    ["a field of a negative length", message("D", Buffer.concat([int16(1), int32(-7)])), "1 rows"],
    ["columns that are not there", message("T", int16(30_000)), "protocol_error"],
    ["a setting without an end", message("S", "abc"), "0 rows"],
    ["an error without an end", message("E", "Mabc"), "database_error"],
    ["a message of no type", message("\0", "abc"), "protocol_error"],
    ["a message that is not known", message("q", "abc"), "protocol_error"],
    ["a key that is too short", message("K", "a"), "protocol_error"],
    ["an authentication without a kind", message("R"), "protocol_error"],
  ])("%s", async (_what, bytes, outcome) => {
    const lying = await serve(postgresOpen((socket) => void socket.end(Buffer.concat([oneColumn, bytes, ready]))));
    const session = await connect(lying.endpoint, purpose);
    const answered = await session.query("SELECT 1", []).then(
      (rows) => `${rows.length} rows`,
      (error: Error) => (error instanceof EngineError ? error.code : String(error)),
    );
    expect(answered).toBe(outcome);
    await session.end();
  });
});

describe("an answer that never comes", () => {
  test.each([
    ["the answer to the question for TLS", (_socket: Socket) => undefined],
    ["TLS itself", (socket: Socket) => void socket.once("data", () => socket.write("S"))],
    ["the answer to the startup", postgres(() => undefined)],
    ["the end of the login", postgres((socket, packet) => packet === 0 && void socket.write(authentication(0)))],
    ["the answer to the pins", postgres((socket, packet) => packet === 0 && void socket.write(welcome))],
  ])("%s: the wait has an end", async (_what, how) => {
    const silent = await serve(how as (socket: Socket) => void);
    expect(await errorOf(connect(silent.endpoint, hasty))).toMatchObject({
      code: "connection_timeout",
      retryable: true,
    });
  });

  test("neither the end of a session nor a cancel waits for ever", async () => {
    const silent = await serve(postgresOpen(() => undefined));
    const stop = new AbortController();
    const session = await connect(silent.endpoint, { ...purpose, signal: stop.signal });
    const asked = session.query("SELECT 1");
    stop.abort(new Error("stopped"));
    await expect(asked).rejects.toThrow("stopped");
    await session.end();
  });
});

test.each(["SX", "X", "Sssssss", "E\0\0\0\u0010Mboom\0\0"])(
  "an answer to the question for TLS of %j is none, and nothing follows it in clear text",
  async (words) => {
    const odd = await serve((socket) => void socket.once("data", () => socket.write(Buffer.from(words, "latin1"))));
    expect(await errorOf(connect(odd.endpoint, hasty))).toMatchObject({ code: "protocol_error", retryable: false });
    expect(odd.heard().length).toBe(8);
  },
);

test("rows of the catalogue without end do not make pg_dump take all memory", async () => {
  const pouring = await serve(
    postgres((socket, packet, bytes) => {
      // Its own questions, until one is about the catalogue.
      if (packet === 0) socket.write(welcome);
      else if (/pg_catalog\.set_config|^Q....(SET|BEGIN)/s.test(bytes.toString("latin1")))
        socket.write(Buffer.concat([oneColumn, textRow(1), message("C", "SELECT 1\0"), ready]));
      else {
        socket.write(oneColumn);
        endless(socket, repeated(textRow(4096), 16));
      }
    }),
  );
  const source = {
    place: { role: "source", endpoint: pouring.endpoint },
    encrypted: false,
    address: "127.0.0.1",
    query: async () => [],
  } as unknown as Session;
  const { signal } = new AbortController();
  const env = { ...process.env, ROWFERRY_PG_BIN: await pgTools() };
  const options = { snapshot: "1-1-1", applicationName: "test", without: [], env, signal, memory: 96 << 20 };
  expect(await errorOf(dumpSchema(source, options))).toMatchObject({ code: "source_refused", retryable: false });
});
