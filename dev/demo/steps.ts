import { createConnection } from "mysql2/promise";
import pg from "pg";
import type { MigrationStatus } from "../../src/resources/migration.ts";
import type { Cluster } from "../cluster/index.ts";
import type { Terminal } from "../terminal/index.ts";
import { compareShop } from "./compare.ts";
import { connectCommand } from "./connect.ts";
import { callLine, callOpening, shellOpening } from "./curl.ts";
import type { DemoDatabase } from "./databases.ts";
import type { DemoFacts } from "./facts.ts";
import { loadShop } from "./load.ts";
import { followMigration } from "./progress.ts";
import { shop } from "./shop.ts";

export const namespace = "shop";
export const migration = "shop-to-postgres";
/** Databases of the target: one for REST, one for kubectl. */
const targets = ["shop", "shop_by_kubectl"] as const;

/** The target that kubectl's Migration copies to. */
export function byKubectl(target: DemoDatabase): DemoDatabase {
  const at = (url: string) => Object.assign(new URL(url), { pathname: `/${targets[1]}` }).href;
  return { ...target, pod: at(target.pod), host: at(target.host) };
}

const thousands = (n: number): string => n.toLocaleString("en");

/** A shop in the source, empty databases as targets, and no Migration of an earlier demo. */
export async function prepareData(
  cluster: Cluster,
  terminal: Terminal,
  source: DemoDatabase,
  target: DemoDatabase,
): Promise<void> {
  await cluster.kubectl(["delete", "migration", migration, "-n", namespace, "--ignore-not-found"]);
  await Promise.all([
    terminal.step("Fill the source database", async (step) => {
      const rows = shop.reduce((sum, table) => sum + table.rows, 0);
      if (!(await hasShop(source.host)))
        await loadShop(source.host, (share) => step.bar(Math.round(share * rows), rows, "rows"));
      step.note(`${shop.length} tables, ${thousands(rows)} rows`);
    }),
    emptyTarget(target.host),
  ]);
}

/** Whether an earlier demo has filled the source to its last table; a part of a shop is dropped. */
async function hasShop(url: string): Promise<boolean> {
  const connection = await createConnection({ uri: url });
  try {
    const [tables] = await connection.query(
      "SELECT COUNT(*) AS n FROM information_schema.tables WHERE table_schema = DATABASE()",
    );
    const found = (tables as { n: number }[])[0]?.n ?? 0;
    if (found === 0) return false;
    if (found === shop.length) {
      const [rows] = await connection.query("SELECT COUNT(*) AS n FROM reviews");
      if ((rows as { n: number }[])[0]?.n === shop.at(-1)?.rows) return true;
    }
    await connection.query("DROP DATABASE shop");
    await connection.query("CREATE DATABASE shop CHARACTER SET utf8mb4");
    return false;
  } finally {
    await connection.end();
  }
}

