import { execFile } from "node:child_process";
import { promisify } from "node:util";
import pg from "pg";
import type { Database } from "../../../dev/databases/index.ts";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import type { Copied, CopyHooks, CopyRequest, Endpoint, EngineProgress } from "../../../src/engine/contract/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { postgresToPostgres } from "../../../src/engine/plan/postgres-postgres/transfer.ts";
import { runCopy } from "../../../src/engine/run/lifecycle.ts";
import { patience } from "../../patience.ts";
import { borrowDatabase } from "../../servers/index.ts";

/** What the PostgreSQL tests share. Everything is looked at through the plain driver and psql, never the engine's own reader. */

export interface Servers {
  /** PostgreSQL 18. */
  new: Database;
  /** PostgreSQL 15. */
  old: Database;
  /** Folder of pg_dump, pg_restore and psql 18. */
  tools: string;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const tools = await pgTools();
  process.env.ROWFERRY_PG_BIN = tools;
  const [fresh, old] = await Promise.all([borrowDatabase("postgres"), borrowDatabase("postgres-old")]);
  return { new: fresh, old, tools, stop: async () => void (await Promise.all([fresh.stop(), old.stop()])) };
}

export type Where = { server: Database; database: string };

/** Runs SQL as the superuser. */
export const sql = <Row = Record<string, unknown>>(where: Where, text: string, values?: unknown[]): Promise<Row[]> =>
  connected(where, async (client) => (await client.query(text, values)).rows as Row[]);

/** A session of the superuser, for several statements: each new one costs 12 ms of processor time. */
async function connected<T>({ server, database }: Where, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: server.urlOf(database, "admin"),
    options: "-c timezone=UTC -c extra_float_digits=3 -c row_security=off",
  });
  // A session that is cut tells it to the query as well.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

let made = 0;

/** A new empty database, with its SQL run in it. */
export async function database(server: Database, text = ""): Promise<Where> {
  const where = { server, database: `d${process.pid}_${++made}` };
  // Half of the processor time of the default, which logs each page.
  await sql(
    { server, database: "postgres" },
    `CREATE DATABASE ${where.database} TEMPLATE template0 STRATEGY file_copy`,
  );
  if (text !== "") await sql(where, text);
  return where;
}

export function endpoint({ server, database }: Where, user?: { name: string; password: string }): Endpoint {
  const url = new URL(server.adminUrl);
  return {
    engine: "postgres",
    host: server.host,
    port: server.port,
    user: user?.name ?? decodeURIComponent(url.username),
    password: user?.password ?? decodeURIComponent(url.password),
    database,
    tls: { mode: "disable" },
  };
}

export interface Heard {
  log: [string, string][];
  sizes: number[];
  last: EngineProgress | undefined;
}

export function hooks(extra: Partial<CopyHooks> = {}): CopyHooks & { heard: Heard } {
  const heard: Heard = { log: [], sizes: [], last: undefined };
  return {
    heard,
    signal: extra.signal ?? new AbortController().signal,
    progress(progress) {
      heard.last = progress;
      extra.progress?.(progress);
    },
    measured(size, type) {
      heard.sizes.push(size);
      extra.measured?.(size, type);
    },
    log(level, message) {
      heard.log.push([level, message]);
      extra.log?.(level, message);
    },
  };
}

export const request = (source: Where, target: Where, more: Partial<CopyRequest> = {}): CopyRequest => ({
  owner: "11111111-2222-3333-4444-555555555555",
  ownerName: "Migration shop/orders",
  source: endpoint(source),
  target: endpoint(target),
  options: { jobs: 2 },
  reset: false,
  ...more,
});

/** The direction alone, without what `copy` looks at before it. */
export const transfer = (asked: CopyRequest, using: CopyHooks): Promise<Copied> =>
  runCopy(asked, using, postgresToPostgres);

/** Copies and removes the checkpoint. */
export async function copied(source: Where, target: Where, more: Partial<CopyRequest> = {}, using = hooks()) {
  const { report, finish } = await copy(request(source, target, more), using);
  await finish();
  return { report, heard: using.heard };
}

/** Each table's rows as one hash, with their number: sorted as text, so that it does not matter how they lie. */
export const fingerprint = (where: Where): Promise<Record<string, string>> =>
  connected(where, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'm') AND c.relispopulated AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ORDER BY 1`,
    );
    const hash = (name: string) =>
      `SELECT count(*) || ' ' || COALESCE(md5(string_agg(h, '' ORDER BY h)), '') AS hash FROM (SELECT md5(t::text) AS h FROM ONLY ${name} t) x`;
    const result: Record<string, string> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ hash: string }>(hash(name));
      result[name] = rows[0]?.hash ?? "";
    }
    return result;
  });

/** pg_dump's own words for the schema, data left out, without what differs from run to run. */
export async function schemaText({ server, database }: Where, tools: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    `${tools}/pg_dump`,
    ["--schema-only", "--dbname", server.urlOf(database, "admin")],
    { maxBuffer: 1 << 28 },
  );
  return (
    stdout
      .split("\n")
      .filter((line) => !/^\\(un)?restrict|^-- Dumped/.test(line))
      // A dictionary's options are kept as they were written, and are written with every name quoted.
      .map((line) => line.replace(/^ {4}"([a-z]+)" = /, "    $1 = "))
      .join("\n")
  );
}

export async function psql({ server, database }: Where, tools: string, files: readonly string[]): Promise<void> {
  const args = [
    "-X",
    "-q",
    "-v",
    "ON_ERROR_STOP=1",
    "-d",
    server.urlOf(database, "admin"),
    ...files.flatMap((file) => ["-f", file]),
  ];
  await promisify(execFile)(`${tools}/psql`, args, { maxBuffer: 1 << 28 });
}

/** Waits for a condition by looking at it again and again. */
export async function until(condition: () => Promise<boolean>, what: string, withinMs = 20_000): Promise<void> {
  const limit = patience(withinMs);
  const deadline = performance.now() + limit;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come true in ${limit} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Until no session of a run is left in the database. */
export const sessionsEnd = (target: Where): Promise<void> =>
  until(
    async () =>
      (
        await sql(
          target,
          "SELECT FROM pg_stat_activity WHERE application_name ~ '^rowferry' AND datname = current_database()",
        )
      ).length === 0,
    "the end of its sessions",
  );

/** Ends the run when so many tables are done. */
export async function cutAfter(source: Where, target: Where, tables: number, more = {}): Promise<void> {
  const stop = new AbortController();
  const using = hooks({
    signal: stop.signal,
    progress: (progress) => {
      if (progress.tables.done >= tables) stop.abort(new Error("asked to stop"));
    },
  });
  const ended = await copy(request(source, target, { options: { jobs: 1 }, ...more }), using).then(
    () => "it came to its end",
    String,
  );
  if (!ended.includes("asked to stop")) throw new Error(ended);
  await sessionsEnd(target);
}
