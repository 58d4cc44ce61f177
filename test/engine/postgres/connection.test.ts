import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { connect } from "../../../src/engine/postgres/driver/connection.ts";
import { copyIn, frame, headerBytes } from "../../../src/engine/postgres/driver/copy-in.ts";
import { withoutReplyListener, withReplyListener } from "../../../src/engine/run/watchdog/replies.ts";
import { deafHost } from "../../support/deaf-host.ts";
import { database, endpoint, type Servers, sql, startServers, until } from "../../support/engine/postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const purpose = { role: "target" as const, applicationName: "rowferry test 1" };

/** A server that refuses TLS and then says `answers` one by one, after each message of the client. */
async function impostor(answers: readonly Buffer[], heard: Buffer[] = []) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    const left = [...answers];
    socket.on("data", (bytes) => {
      // SSLRequest is eight bytes.
      if (bytes.length === 8) return socket.write("N");
      heard.push(bytes);
      const answer = left.shift();
      if (answer !== undefined) socket.write(answer);
      return undefined;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const at: Endpoint = {
    engine: "postgres",
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    user: "u",
    password: "planted-secret",
    database: "d",
    tls: { mode: "prefer" },
  };
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { at, stop };
}

function authentication(kind: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const message = Buffer.alloc(9 + body.length);
  message.write("R");
  message.writeInt32BE(8 + body.length, 1);
  message.writeInt32BE(kind, 5);
  body.copy(message, 9);
  return message;
}

describe("a session", () => {
  test("that reaches nobody in time says so by a code, so that another address of the name is tried", async () => {
    const { port, stop } = await deafHost();
    const at = { ...endpoint({ server: servers.new, database: "app" }), host: "127.0.0.1", port };
    const silent = createServer((socket) => socket.on("error", () => undefined)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const reached = { ...at, port: (silent.address() as AddressInfo).port };
    try {
      await expect(connect(at, { ...purpose, loginMs: 300 })).rejects.toMatchObject({
        code: "connection_timeout",
        cause: { code: "ETIMEDOUT" },
      });
      await expect(connect(reached, { ...purpose, loginMs: 2000 })).rejects.toMatchObject({
        code: "connection_timeout",
        cause: expect.not.objectContaining({ code: "ETIMEDOUT" }),
      });
    } finally {
      stop();
      silent.close();
    }
  });

  test("hears each answer, and an error too", async () => {
    const session = await connect(endpoint(await database(servers.new)), purpose);
    let heard = 0;
    await withReplyListener(
      () => heard++,
      async () => {
        await session.query("SELECT 1");
        await session.run("SELECT no_such_column").catch(() => undefined);
        await withoutReplyListener(() => session.query("SELECT 1"));
      },
    );
    await session.query("SELECT 1");
    expect(heard).toBe(2);
    await session.end();
  });

  test("is pinned against every setting of the role and the database", async () => {
    const where = await database(servers.new);
    for (const setting of [
      "search_path = pg_temp",
      "timezone = 'Asia/Tokyo'",
      "datestyle = 'German'",
      "bytea_output = escape",
      "extra_float_digits = -5",
      "statement_timeout = 1",
      "intervalstyle = iso_8601",
      "default_transaction_isolation = serializable",
    ]) {
      await sql({ server: servers.new, database: "postgres" }, `ALTER DATABASE ${where.database} SET ${setting}`);
    }
    const session = await connect(endpoint(where), purpose);
    const [row] = await session.query(
      "SELECT '2020-01-02 03:04:05+00'::timestamptz::text AS t, '\\xff'::bytea::text AS y, 1/3.0::float8 || '' AS f, '1 mon'::interval::text AS i, current_setting('search_path') AS p, pg_sleep(0.01)::text AS s",
    );
    expect(row).toEqual({ t: "2020-01-02 03:04:05+00", y: "\\xff", f: "0.3333333333333333", i: "1 mon", p: "", s: "" });
    await session.end();
  });

  test("of a source cannot write", async () => {
    const session = await connect(endpoint(await database(servers.new)), { ...purpose, role: "source" });
    await expect(session.run("CREATE TABLE public.t (i int)")).rejects.toMatchObject({ code: "read_only" });
    await session.end();
  });

  test.each([
    ["clear text", authentication(3), "sent only to a server with a verified certificate"],
    ["MD5", authentication(5, Buffer.from("salt")), "sent only over TLS"],
  ])("does not answer a server without TLS that asks for the password in %s", async (_, ask, words) => {
    const heard: Buffer[] = [];
    const { at, stop } = await impostor([ask], heard);
    await expect(connect(at, purpose)).rejects.toMatchObject({
      code: "access_denied",
      message: expect.stringContaining(words),
    });
    stop();
    // The start-up message alone.
    expect(heard).toHaveLength(1);
    expect(Buffer.concat(heard).toString("latin1")).not.toContain("planted-secret");
  });

  test("does not spend its time on a server's absurd number of SCRAM rounds", async () => {
    const mechanisms = authentication(10, Buffer.from("SCRAM-SHA-256\0\0"));
    const heard: Buffer[] = [];
    const { at, stop } = await impostor([mechanisms], heard);
    const connecting = connect(at, purpose);
    connecting.catch(() => undefined);
    await until(async () => heard.length === 2, "the client's first message");
    stop();
    await expect(connecting).rejects.toMatchObject({ code: "connection_lost" });
    const challenge = (nonce: string) => authentication(11, Buffer.from(`r=${nonce}more,s=c2FsdA==,i=900000000`));
    const clever = createServer((socket) => {
      socket.on("error", () => undefined);
      let step = 0;
      socket.on("data", (bytes) => {
        if (bytes.length === 8) return socket.write("N");
        step++;
        if (step === 1) return socket.write(mechanisms);
        return socket.write(challenge(/r=([^,\0]+)/.exec(bytes.toString("latin1"))?.[1] ?? ""));
      });
    }).listen(0, "127.0.0.1");
    await once(clever, "listening");
    await expect(connect({ ...at, port: (clever.address() as AddressInfo).port }, purpose)).rejects.toMatchObject({
      code: "access_denied",
    });
    clever.close();
  });

  test("checks chain and name of the certificate as asked", async () => {
    const where = { server: servers.new, database: "app" };
    const at = (tls: Endpoint["tls"], host = "localhost"): Endpoint => ({ ...endpoint(where), host, tls });
    const good = await connect(at({ mode: "verify-full", ca: servers.new.ca }), purpose);
    expect(good.encrypted).toBe(true);
    expect(await good.query("SELECT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_catalog.pg_backend_pid()")).toEqual([
      { ssl: true },
    ]);
    await good.end();
    await expect(connect(at({ mode: "verify-full" }), purpose)).rejects.toMatchObject({ code: "tls_failed" });
    await expect(connect(at({ mode: "verify-ca" }), purpose)).rejects.toMatchObject({ code: "tls_failed" });
    const unchecked = await connect(at({ mode: "require" }), purpose);
    await unchecked.end();
    const preferred = await connect(at({ mode: "prefer" }), purpose);
    expect(preferred.encrypted).toBe(true);
    await preferred.end();
  });

  test("ends what it runs when it is aborted, on the server too", async () => {
    const where = await database(servers.new);
    const stop = new AbortController();
    const session = await connect(endpoint(where), { ...purpose, signal: stop.signal });
    const running = session.query("SELECT pg_catalog.pg_sleep(600)");
    const asleep = async () =>
      (await sql(where, "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"))
        .length;
    await until(async () => (await asleep()) === 1, "the sleep");
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await until(async () => (await asleep()) === 0, "the end of the sleep");
    await session.end();
    await expect(connect(endpoint(where), { ...purpose, signal: stop.signal })).rejects.toThrow("enough");
  });

  test("begins nothing more once it is aborted, while its cancel is on its way", async () => {
    const where = await database(servers.new);
    const stop = new AbortController();
    const session = await connect(endpoint(where), { ...purpose, signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(session.run("CREATE TABLE late ()")).rejects.toThrow("enough");
    await expect(session.query("CREATE TABLE late ()")).rejects.toThrow("enough");
    await session.end();
    expect(await sql(where, "SELECT to_regclass('late') AS late")).toEqual([{ late: null }]);
  });
});

describe("COPY of ready-made blocks", () => {
  const block = (text: string): Buffer => {
    const bytes = Buffer.concat([Buffer.alloc(headerBytes), Buffer.from(text)]);
    frame(bytes, 0, bytes.length);
    return bytes;
  };

  test("takes many blocks under back-pressure, gives each back once, and counts the rows", async () => {
    const session = await connect(endpoint(await database(servers.new, "CREATE TABLE t (i int, t text)")), purpose);
    const back: Uint8Array[] = [];
    let waited = 0;
    const copy = await copyIn(session, "COPY public.t FROM STDIN", {
      inFlightBytes: 1 << 18,
      released: (one) => back.push(one),
    });
    const sent: Buffer[] = [];
    for (let i = 0; i < 200; i++) {
      const one = block(`${i}\t${"x".repeat(100_000)}\n`);
      sent.push(one);
      const full = copy.write(one);
      if (full !== undefined) {
        waited++;
        await full;
      }
    }
    expect(await copy.finish()).toBe(200);
    expect(waited).toBeGreaterThan(10);
    expect(back.length).toBe(200);
    expect(back.every((one, at) => one === sent[at])).toBe(true);
    expect(await session.query("SELECT count(*) AS n, sum(length(t)) AS l FROM public.t")).toEqual([
      { n: 200, l: 20_000_000 },
    ]);
    await session.end();
  });

  test("settles the promise of every write, also of one that was followed by more before there was room", async () => {
    const session = await connect(endpoint(await database(servers.new, "CREATE TABLE t (i int, t text)")), purpose);
    const copy = await copyIn(session, "COPY public.t FROM STDIN", { inFlightBytes: 1 << 16 });
    const promises = Array.from({ length: 20 }, (_, i) => copy.write(block(`${i}\t${"x".repeat(100_000)}\n`)));
    expect(promises.every((promise) => promise !== undefined && promise === promises[0])).toBe(true);
    await Promise.all(promises);
    expect(await copy.finish()).toBe(20);

    const bad = await copyIn(session, "COPY public.t FROM STDIN", { inFlightBytes: 1 << 16 });
    const refused = [`nothing\t${"x".repeat(100_000)}\n`, `1\t${"x".repeat(100_000)}\n`].map((row) =>
      bad.write(block(row)),
    );
    await Promise.allSettled(refused);
    await expect(bad.finish()).rejects.toMatchObject({ code: "database_error" });
    await session.end();
  });

  test("tells the server's error to whoever writes or finishes, and leaves the session usable", async () => {
    const session = await connect(endpoint(await database(servers.new, "CREATE TABLE t (i int)")), purpose);
    const bad = await copyIn(session, "COPY public.t FROM STDIN");
    await bad.write(block("not a number\n"));
    await expect(bad.finish()).rejects.toMatchObject({
      code: "database_error",
      message: expect.stringContaining("invalid input syntax"),
    });
    await expect(copyIn(session, "COPY public.nowhere FROM STDIN")).rejects.toMatchObject({ code: "database_error" });
    const given = await copyIn(session, "COPY public.t FROM STDIN");
    await given.write(block("1\n"));
    await given.abort("changed my mind");
    expect(await session.query("SELECT count(*) AS n FROM public.t")).toEqual([{ n: 0 }]);
    await session.end();
  });
});
