import { type AddressInfo, createServer, type Server, type Socket, connect as tcp } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copy } from "../../../src/engine/index.ts";
import { connect } from "../../../src/engine/mysql/driver/session.ts";
import { mysqlSettings } from "../../guard/rogue.ts";
import {
  endpoint,
  error,
  type Flavour,
  mysqlAs,
  pair,
  rows,
  type Servers,
  startServers,
} from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)));

/** A way to the server that is cut once the server has sent so many bytes, over all connections. */
async function fragile(host: string, port: number, bytes: number): Promise<{ port: number; close(): void }> {
  let left = bytes;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = tcp(port, host);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      left -= chunk.length;
      if (left < 0) for (const socket of open) socket.destroy();
      else client.write(chunk);
    });
  });
  return {
    port: await listening(server),
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

describe.each<Flavour>(["mariadb", "mysql"])("faults with %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const numbers = (table: string, count: number) =>
    `CREATE TABLE ${table} (id int PRIMARY KEY AUTO_INCREMENT, v varchar(200)); INSERT INTO ${table} (v) VALUES (REPEAT('x', 190)); ${"x"
      .repeat(Math.ceil(Math.log2(count)))
      .split("")
      .map(() => `INSERT INTO ${table} (v) SELECT v FROM ${table}`)
      .join("; ")}`;

  test("a connection cut in the middle of a row ends the run as retryable, and the next attempt begins anew", async () => {
    const both = await pair(servers, numbers("n", 60_000));
    const way = await fragile(both.source.host, both.source.port, 6_000_000);
    const failed = await error(run({ source: { ...both.source, port: way.port }, target: both.target }));
    way.close();
    expect(failed).toMatchObject({ code: "connection_lost", retryable: true });
    const { report } = await run(both);
    expect(report.tables.map((table) => table.rows)).toEqual([{ source: 65_536, target: 65_536 }]);
    expect(await rows(both.pg, "SELECT count(*), count(DISTINCT id) FROM public.n")).toEqual([["65536", "65536"]]);
  });

  test("what a person must fix is said by code and sentence, without the password", async () => {
    const both = await pair(servers, "CREATE TABLE a (id int PRIMARY KEY)");
    const { source } = both;
    const wrong = { ...source, password: "not-the-password" };
    const denied = await error(run({ ...both, source: wrong }));
    expect(denied).toMatchObject({ code: "access_denied", retryable: false });
    expect(denied.message).not.toContain(wrong.password);
    expect(await error(run({ ...both, source: { ...source, database: "nope" } }))).toMatchObject({
      code: "database_not_found",
    });
    expect(await error(run({ ...both, source: { ...source, host: "nope.invalid" } }))).toMatchObject({
      code: "host_not_found",
    });
    const unused = createServer();
    const port = await listening(unused);
    await new Promise((resolve) => unused.close(resolve));
    expect(await error(run({ ...both, source: { ...source, port } }))).toMatchObject({
      code: "connection_refused",
      retryable: true,
    });
    const verified = await error(run({ ...both, source: { ...source, tls: { mode: "verify-full" } } }));
    expect(verified.code).toBe("tls_failed");
    const trusted = { ...source, tls: { mode: "verify-full" as const, ca: servers.source.ca } };
    expect((await run({ ...both, source: trusted })).report.tables).toHaveLength(1);
  });

  test("a target with a table of the same name is refused by name and left as it was", async () => {
    const both = await pair(servers, "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)");
    await both.pg.query("CREATE TABLE public.b (mine text); INSERT INTO public.b VALUES ('keep')");
    const refused = await error(run(both));
    expect(refused).toMatchObject({ code: "target_not_empty", retryable: false });
    expect(refused.message).toContain('"b"');
    expect(
      await rows(both.pg, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"),
    ).toEqual([["b"]]);
    expect(await rows(both.pg, "SELECT mine FROM public.b")).toEqual([["keep"]]);
  });

  test("a finished run is answered without copying; another owner is told whose the target is; a reset begins anew", async () => {
    const both = await pair(servers, "CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1)");
    const first = await run(both);
    await servers.admin.query("INSERT INTO a VALUES (2)");
    expect((await run(both)).report).toEqual(first.report);
    const other = await error(run(both, { owner: "someone-else", ownerName: "someone else" }));
    expect(other).toMatchObject({ code: "target_in_use" });
    expect(other.message).toContain("the test");
    const again = await run(both, { reset: true, made: first.report.made, madeIn: first.report.target });
    expect(again.report.tables[0]?.rows).toEqual({ source: 2, target: 2 });
    await again.copied.finish();
    await again.copied.finish();
    expect(await rows(both.pg, "SELECT relname FROM pg_class WHERE relname = '_rowferry'")).toEqual([]);
    const reset = await run(both, { reset: true, made: again.report.made, madeIn: again.report.target });
    expect(reset.report.tables[0]?.rows).toEqual({ source: 2, target: 2 });
  });

  test("rows written meanwhile are all in or all out, over several sessions and tables", async () => {
    const both = await pair(
      servers,
      `${numbers("one", 20_000)}; ${numbers("two", 20_000)}; CREATE TABLE old (id int AUTO_INCREMENT PRIMARY KEY) ENGINE=MyISAM; INSERT INTO old VALUES (1)`,
    );
    const writer = await mysqlAs(servers.source.urlOf(both.source.database, "admin"));
    let writing = true;
    let written = 0;
    const work = (async () => {
      while (writing) {
        await writer.query(
          "START TRANSACTION; INSERT INTO one (v) VALUES ('new'); INSERT INTO two (v) VALUES ('new'); COMMIT",
        );
        written++;
      }
    })();
    const ended = await run(both, { options: { jobs: 4 } }).catch((error: Error) => error);
    writing = false;
    await work;
    await writer.end();
    if (ended instanceof Error) expect.fail(`the copy failed: ${ended.message}`);
    const { report } = ended;
    const counts = new Map(report.tables.map(({ source, rows: { target } }) => [source.split(".")[1], target]));
    expect(counts.get("one")).toBe(counts.get("two"));
    expect(written).toBeGreaterThan(0);
    expect(report.warnings).toEqual([]);
    expect(report.snapshot?.connections).toBe(4);
  });

  test("a user without the right to lock still reads one state, through one connection where need be, and the report says so", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1); CREATE TABLE b (id int PRIMARY KEY)",
    );
    const name = `reader_${both.source.database}`;
    await servers.admin.query(
      `CREATE USER ${name} IDENTIFIED BY 'pass-word-1'; GRANT SELECT ON ${both.source.database}.* TO ${name}`,
    );
    const { report } = await run(
      { ...both, source: { ...both.source, user: name, password: "pass-word-1" } },
      { options: { jobs: 3 } },
    );
    expect(report.tables.map((table) => table.rows.target)).toEqual([1, 0]);
    expect(report.warnings.filter((warning) => warning.includes("through one connection"))).toHaveLength(1);
    expect(report.snapshot?.connections).toBe(1);
  });

  test("a date that does not exist in a primary key fails by the column's name", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE d (day date PRIMARY KEY); INSERT INTO d VALUES ('0000-00-00'), ('2020-01-01')",
    );
    const failed = await error(run(both));
    expect(failed).toMatchObject({ code: "zero_date_in_key", retryable: false });
    expect(failed.message).toContain("table d: the primary key column day");
  });

  test("an aborted run ends with the signal's reason and leaves no session", async () => {
    const both = await pair(servers, numbers("n", 60_000));
    const stop = new AbortController();
    const reason = new Error("asked to stop");
    const running = copy(
      { owner: "o", ownerName: "o", source: both.source, target: both.target, options: { jobs: 2 }, reset: false },
      {
        signal: stop.signal,
        measured: () => undefined,
        log: () => undefined,
        progress: ({ rows: { done } }) => {
          if (done > 0) stop.abort(reason);
        },
      },
    );
    await expect(running).rejects.toBe(reason);
    const deadline = Date.now() + 10_000;
    const sessions = async () =>
      (
        await rows(
          both.pg,
          `SELECT pid FROM pg_stat_activity WHERE datname = '${both.target.database}' AND application_name LIKE 'rowferry%'`,
        )
      ).length;
    while ((await sessions()) > 0 && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
    expect(await sessions()).toBe(0);
  });
});

