import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, createConnection } from "mysql2/promise";
import pg from "pg";
import { inject } from "vitest";
import { openCluster } from "../../dev/cluster/index.ts";
import { type DemoDatabase, startDatabases } from "../../dev/demo/databases.ts";
import { buildImages } from "../../dev/image/index.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { run } from "../../dev/terminal/run.ts";
import { apply, kubectl } from "./kube.ts";

/** A namespace with databases in it, and Secrets that name them. */
export interface World {
  namespace: string;
  databases: Record<string, DemoDatabase>;
  /** Makes a Secret with a URL; by default the URL of the database of that name. */
  secret(name: string, url?: string): Promise<void>;
  /** An empty database in a PostgreSQL server, and a Secret for it; returns the URL from this machine. */
  emptyTarget(server: string, database: string): Promise<string>;
  end(): Promise<void>;
}

type Kind = "mysql" | "mariadb" | "postgres" | "postgres-old";
const imageOf = { mysql: "mysql", mariadb: "mariadb", postgres: "postgres", "postgres-old": "postgresOld" } as const;

/** The password that the secrecy test searches every sink for. */
export const password = "Pl4nted~Pass/word";

export const secretUrl = (url: string, database: string): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
};

export async function makeWorld(namespace: string, servers: Record<string, Kind>): Promise<World> {
  await apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const { images } = inject("cluster");
  const wanted = Object.entries(servers).map(([name, kind]) => ({
    kind,
    name,
    image: images[imageOf[kind]],
    password,
  }));
  const cluster = { kubectl: (args: string[], options?: { input?: string }) => kubectl(args, options?.input) };
  const started = await startDatabases(cluster, namespace, wanted);
  const databases = Object.fromEntries(started.map((database) => [database.service, database]));
  const secret = async (name: string, url?: string) => {
    const stringData = { url: url ?? databases[name]?.pod };
    await apply({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData });
  };
  for (const name of Object.keys(servers)) await secret(name);
  return {
    namespace,
    databases,
    secret,
    async emptyTarget(server, database) {
      const { host, pod } = databases[server] as DemoDatabase;
      await withPostgres(secretUrl(host, "postgres"), async (client) => {
        await client.query(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`);
        await client.query(`CREATE DATABASE "${database}"`);
      });
      await secret(database, secretUrl(pod, database));
      return secretUrl(host, database);
    },
    end: async () => {
      await kubectl(["delete", "namespace", namespace, "--wait=false"]);
    },
  };
}

export async function withPostgres<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function withMysql<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await createConnection({ uri: url, charset: "utf8mb4", multipleStatements: true });
  try {
    return await work(connection);
  } finally {
    await connection.end();
  }
}

/** Rows of the fault tests' table: enough for a few seconds of copying. */
export const bigRows = 300_000;

/** A table `big` whose rows can be told apart and summed, and a small one that refers to it. */
export async function fillMysql(url: string): Promise<void> {
  await withMysql(url, async (connection) => {
    await connection.query("CREATE TABLE digits (d INT NOT NULL PRIMARY KEY)");
    await connection.query("INSERT INTO digits VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
    await connection.query(
      "CREATE TABLE big (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, word VARCHAR(200) NOT NULL, paid DECIMAL(12,2), seen DATETIME, KEY word (word))",
    );
    await connection.query(
      `INSERT INTO big (id, word, paid, seen)
       SELECT n + 1, CONCAT('w', SHA2(n, 224), REPEAT('x', n % 120)), n / 100, TIMESTAMPADD(SECOND, n, '2020-01-01')
         FROM (SELECT a.d + 10*b.d + 100*c.d + 1000*d.d + 10000*e.d + 100000*f.d AS n
                 FROM digits a, digits b, digits c, digits d, digits e, digits f) numbers
        WHERE n < ${bigRows}`,
    );
    await connection.query(
      "CREATE TABLE note (id INT NOT NULL PRIMARY KEY, big_id BIGINT NOT NULL, FOREIGN KEY (big_id) REFERENCES big (id))",
    );
    await connection.query("INSERT INTO note SELECT id, id FROM big WHERE id <= 1000");
  });
}

/** Count and order-free hash of `big` by the databases themselves: equal exactly when no row is lost, doubled or changed. */
export const mysqlSum = (url: string): Promise<string> =>
  withMysql(url, async (connection) => {
    const [rows] = await connection.query(
      "SELECT CONCAT(COUNT(*), ' ', COALESCE(SUM(CAST(CONV(SUBSTR(SHA2(CONCAT_WS('|', id, word, paid, DATE_FORMAT(seen, '%Y-%m-%d %H:%i:%s')), 256), 1, 12), 16, 10) AS DECIMAL(30))), 0)) AS s FROM big",
    );
    return String((rows as { s: string }[])[0]?.s);
  });

export const postgresSum = (url: string): Promise<string> =>
  withPostgres(url, async (client) => {
    const { rows } = await client.query<{ s: string }>(
      "SELECT concat(count(*), ' ', coalesce(sum(('x' || lpad(substr(encode(sha256(convert_to(concat_ws('|', id, word, paid, to_char(seen, 'YYYY-MM-DD HH24:MI:SS')), 'UTF8')), 'hex'), 1, 12), 16, '0'))::bit(64)::bigint), 0)) AS s FROM big",
    );
    return String(rows[0]?.s);
  });

/** Names of everything that a run left in the target besides what it should have made. */
export const leftInTarget = (url: string): Promise<string[]> =>
  withPostgres(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT n.nspname || '.' || c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  });

/** Brings the application's image to the node once more, under another name. */
export async function loadImageAs(ref: string): Promise<void> {
  const terminal = openTerminal({ name: "test-image" });
  const folder = await mkdtemp(join(tmpdir(), "renamed-"));
  try {
    const { app } = await buildImages({ terminal });
    const cluster = await openCluster({ name: inject("cluster").name, terminal });
    const [layout, archive] = [join(folder, "layout"), join(folder, "archive.tar")];
    await mkdir(layout);
    await run("tar", ["--extract", "--file", app.archive, "--directory", layout]);
    const index = await readFile(join(layout, "index.json"), "utf8");
    await writeFile(join(layout, "index.json"), index.replaceAll(app.ref, ref));
    await run("tar", ["--create", "--file", archive, "--directory", layout, ...(await readdir(layout))]);
    await cluster.loadImage(archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
    terminal.close();
  }
}
