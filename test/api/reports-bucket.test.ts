import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { archiveKey } from "../../src/resources/archive/archive.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { type ReportBucketServer, startReportBucket } from "../operator/report-bucket.ts";
import { complete, create, exampleReport, stored, untilStatus } from "./migrations-play.ts";
import { admin, api, type Person, signUp, startReplica } from "./world.ts";

/** Reports that are in a bucket, read by REST and MCP. The operator's part, which moves them there, is in test/operator/reports.test.ts. */

let s3: ReportBucketServer;
let replica: Awaited<ReturnType<typeof startReplica>>;
let ann: Person;

beforeAll(async () => {
  [ann, s3] = await Promise.all([signUp(), startReportBucket()]);
  replica = await startReplica(s3.env);
});
afterAll(() => s3?.stop());

const log = Array.from({ length: 60 }, (_, at) => ({
  ...{ time: new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString(), level: "info", message: `step ${at}` },
}));
const inventory = [{ kind: "view", name: "shop.recent", outcome: "reported", note: "not translated" }];
const report = { ...exampleReport, inventory, warnings: ["one warning"] };
const packed = gzipSync(JSON.stringify({ report, log }));

/** One whose report the operator has moved. */
async function moved(): Promise<{ id: string; key: string }> {
  const id = await create(ann);
  await complete(ann, id, 60);
  await untilStatus(ann, id, "completed");
  const { metadata, status } = await stored(ann, id);
  const name = status?.report?.configMap ?? "";
  const key = `installation/reports/${metadata.uid}/1.json.gz`;
  await s3.put(key, packed);
  const sha256 = createHash("sha256").update(packed).digest("hex");
  const object = { name, bucket: "reports", key, bytes: packed.length, sha256 };
  const saved = await admin.applyStatus(
    kinds.migrations,
    { metadata: { name: id, namespace: ann.namespace }, status: { reportBucket: { objects: [object] } } },
    "rowferry-report",
  );
  const configMap = await admin.get(kinds.configMaps, ann.namespace, name);
  await admin.remove(kinds.configMaps, ann.namespace, name, configMap?.metadata.uid ?? "");
  await until("the replica to know it", async () => {
    const answer = await ask(`/api/migrations/${id}/report`);
    return answer.status === 200 || answer.status === 503;
  });
  expect(saved.metadata.uid).toBe(metadata.uid);
  return { id, key };
}

const ask = (path: string) => replica.caller.ask(path, { token: ann.token });
const tool = (id: string, list?: string) =>
  replica.caller.ask("/mcp-migrations", {
    token: ann.token,
    headers: { accept: "application/json, text/event-stream" },
    body: {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "get-migration-tool", arguments: { id, ...(list === undefined ? {} : { list }) } },
    },
  });

test("report, log, and what was not copied are read from the bucket", async () => {
  const { id } = await moved();
  const whole = await ask(`/api/migrations/${id}/report`);
  expect(whole.body).toEqual(report);
  const logs = await ask(`/api/migrations/${id}/logs?limit=1000`);
  const messages = logs.body.data.map((entry: { message: string }) => entry.message);
  expect(messages).toEqual(expect.arrayContaining(log.map(({ message }) => message)));
  expect((await tool(id, "warnings")).text).toContain("one warning");
  expect((await tool(id)).text).toContain("shop.recent");
});

test("an object that was swapped is not shown, and one that was deleted is not found: each says so", async () => {
  const [swapped, deleted] = [await moved(), await moved()];
  await s3.put(swapped.key, gzipSync(JSON.stringify({ report: { ...report, warnings: ["forged"] }, log: [] })));
  const changed = await ask(`/api/migrations/${swapped.id}/report`);
  expect(changed).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(changed.body.detail).toContain("SHA-256");
  expect(changed.text).not.toContain("forged");
  // What else is known is shown.
  const logs = await ask(`/api/migrations/${swapped.id}/logs`);
  expect(logs).toMatchObject({ status: 200 });
  expect((await tool(swapped.id, "warnings")).text).not.toMatch(/one warning|forged/);

  await s3.remove(deleted.key);
  const missing = await ask(`/api/migrations/${deleted.id}/report`);
  expect(missing).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(missing.body.detail).toBe("The report was deleted from the bucket.");
});

test("a status that names another team's object shows nothing of it, by whatever way its key is written", async () => {
  const [{ id }, others] = [await moved(), await moved()];
  const { metadata, status } = await stored(ann, id);
  const [object] = status?.reportBucket?.objects ?? [];
  const { uid } = metadata;
  const keys = [
    others.key,
    `installation/reports/${uid}/../${others.key.split("/").slice(2).join("/")}`,
    `installation/reports/${uid}/1.json.gz/../../../${others.key}`,
    `${others.key}?/reports/${uid}/01.json.gz`,
  ];
  for (const key of keys) {
    const objects = [{ ...object, key }];
    await admin.applyStatus(
      kinds.migrations,
      { metadata: { name: id, namespace: ann.namespace }, status: { reportBucket: { objects } } },
      "rowferry-report",
    );
    const answer = await until("the replica to know it", async () => {
      const found = await ask(`/api/migrations/${id}/report`);
      return found.status !== 200 && found;
    });
    expect(answer, key).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(answer.text).not.toContain("one warning");
  }
});

test("without an answer of the bucket a report is not available at the moment, and is there when the bucket is", async () => {
  const { id } = await moved();
  await s3.down();
  const refused = await ask(`/api/migrations/${id}/report`);
  expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect(refused.headers["retry-after"]).toBeDefined();
  // Its state is known without it.
  expect((await ask(`/api/migrations/${id}`)).body).toMatchObject({ status: "completed" });
  expect((await tool(id)).text).toContain("completed");
  for (const secret of s3.secrets()) expect(replica.output()).not.toContain(secret);
  await s3.up();
  expect((await ask(`/api/migrations/${id}/report`)).body).toEqual(report);
});

test("an API that names no bucket says where the report is; one that names a bucket still reads ConfigMaps", async () => {
  const { id } = await moved();
  const elsewhere = await api(`/api/migrations/${id}/report`, { token: ann.token });
  expect(elsewhere).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(elsewhere.body.detail).toContain("the bucket reports, which this installation does not use");

  const old = await create(ann);
  await complete(ann, old, 3);
  await untilStatus(ann, old, "completed");
  const { status } = await stored(ann, old);
  const configMap = await admin.get(kinds.configMaps, ann.namespace, status?.report?.configMap ?? "");
  expect(configMap?.binaryData?.[archiveKey]).toBeDefined();
  await until("the replica to know it", async () => (await ask(`/api/migrations/${old}/report`)).status === 200);
  expect((await ask(`/api/migrations/${old}/report`)).body).toEqual(exampleReport);
});
