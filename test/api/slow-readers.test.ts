import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { archiveKey } from "../../src/resources/archive/archive.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { complete, create, exampleReport, stored, untilStatus } from "./migrations-play.ts";
import { admin, signUp, startReplica } from "./world.ts";

/** Who asks for what is large and does not read it. */

const megabyte = 1 << 20;
const resident = (pid: number | undefined): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

const inventory = Array.from({ length: 80_000 }, (_, at) => ({
  kind: "routine",
  name: `shop.routine_${at}`,
  outcome: "reported",
  note: "MySQL's routines are not translated",
  definition: `CREATE PROCEDURE routine_${at}() SELECT ${"x".repeat(100)}`,
}));
const large = JSON.stringify({ ...exampleReport, inventory });

test("many who do not read a large report cost a replica little, are told so, and hold back nobody else", async () => {
  const [ann, bob] = [await signUp(), await signUp()];
  const replica = await startReplica({ ROWFERRY_ANSWERS_MEGABYTES: "12" });
  const id = await create(ann);
  await complete(ann, id, 1);
  await untilStatus(ann, id, "completed");
  const { status } = await stored(ann, id);
  const found = await admin.get(kinds.configMaps, ann.namespace, status?.report?.configMap ?? "");
  if (found === undefined) throw new Error("there is no report");
  const packed = gzipSync(`{"report":${large},"log":[]}`).toString("base64");
  await admin.update(kinds.configMaps, { ...found, binaryData: { [archiveKey]: packed } });

  const path = `/api/migrations/${id}/report`;
  const whole = await replica.caller.ask(path, { token: ann.token });
  expect({ status: whole.status, length: whole.headers["content-length"] }).toEqual({
    status: 200,
    length: String(large.length),
  });
  expect(whole.text === large).toBe(true);
  const etag = String(whole.headers.etag);
  const again = await replica.caller.ask(path, { token: ann.token, headers: { "if-none-match": etag } });
  expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: "" });

  const before = resident(replica.child.pid);
  const unread: IncomingMessage[] = [];
  const ask = async (from: string, token?: string) => {
    const answer = await replica.caller.open(from, token === undefined ? {} : { token });
    answer.on("error", () => {});
    unread.push(answer);
    return answer.statusCode;
  };
  try {
    const statuses = await Promise.all(Array.from({ length: 60 }, () => ask(path, ann.token)));
    const taken = statuses.filter((code) => code === 200).length;
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(20);
    expect(statuses.filter((code) => code === 503).length).toBe(60 - taken);
    expect(new Set(await Promise.all(Array.from({ length: 100 }, () => ask("/llms-full.txt"))))).toEqual(
      new Set([200]),
    );
    expect(resident(replica.child.pid) - before, "60 × 17 MB were asked for").toBeLessThan(100);
    expect(large.length).toBeGreaterThan(16 * megabyte);
    const list = await replica.caller.ask("/api/migrations", { token: bob.token });
    expect(list.status).toBe(200);
  } finally {
    for (const answer of unread) answer.destroy();
  }
  await until(
    "what they held is given back",
    async () => (await replica.caller.ask(path, { token: ann.token })).status === 200,
  );
});