async function emptyTarget(url: string): Promise<void> {
  const admin = new URL(url);
  admin.pathname = "/postgres";
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  try {
    for (const database of targets) {
      await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${database}`);
    }
  } finally {
    await client.end();
  }
}

/** A Secret each with the URL that pods use. */
export async function applySecrets(cluster: Cluster, source: DemoDatabase, target: DemoDatabase): Promise<void> {
  const items = [
    ["shop-source", source.pod],
    ["shop-target", byKubectl(target).pod],
  ].map(([name, url]) => ({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData: { url } }));
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify({ apiVersion: "v1", kind: "List", items }) });
}

/** Applies the Migration and follows it to its end; rejects with the cause when it failed. */
export async function migrate(cluster: Cluster, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const manifest = {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "Migration",
    metadata: { name: migration, namespace },
    spec: { source: { secretRef: { name: "shop-source" } }, target: { secretRef: { name: "shop-target" } } },
  };
  let last: MigrationStatus = {};
  await terminal.step(`kubectl apply: Migration ${namespace}/${migration}`, async (step) => {
    await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(manifest) });
    const seen = (status: MigrationStatus) => {
      const { progress } = status;
      if (progress) step.bar(progress.rows.done, Math.max(progress.rows.total, progress.rows.done), "rows");
      step.note(`${status.state ?? "applied"}${progress ? `, ${progress.phase}` : ""}`);
    };
    last = await followMigration(cluster, namespace, migration, seen, signal);
    if (last.state === "failed")
      throw new Error(`The Migration failed: ${last.result?.message ?? lastLoggedError(last)}`);
    step.note(`${last.state}, ${last.type}, ${last.columns?.size ?? ""}`);
  });
  terminal.line("");
  for (const entry of sortedLog(last)) terminal.line(`  ${entry.time.slice(11, 19)}  ${entry.message}`);
}

const sortedLog = (status: MigrationStatus) => [...(status.log ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1));
const lastLoggedError = (status: MigrationStatus): string =>
  sortedLog(status).at(-1)?.message ?? "its log names no cause";

/** Reads both databases independently of the engine, prints rows and checksums, and rejects when a table differs. */
export async function compare(terminal: Terminal, source: DemoDatabase, target: DemoDatabase): Promise<void> {
  const compared = await terminal.step("Compare both databases", () => compareShop(source.host, target.host));
  const line = (...cells: string[]) =>
    terminal.line(
      `  ${cells.map((cell, index) => (index === 1 || index === 2 ? cell.padStart(9) : cell.padEnd(18))).join("  ")}`,
    );
  terminal.line("");
  line("table", "source", "target", "source sha256", "target sha256", "");
  for (const { table, source: before, target: after, equal } of compared) {
    line(
      table,
      thousands(before.rows),
      thousands(after.rows),
      before.sha256.slice(0, 16),
      after.sha256.slice(0, 16),
      equal ? "equal" : "DIFFERENT",
    );
  }
  const different = compared.filter(({ equal }) => !equal).map(({ table }) => table);
  if (different.length > 0) throw new Error(`Source and target differ in: ${different.join(", ")}`);
}

/** The commands to look further. */
export function lookFurther(terminal: Terminal, facts: DemoFacts, migrated: boolean): void {
  const token = facts.accounts[0]?.token ?? "";
  const { source, target } = facts.databases;
  const pair = { source_url: source.pod, target_url: target.pod };
  const copy = `To copy the database by REST:
  ${shellOpening({ baseUrl: facts.base_url, caFile: facts.ca_file })}
  ${callOpening(token)}
  ${callLine("/api/migrations", pair)}

`;
  const look = `  npm run kubectl -- describe migration ${facts.migration} -n ${facts.namespaces.demo}\n`;
  const bucket = facts.backups ? `  Bucket of the backups: ${facts.backups.bucket_url}\n` : "";
  terminal.line(`
${migrated ? "" : copy}The cluster keeps running. Next steps:
  npm run kubectl -- get migrations -n ${facts.namespaces.demo}
${migrated ? look : ""}  npm run kubectl -- explain migration.spec
  npm run kubectl -- logs -n ${facts.namespaces.operator} deployment/rowferry-operator
  KUBECONFIG=${facts.kubeconfig}
  API: ${facts.base_url} (CA certificate: ${facts.ca_file})
    curl --cacert ${facts.ca_file} ${facts.base_url}/api/migrations -H "Authorization: Bearer ${token}"
  AI agent, by MCP (other clients: docs/mcp.md):
    export NODE_EXTRA_CA_CERTS=${facts.ca_file}
    ${connectCommand({ baseUrl: facts.base_url, token })}
${bucket}  Stripe simulator, which takes the payments: ${facts.billing.simulator_url}
  Tokens of a Pro, a new and a paying account:
    ${facts.billing.tokens.pro}
    ${facts.billing.tokens.new}
    ${facts.billing.tokens.paying}
  source, from this machine: ${source.host}
    for the API: ${source.pod}
  target, from this machine: ${target.host}
    for the API: ${target.pod}
To remove the cluster: npm run down`);
}
