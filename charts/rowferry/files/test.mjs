// helm test: fills the source, makes a Migration, waits for its end, and compares the target. Runs in Rowferry's image.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

const { NAMESPACE, PGPASSWORD, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT } = process.env;
const host = KUBERNETES_SERVICE_HOST.includes(":") ? `[${KUBERNETES_SERVICE_HOST}]` : KUBERNETES_SERVICE_HOST;
const migrations = `https://${host}:${KUBERNETES_SERVICE_PORT}/apis/rowferry.dev/v1alpha1/namespaces/${NAMESPACE}/migrations`;
const deadline = Date.now() + Number(process.env.TIMEOUT_SECONDS) * 1000;

async function ask(method, name = "", body = undefined) {
  const token = await readFile("/var/run/secrets/kubernetes.io/serviceaccount/token", "utf8");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const url = name === "" ? migrations : `${migrations}/${name}`;
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

const psql = async (port, sql) => {
  const place = ["--host=127.0.0.1", `--port=${port}`, "--username=postgres", "--dbname=shop", "--no-psqlrc"];
  const { stdout } = await promisify(execFile)("psql", [...place, "--tuples-only", "--no-align", `--command=${sql}`], {
    env: { ...process.env, PGPASSWORD },
  });
  return stdout.trim();
};

async function until(what, look) {
  let last;
  for (; Date.now() < deadline; await setTimeout(1000)) {
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`${what}: not within ${process.env.TIMEOUT_SECONDS} seconds`, { cause: last });
}

const rows = 1000;
const sum = "SELECT count(*) || ' rows, ' || md5(string_agg(id || name, ',' ORDER BY id)) FROM orders";
// An image may have set none. It has letters and digits alone.
const setPassword = `ALTER ROLE postgres PASSWORD '${PGPASSWORD}'`;
for (const port of [5432, 5433]) await until(`the server on port ${port}`, () => psql(port, setPassword));
await psql(
  5432,
  `CREATE TABLE orders (id integer PRIMARY KEY, name text NOT NULL);
   INSERT INTO orders SELECT id, 'order ' || id FROM generate_series(1, ${rows}) AS id`,
);
const url = (name) => ({ secretRef: { name, key: "url" } });
const { metadata } = await ask("POST", "", {
  apiVersion: "rowferry.dev/v1alpha1",
  kind: "Migration",
  metadata: { generateName: "rowferry-test-" },
  spec: { source: url("rowferry-test-source"), target: url("rowferry-test-target"), ttlSecondsAfterFinished: 600 },
});
console.log(`Migration ${metadata.name}`);
const ended = await until("the end of the Migration", async () => {
  const { status = {} } = await ask("GET", metadata.name);
  return ["completed", "failed"].includes(status.state) ? status : undefined;
});
if (ended.state === "failed") {
  const why = ended.conditions?.find(({ type }) => type === "Ready");
  throw new Error(`the Migration failed: ${why?.reason}: ${why?.message}`);
}
const [source, target] = await Promise.all([psql(5432, sum), psql(5433, sum)]);
if (source !== target || !target.startsWith(`${rows} rows`)) throw new Error(`source: ${source}; target: ${target}`);
console.log(`completed: ${target}`);
await ask("DELETE", metadata.name);
