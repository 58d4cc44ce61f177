// Real databases outside the cluster, for the engine's tests: on loopback, each with a folder and namespaces of its own.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openTerminal, type Terminal } from "../terminal/index.ts";
import { freePort } from "./free-port.ts";
import { type DatabaseKind, databaseUrl, kinds } from "./kinds.ts";
import { logIn } from "./login.ts";
import { serverRoot } from "./release.ts";
import { openServer } from "./server.ts";
import { dataTemplate, password } from "./template.ts";

export type DatabaseOptions = {
  /** Appended to the server's command line: `["--max-connections=5"]`, for PostgreSQL `["-c", "max_connections=5"]`. */
  args?: readonly string[];
  /** Puts the data on a file system of this size in MiB, in memory. Fresh data take 90 (PostgreSQL 60, MariaDB 180). */
  diskMegabytes?: number;
  /** Default: 127.0.0.1 and a free port. */
  port?: number;
  terminal?: Terminal;
};

export type Database = {
  kind: DatabaseKind;
  /** User `app`, owner of the empty database `app` and nothing else. */
  url: string;
  /** The superuser, in the server's own database. */
  adminUrl: string;
  host: "127.0.0.1";
  port: number;
  password: string;
  /** Both users' URL for another database on the server. */
  urlOf(database: string, user?: "app" | "admin"): string;
  /** PEM of the authority that signed the server's certificate (localhost, 127.0.0.1, ::1). */
  ca: string;
  /** The server process now; 0 while it is down. */
  readonly pid: number;
  /** What the server logged so far. */
  log(): Promise<string>;
  /** Ends the server at once and deletes all that was its own. Repeatable. */
  stop(): Promise<void>;
  /** Ends the server, in order or by SIGKILL, and keeps the data; `up` starts it again on the same port. */
  down(how?: "stop" | "kill"): Promise<void>;
  up(): Promise<void>;
  /** `down` and `up`. */
  restart(how?: "stop" | "kill"): Promise<void>;
};

const readyWithin = 60_000;
const stopsWithin = 30_000;

/**
 * Starts a database and resolves when a login succeeds (about a second; the first time ever it makes what it runs from).
 * It ends with this process, however that ends. Needs root and Linux.
 */
export const startDatabase = async (kind: DatabaseKind, options: DatabaseOptions = {}): Promise<Database> => {
  const terminal = options.terminal ?? openTerminal({ name: "database" });
  const { engine, admin, adminDatabase } = kinds[kind];
  const root = await serverRoot(kinds[kind], terminal);
  const template = await dataTemplate(kind, root, terminal);
  const ca = await readFile(join(template, "tls", "ca.crt"), "utf8");
  const port = options.port ?? (await freePort());
  const host = "127.0.0.1";
  const urlOf = (database: string, user: "app" | "admin" = "app"): string =>
    databaseUrl(kind, { user: user === "app" ? "app" : admin, password, host, port, database });
  const server = await openServer({
    root,
    engine,
    verb: "run",
    template,
    args: options.args ?? [],
    env: { DATABASE_PASSWORD: password, DATABASE_PORT: String(port), DATABASE_BIND: host },
    ...(options.diskMegabytes === undefined ? {} : { megabytes: options.diskMegabytes }),
  });
  let pid = 0;
  let removed: Promise<void> | undefined;

  const up = async (): Promise<void> => {
    if (pid !== 0) return;
    pid = await server.start();
    let code: number | undefined;
    void server.exited().then((found) => {
      code = found;
      pid = 0;
    });
    const deadline = performance.now() + readyWithin;
    for (;;) {
      const failure = await logIn(kind, urlOf("app")).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) return;
      if (code !== undefined || performance.now() > deadline) {
        const why = code === undefined ? "did not accept a login within a minute" : `stopped with exit code ${code}`;
        throw new Error(`${kind} ${why}: ${(await server.log()).slice(-2000)}`, { cause: failure });
      }
      await pause(30);
    }
  };

  const down = async (how: "stop" | "kill" = "stop"): Promise<void> => {
    if (pid === 0) return;
    // PostgreSQL: SIGINT is the fast shutdown, SIGTERM would wait for the clients.
    process.kill(pid, how === "kill" ? "SIGKILL" : engine === "postgres" ? "SIGINT" : "SIGTERM");
    const patience = new AbortController();
    const overdue = pause(stopsWithin, true, { signal: patience.signal }).catch(() => false);
    if ((await Promise.race([server.exited(), overdue])) === true && pid !== 0) {
      process.kill(pid, "SIGKILL");
      await server.exited();
    }
    patience.abort();
    pid = 0;
  };

  const remove = (): Promise<void> => {
    removed ??= server.remove();
    return removed;
  };

  try {
    await up();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    kind,
    url: urlOf("app"),
    adminUrl: urlOf(adminDatabase, "admin"),
    host,
    port,
    password,
    urlOf,
    ca,
    get pid() {
      return pid;
    },
    log: () => server.log(),
    stop: remove,
    down,
    up,
    restart: async (how) => {
      await down(how);
      await up();
    },
  };
};
