import { createServer, connect as dialPlainly, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { Database } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { type CopyHooks, type Endpoint, EngineError } from "../../src/engine/contract/index.ts";
import { copy } from "../../src/engine/index.ts";
import { connect as connectMysql } from "../../src/engine/mysql/driver/session.ts";
import { connect as connectPostgres } from "../../src/engine/postgres/driver/connection.ts";
import { type CertificateAndKey, makeCa, makeServerCertificate } from "../../src/guard/certificate.ts";
import { connect } from "../databases/connect.ts";
import { borrowDatabase } from "../servers/index.ts";
import { nameServer, type Reply, usual } from "./corpus/case.ts";
import { type NameServer, startNameServer } from "./name-server.ts";
import { countedPackets, countPackets } from "./packets.ts";

/**
 * Whole copies through the guard where every address is local: each dial asks the name anew, and one that stands for another address
 * meanwhile ends the run. Only for `namespace.ts`. It prints one line of JSON for each run.
 */

export interface Copying {
  run: string;
  /** `completed`, or the error's code. */
  outcome: string;
  message: string;
  /** How often each name was asked for. */
  lookups: Record<string, number>;
  /** Connections at each public address. */
  arrived: Record<string, number>;
  forbidden: number;
}

const addresses = { source: "45.33.32.156", target: "45.33.32.157" } as const;
const metadata = "169.254.169.254";
const arrived: Record<string, number> = {};

/** Hands on to a port of this host's what comes to the address. */
const forward = (address: string, port: number) =>
  new Promise<void>((resolve, reject) => {
    const server = createServer((from) => {
      arrived[address] = (arrived[address] ?? 0) + 1;
      const to = dialPlainly({ host: "127.0.0.1", port });
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        one.on("error", () => other.destroy());
        one.on("close", () => other.destroy());
        one.pipe(other);
      }
    });
    server.once("error", reject);
    server.listen(port, address, resolve);
  });

const hooks = (signal = AbortSignal.timeout(120_000)): CopyHooks => ({
  signal,
  progress: () => undefined,
  measured: () => undefined,
  log: () => undefined,
});

const codeOf = (error: unknown): Pick<Copying, "outcome" | "message"> =>
  error instanceof EngineError
    ? { outcome: error.code, message: error.message }
    : { outcome: "unexpected", message: String(error) };

type Engine = Endpoint["engine"];
let made = 0;

const rows = "INSERT INTO shop VALUES (1, 'one'), (2, 'two'), (3, 'three')";

/** A new database, with a table of three rows if it is to be a source. */
async function database(server: Database, engine: Engine, full: boolean): Promise<string> {
  const name = `guarded_${++made}`;
  const admin = await connect(server.kind, server.adminUrl);
  await admin.query(engine === "mysql" ? `CREATE DATABASE ${name}` : `CREATE DATABASE ${name} TEMPLATE template0`);
  await admin.end();
  if (full) {
    const session = await connect(server.kind, server.urlOf(name, "admin"));
    await session.query("CREATE TABLE shop (id int PRIMARY KEY, name varchar(40))");
    await session.query(rows);
    await session.end();
  }
  return name;
}

interface World {
  servers: Record<Engine, Database>;
  names: NameServer;
}

const hostOf = (role: keyof typeof addresses) => `${role}.good.test`;

async function endpointOf({ servers }: World, engine: Engine, role: keyof typeof addresses): Promise<Endpoint> {
  const server = servers[engine];
  const { username, password } = new URL(server.adminUrl);
  return {
    engine,
    host: hostOf(role),
    port: server.port,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: await database(server, engine, role === "source"),
    tls: { mode: "prefer" },
    guard: usual,
  };
}

async function watched(run: string, { names }: World, dns: Record<string, Reply[]>, work: () => Promise<unknown>) {
  names.answer(dns);
  for (const address of Object.keys(arrived)) delete arrived[address];
  const before = countedPackets().forbidden;
  const { outcome, message } = await work().then(() => ({ outcome: "completed", message: "" }), codeOf);
  const forbidden = countedPackets().forbidden - before;
  return { run, outcome, message, lookups: names.counts(), arrived: { ...arrived }, forbidden } satisfies Copying;
}

async function copying(world: World, engines: [Engine, Engine], run: string, dns: Record<string, Reply[]>) {
  const source = await endpointOf(world, engines[0], "source");
  const target = await endpointOf(world, engines[1], "target");
  return watched(run, world, dns, async () => {
    const options = { jobs: 2, verify: "checksum" as const };
    const copied = await copy({ owner: run, ownerName: run, source, target, options, reset: false }, hooks());
    await copied.finish();
  });
}

const steady = Object.fromEntries(
  (["source", "target"] as const).map((role) => [hostOf(role), [{ a: [addresses[role]] }]]),
) as Record<string, Reply[]>;

/** Good for so many dials, and then metadata. */
const turning = (role: keyof typeof addresses, dials: number): Record<string, Reply[]> => ({
  ...steady,
  [hostOf(role)]: [...Array.from({ length: dials }, () => ({ a: [addresses[role]] })), { a: [metadata] }],
});

