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
  /** An empty database in a server, and a Secret for it; returns the URL from this machine. */
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
  const cluster = {
    nodePorts: null,
    kubectl: (args: string[], options?: { input?: string }) => kubectl(args, options?.input),
  };
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
      if (host.startsWith("mysql:")) {
        await withMysql(host, async (connection) => {
          await connection.query(`DROP DATABASE IF EXISTS \`${database}\`; CREATE DATABASE \`${database}\``);
        });
      } else {
        await withPostgres(secretUrl(host, "postgres"), async (client) => {
          await client.query(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`);
          await client.query(`CREATE DATABASE "${database}"`);
        });
      }
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
    await cluster.loadImage({ archive });
  } finally {
    await rm(folder, { recursive: true, force: true });
    terminal.close();
  }
}
