import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { verify } from "../../src/engine/verify/index.ts";
import { archiveKey } from "../../src/resources/archive/archive.ts";
import { kinds } from "../../src/resources/objects.ts";
import { connect } from "../databases/connect.ts";
import { until } from "../operator/control-plane.ts";
import { borrowDatabase } from "../servers/index.ts";
import { flavours, type Pair, pair, type Servers, startServers } from "../support/engine/mysql-mysql-support.ts";
import { database, sql } from "../support/engine/postgres-support.ts";
import { bucketOf, ended, object, type Scene, startScene, untilObject } from "./support.ts";

/** Backups of MySQL and MariaDB by `kubectl apply`: real control plane, operator, worker, servers and bucket. */

let scene: Scene;
let servers: Servers;
let postgres: Database;

const shop = `
CREATE TABLE customers (id int AUTO_INCREMENT PRIMARY KEY, name varchar(50));
CREATE TABLE orders (id int PRIMARY KEY, customer int, total decimal(10,2), CONSTRAINT buys FOREIGN KEY (customer) REFERENCES customers (id));
INSERT INTO customers (name) VALUES ('é😀'), ('b''c');
INSERT INTO orders VALUES (1, 1, 1.5), (2, 2, 200), (3, NULL, 300);
CREATE VIEW big AS SELECT * FROM orders WHERE total > 100;
CREATE TRIGGER named BEFORE INSERT ON customers FOR EACH ROW SET NEW.name = upper(NEW.name);
`;

beforeAll(async () => {
  const env = { ROWFERRY_VERIFY_IMAGES: JSON.stringify({ mysql: "mysql:9" }) };
  const ownServer = async () => urlOf((await pair(servers, "mysql", "mysql")).target).replace("localhost", "127.0.0.1");
  [scene, servers, postgres] = await Promise.all([
    startScene({ env, ownServer }),
    startServers(),
    borrowDatabase("postgres"),
  ]);
  const { s3 } = scene;
  await scene.secret("bucket", { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey });
});
afterAll(async () => {
  await scene?.stop();
  await servers?.close();
  await postgres?.stop();
});