/** The name turns while a statement runs: the cancel goes where the session is. */
async function cancelling(world: World): Promise<Copying> {
  const endpoint = await endpointOf(world, "postgres", "source");
  return watched("a cancel after the name turned", world, steady, async () => {
    const stop = new AbortController();
    const session = await connectPostgres(endpoint, {
      role: "source",
      applicationName: "canceled",
      signal: stop.signal,
    });
    const asleep = session.query("SELECT pg_catalog.pg_sleep(300)").catch(() => undefined);
    const watcher = await connect("postgres", world.servers.postgres.adminUrl);
    const sleeping = async () =>
      (await watcher.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'canceled' AND state = 'active'"))
        .length;
    while ((await sleeping()) === 0);
    world.names.answer({ [hostOf("source")]: [{ a: [metadata] }] });
    stop.abort(new Error("stopped"));
    await asleep;
    while ((await sleeping()) > 0);
    await watcher.end();
    await session.end();
  });
}

const sslRequest = 80_877_103;

/** Both protocols up to TLS, with the certificate; then an error that only a client hears which trusts it. */
function secured({ certificate, key }: CertificateAndKey): Record<Engine, (socket: Socket) => void> {
  const secureContext = createSecureContext({ cert: certificate, key });
  const over = (socket: Socket, answer: (secure: TLSSocket) => void) => {
    const secure = new TLSSocket(socket, { isServer: true, secureContext });
    secure.on("error", () => undefined);
    secure.once("data", () => answer(secure));
  };
  return {
    postgres: (socket) =>
      void socket.once("data", (bytes) => {
        if (bytes.length !== 8 || bytes.readInt32BE(4) !== sslRequest) return socket.destroy();
        over(socket, (secure) => secure.end(Buffer.from("E\0\0\0\u0016SFATAL\0C57P03\0M-\0\0", "latin1")));
        return socket.write("S");
      }),
    mysql: (socket) => {
      const hello = Buffer.from("\n8.4.0\0\u0001\0\0\x0012345678\0\u0009\u00aa-\u0002\0\u0008\0\u0015", "latin1");
      const payload = Buffer.concat([hello, Buffer.alloc(10), Buffer.from("123456789012\0mysql_native_password\0")]);
      socket.write(Buffer.concat([Buffer.from([payload.length, 0, 0, 0]), payload]));
      // What follows at once is the client's first message of TLS.
      socket.once("readable", () => {
        socket.read(36);
        over(socket, (secure) => secure.end(Buffer.from("\u0005\0\0\u0003\u00ff\u0010\u0004no", "latin1")));
      });
    },
  };
}

/** TLS proves the name of the URL, though an address is dialled: a certificate of the name passes, one of the address does not. */
async function proving(world: World, engine: Engine, whose: "name" | "address"): Promise<Copying> {
  const ca = await makeCa("guard", new Date());
  const certificate = await makeServerCertificate(
    ca,
    [whose === "name" ? hostOf("source") : addresses.source],
    new Date(),
  );
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    secured(certificate)[engine](socket);
  });
  await new Promise<void>((resolve) => server.listen(4444, addresses.source, resolve));
  const parts = { user: "u", password: "planted-s3cr3t", database: "d", guard: usual };
  const tls = { mode: "verify-full" as const, ca: ca.certificate };
  const endpoint: Endpoint = { engine, host: hostOf("source"), port: 4444, tls, ...parts };
  const found = await watched(`${engine}: a certificate of the ${whose}`, world, steady, () =>
    engine === "mysql"
      ? connectMysql(endpoint, { role: "source", program: "test" })
      : connectPostgres(endpoint, { role: "source", applicationName: "test" }),
  );
  await new Promise((resolve) => server.close(resolve));
  return found;
}

async function main(): Promise<void> {
  const print = (line: Copying) => process.stdout.write(`${JSON.stringify(line)}\n`);
  process.env.ROWFERRY_PG_BIN = await pgTools();
  const names = await startNameServer(nameServer);
  const [postgres, mysql] = await Promise.all([borrowDatabase("postgres"), borrowDatabase("mysql")]);
  const world: World = { servers: { postgres, mysql }, names };
  try {
    for (const address of Object.values(addresses))
      for (const { port } of [postgres, mysql]) await forward(address, port);
    countPackets([...Object.values(addresses), "127.0.0.1"]);
    const both: Engine[] = ["postgres", "mysql"];
    for (const from of both)
      for (const to of both) {
        print(await copying(world, [from, to], `${from} to ${to}`, steady));
        print(await copying(world, [from, to], `${from} to ${to}, the source turns`, turning("source", 1)));
        print(await copying(world, [from, to], `${from} to ${to}, the target turns`, turning("target", 1)));
      }
    print(await cancelling(world));
    for (const engine of both)
      for (const whose of ["name", "address"] as const) print(await proving(world, engine, whose));
  } finally {
    await Promise.all([postgres.stop(), mysql.stop()]);
  }
  process.exit(0);
}

if (import.meta.main) await main();