describe("a server that is not what it seems", () => {
  /** Answers the login with OK and each query with `answer`. */
  async function pretending(answer: (sql: string) => Buffer): Promise<{ port: number; said: Buffer[]; close(): void }> {
    const said: Buffer[] = [];
    const open = new Set<Socket>();
    const framed = (sequence: number, payload: Buffer) =>
      Buffer.concat([Buffer.from([payload.length & 255, payload.length >> 8, 0, sequence]), payload]);
    const ok = Buffer.from([0, 0, 0, 2, 0, 0, 0]);
    const server = createServer((socket) => {
      open.add(socket);
      socket.on("error", () => undefined);
      const hello = Buffer.concat([
        Buffer.from([10]),
        Buffer.from("8.4.0\0"),
        Buffer.from([1, 0, 0, 0]),
        Buffer.from("12345678\0"),
        Buffer.from([0x09, 0xa2, 45, 2, 0, 0x08, 0x00, 21]),
        Buffer.alloc(10),
        Buffer.from("123456789012\0mysql_native_password\0"),
      ]);
      socket.write(framed(0, hello));
      let first = true;
      socket.on("data", (chunk) => {
        said.push(chunk);
        if (first) {
          first = false;
          socket.write(framed(2, ok));
          return;
        }
        if (chunk.length <= 5) return;
        const query = chunk.toString("utf8", 5);
        if (query.startsWith("SELECT @@SESSION")) socket.write(mysqlSettings());
        else socket.write(framed(1, query.startsWith("SET") ? ok : answer(query)));
      });
    });
    return {
      port: await listening(server),
      said,
      close() {
        server.close();
        for (const socket of open) socket.destroy();
      },
    };
  }

  const at = (port: number) => ({ ...endpoint("mysql://u:secret-word@127.0.0.1/d", "mysql"), port });

  test("gets no file: a request for one is refused and ends the session", async () => {
    const server = await pretending(() => Buffer.from("\u00fb/etc/passwd", "latin1"));
    const session = await connect(at(server.port), { role: "source", program: "test" });
    expect(await error(session.query("SELECT 1"))).toMatchObject({ code: "protocol_error" });
    expect(Buffer.concat(server.said).includes("root:")).toBe(false);
    server.close();
  });

  test("gets no password in clear text", async () => {
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket);
      const plugin = Buffer.from("\u00femysql_clear_password\0", "latin1");
      const hello = Buffer.concat([
        Buffer.from([10]),
        Buffer.from("8.0.0\0"),
        Buffer.from([1, 0, 0, 0]),
        Buffer.from("12345678\0"),
        Buffer.from([0x09, 0xa2, 45, 2, 0, 0x08, 0x00, 21]),
        Buffer.alloc(10),
        Buffer.from("123456789012\0mysql_clear_password\0"),
      ]);
      socket.on("error", () => undefined);
      socket.write(Buffer.concat([Buffer.from([hello.length, 0, 0, 0]), hello]));
      socket.on("data", (chunk) => {
        heard.push(chunk);
        socket.write(Buffer.concat([Buffer.from([plugin.length, 0, 0, 2]), plugin]));
      });
    });
    const heard: Buffer[] = [];
    const port = await listening(server);
    const refused = await error(connect(at(port), { role: "source", program: "test" }));
    expect(refused.message).toContain("mysql_clear_password");
    expect(Buffer.concat(heard).includes("secret-word")).toBe(false);
    server.close();
    for (const socket of open) socket.destroy();
  });

  test("a result that stops before its end is a lost connection, not a short table", async () => {
    const server = await pretending(() => Buffer.from([1]));
    const session = await connect(at(server.port), { role: "source", program: "test" });
    const waiting = error(session.query("SELECT 1"));
    const deadline = Date.now() + 5_000;
    while (server.said.length < 4 && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
    server.close();
    expect(await waiting).toMatchObject({ code: "connection_lost", retryable: true });
  });
});