const urlOf = ({ user, password, host, port, database }: Pair["source"]): string =>
  `mysql://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;

test.each(flavours)("a run of a schedule of %s is completed, and a Restore of it is equal", async (flavour) => {
  const { namespace, apply, s3 } = scene;
  const where = await pair(servers, flavour, flavour, shop);
  await scene.secret(`source-${flavour}`, { url: urlOf(where.source) });
  await scene.secret(`target-${flavour}`, { url: urlOf(where.target) });
  const schedule = {
    ...{ source: { secretRef: { name: `source-${flavour}` } }, storage: bucketOf(s3), interval: "daily" },
    ...{ suspend: true, verification: { policy: "Never" } },
  };
  await apply(object("BackupSchedule", namespace, flavour, schedule));
  await apply(object("BackupRun", namespace, `${flavour}-m1`, { schedule: flavour }));
  const run = await untilObject(scene, "BackupRun", `${flavour}-m1`, "an end", ended);
  const engine = flavour === "mysql" ? "MySQL" : "MariaDB";
  expect(run.status).toMatchObject({ state: "completed", rows: 5, tables: 2, engine });
  expect(run.status?.manifestDigest).toMatch(/^sha256:[0-9a-f]{64}$/);

  const target = { secretRef: { name: `target-${flavour}` } };
  await apply(object("Restore", namespace, `${flavour}-back`, { backupRun: `${flavour}-m1`, target }));
  const restored = await untilObject(scene, "Restore", `${flavour}-back`, "an end", ended);
  expect(restored.status).toMatchObject({ state: "completed", rows: 5, tables: 2 });
  const found = await verify(
    { source: where.source, target: where.target, options: { jobs: 2 } },
    { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
  );
  expect(found).toMatchObject({ equal: true, warnings: [] });

  await apply(object("Restore", namespace, `${flavour}-again`, { backupRun: `${flavour}-m1`, target }));
  const refused = await untilObject(scene, "Restore", `${flavour}-again`, "an end", ended);
  expect(refused.status?.conditions?.find(({ type }) => type === "Failed")).toMatchObject({
    status: "True",
    reason: expect.stringMatching(/target_not_empty|TargetNotEmpty/),
  });
});

test("a run of MySQL is verified in a throw-away server", async () => {
  const { namespace, plane } = scene;
  await plane.admin.client.mergePatch(kinds.backupRuns, namespace, "mysql-m1", { spec: { verifications: 1 } });
  const run = await untilObject(
    ...([scene, "BackupRun", "mysql-m1", "its verification"] as const),
    ({ status }) => status?.verification !== undefined,
  );
  expect(run.status?.verification).toMatchObject({ outcome: "verified", tables: 2, rows: 5 });
  const verifications = await plane.kubectl([
    ...["get", "job", `${run.status?.verification?.restore}-1`, "-n", namespace, "-o"],
    "jsonpath={.spec.template.spec.initContainers[0]}",
  ]);
  const server = JSON.parse(verifications.out);
  expect(server).toMatchObject({ image: "mysql:9", restartPolicy: "Always", securityContext: { runAsUser: 999 } });
  expect(server).not.toHaveProperty("command");
});

test("a run of MySQL is restored into PostgreSQL by way of a throw-away server", async () => {
  const { namespace, apply, secret } = scene;
  const target = await database(postgres);
  await secret("target-postgres", { url: postgres.urlOf(target.database, "admin") });
  const into = { target: { secretRef: { name: "target-postgres" } } };
  await apply(object("Restore", namespace, "refused", { backupRun: "mysql-m1", ...into }));
  const refused = await untilObject(scene, "Restore", "refused", "an end", ended);
  expect(refused.status?.result).toMatchObject({ reason: "engine_differs" });
  expect(refused.status?.result?.message).toContain("set convert: true in the Restore");

  await apply(object("Restore", namespace, "converted", { backupRun: "mysql-m1", ...into, convert: true }));
  const restored = await untilObject(scene, "Restore", "converted", "an end", ended);
  expect(restored.status).toMatchObject({ state: "completed", rows: 5, tables: 2, progress: { phase: "finished" } });
  expect(restored.status?.result?.message).toMatch(/^Restored by way of a throw-away server and verified: 2 tables/);
  expect(restored.status?.log?.map(({ message }) => message).join("\n")).toContain("Converted: ");
  const { configMap = "", reported } = restored.status?.report ?? {};
  const stored = await scene.plane.admin.client.get(kinds.configMaps, namespace, configMap);
  expect(stored?.metadata.ownerReferences).toMatchObject([{ kind: "Restore", uid: restored.metadata.uid }]);
  const { report } = JSON.parse(gunzipSync(Buffer.from(stored?.binaryData?.[archiveKey] ?? "", "base64")).toString());
  expect(report).toMatchObject({ type: "conversion", target: { engine: "postgres" } });
  const { inventory } = report as { inventory: { outcome: string }[] };
  expect(inventory.filter(({ outcome }) => outcome === "reported")).toHaveLength(reported ?? -1);
  expect(await sql(target, "SELECT id, name FROM customers ORDER BY id")).toEqual([
    { id: 1, name: "é😀" },
    { id: 2, name: "b'c" },
  ]);
  expect(await sql(target, "SELECT id, total::text FROM big ORDER BY id")).toEqual([
    { id: 2, total: "200.00" },
    { id: 3, total: "300.00" },
  ]);
  const pod = [...scene.node.output.keys()].find((name) => name.startsWith("converted-")) ?? "";
  await until("the worker's end", () => !scene.node.running().includes(pod));
  expect(await sql(target, "SELECT to_regclass('_rowferry') AS left")).toEqual([{ left: null }]);
});

test("a pod that is killed while it converts is followed by one that begins anew", async () => {
  const { namespace, apply, secret, node } = scene;
  const target = await database(postgres);
  await secret("target-killed", { url: postgres.urlOf(target.database, "admin") });
  const spec = { backupRun: "mysql-m1", target: { secretRef: { name: "target-killed" } }, convert: true };
  // The pod waits for this one, half-way.
  const holder = await connect("postgres", postgres.urlOf(target.database, "admin"));
  for (const statement of ["BEGIN", "CREATE TABLE orders (id int)"]) await holder.query(statement);
  await apply(object("Restore", namespace, "killed", spec));
  const pods = () => [...node.output].filter(([name]) => name.startsWith("killed-"));
  const waiting =
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  const [first = ""] = await until("a copy that waits", async () => {
    const [found] = await sql<{ n: number }>(target, waiting);
    return found?.n ? pods()[0] : undefined;
  });
  node.kill(first);
  await until("its end", () => !node.running().includes(first));
  await holder.query("ROLLBACK");
  await holder.end();
  const restored = await untilObject(scene, "Restore", "killed", "an end", ended);
  expect(restored.status).toMatchObject({ state: "completed", rows: 5, tables: 2 });
  expect(pods()).toHaveLength(2);
  expect(await sql(target, "SELECT count(*)::int AS rows FROM customers")).toEqual([{ rows: 2 }]);
});

test("a run of MySQL is restored into MariaDB by way of a throw-away server", async () => {
  const { namespace, apply, secret } = scene;
  const where = await pair(servers, "mysql", "mariadb");
  await secret("target-other", { url: urlOf(where.target) });
  const target = { secretRef: { name: "target-other" } };
  await apply(object("Restore", namespace, "other", { backupRun: "mysql-m1", target, convert: true }));
  const restored = await untilObject(scene, "Restore", "other", "an end", ended);
  expect(restored.status).toMatchObject({ state: "completed", rows: 5, tables: 2 });
  expect((await where.to.query("SELECT name FROM customers ORDER BY id"))[0]).toEqual([
    { name: "é😀" },
    { name: "b'c" },
  ]);
});

test("without an image of its server a run is not converted, and the setting is named", async () => {
  const { namespace, apply } = scene;
  const target = { secretRef: { name: "target-postgres" } };
  const spec = { backupRun: "mariadb-m1", target, convert: true };
  await apply(object("Restore", namespace, "unconverted", spec));
  const refused = await untilObject(scene, "Restore", "unconverted", "an end", ended);
  expect(refused.status).toMatchObject({ state: "failed" });
  expect(JSON.stringify(refused.status?.conditions)).toContain("VerificationImageMissing");
  expect(JSON.stringify(refused.status?.conditions)).toContain("set backups.verification.images.mariadb");
  expect(refused.status?.job).toBeUndefined();
});

test("without an image of its server a run is not verified, and the setting is named", async () => {
  const { namespace, apply } = scene;
  await apply(object("Restore", namespace, "verifications", { backupRun: "mariadb-m1", verification: true }));
  const waiting = await untilObject(scene, "Restore", "verifications", "a reason", ({ status }) =>
    JSON.stringify(status?.conditions ?? []).includes("VerificationImageMissing"),
  );
  expect(JSON.stringify(waiting.status?.conditions)).toContain("set backups.verification.images.mariadb");
});
