import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { migrationWith } from "../../../../test/support/requests/migration-with.ts";
import type { Client, KubeObject } from "../../../cluster/index.ts";
import { archiveKey } from "../../../resources/archive/archive.ts";
import type { Kind } from "../../../resources/objects.ts";
import type { Caller, World } from "../../world.ts";
import { archivedReport, readLog, readMade } from "./archive.ts";

const migration = migrationWith();
const packed = (text: string | Buffer) => gzipSync(text).toString("base64");
const entry = { time: "2026-01-01T00:00:00.000Z", level: "info", message: "Copied" };
const made = { kind: "table", name: ["shop", "orders"], id: "16385" };
const whole = { report: { type: "transfer", made: [made], later: [1] }, log: [entry] };

/** Of the only object that there is. */
function archive(object: object | undefined) {
  const client: Pick<Client, "get"> = {
    get: async <T extends KubeObject>(_kind: Kind<T>, _namespace: string, name: string) =>
      name === "shop-1-report" ? (object as T | undefined) : undefined,
  };
  const world = { client: client as Client } as World;
  const caller = { account: { metadata: { name: "a1" } } } as Caller;
  const name = "shop-1-report";
  return {
    log: () => readLog(world, caller, migration, name),
    made: (most: number) => readMade(world, caller, migration, name, most),
    report: () => archivedReport(world, caller, migration, name),
    async text() {
      const parts: Buffer[] = [];
      for await (const piece of (await archivedReport(world, caller, migration, name))?.read() ?? []) parts.push(piece);
      return Buffer.concat(parts).toString("utf8");
    },
  };
}
let versions = 0;
const owned = (binaryData: object | undefined, uid = migration.metadata.uid) => ({
  metadata: { name: "shop-1-report", uid: "c1", resourceVersion: String(versions++), ownerReferences: [{ uid }] },
  binaryData,
});
const of = (content: unknown) => archive(owned({ [archiveKey]: packed(JSON.stringify(content)) }));

test("a report is read byte for byte, with what a later version may have added, and its length and digest are told before", async () => {
  const text = JSON.stringify(whole.report);
  const one = of(whole);
  expect(await one.text()).toBe(text);
  expect(await one.text(), "again, from where it is known to be").toBe(text);
  expect(await of({ log: whole.log, report: whole.report }).text(), "behind something else").toBe(text);
  expect(await one.report()).toMatchObject({
    length: Buffer.byteLength(text),
    digest: createHash("sha256").update(text).digest(),
  });
});

test("the log and what was made are read alone", async () => {
  expect(await of(whole).log()).toEqual([entry]);
  const many = Array.from({ length: 20_000 }, (_, at) => ({ ...made, name: ["shop", `t${at}`] }));
  expect(await of({ ...whole, report: { made: many } }).made(2)).toEqual({ first: many.slice(0, 2), total: 20_000 });
});

test("where the log and what was made stand is looked for once in an archive, and what is before them not read again", async () => {
  const log = JSON.stringify(whole.log);
  const report = (filler: string) => `{"filler":${filler},"made":[${JSON.stringify(made)}]}`;
  const before = owned({ [archiveKey]: packed(`{"report":${report('"xx"')},"log":${log}}`) });
  expect(await archive(before).log()).toEqual([entry]);
  expect(await archive(before).made(1)).toEqual({ first: [made], total: 1 });
  const binaryData = { [archiveKey]: packed(`{"report":${report("]]]]")},"log":${log}}`) };
  const same = archive({ ...before, binaryData });
  expect(await same.log()).toEqual([entry]);
  expect(await same.made(1)).toEqual({ first: [made], total: 1 });
  expect(await archive(owned(binaryData)).log(), "of another version it is looked for").toBeUndefined();
});

test("a large report that nobody reads on is not unpacked any further", async () => {
  const text = JSON.stringify({ ...whole, report: { made: [], filler: "x".repeat(20_000_000) } });
  const report = await archive(owned({ [archiveKey]: packed(text) })).report();
  expect(report?.length).toBeGreaterThan(20_000_000);
  expect(report?.held).toBeLessThan(1 << 20);
  let taken = 0;
  for await (const piece of report?.read() ?? []) {
    taken += piece.length;
    break;
  }
  expect(taken).toBeLessThan(200_000);
});

test.each([
  ["is not there", undefined],
  ["is another's", owned({ [archiveKey]: packed(JSON.stringify(whole)) }, "22222222-2222-4222-8222-222222222222")],
  ["was too large to be kept", owned(undefined)],
  [
    "is too large to be a run's, though it is small",
    owned({ [archiveKey]: packed(Buffer.concat([Buffer.from('{"report":{"a":"'), Buffer.alloc(40_000_000, "x")])) }),
  ],
  ["is not packed", owned({ [archiveKey]: Buffer.from("{}").toString("base64") })],
  ["is cut off", owned({ [archiveKey]: gzipSync(JSON.stringify(whole)).subarray(0, 60).toString("base64") })],
  ["is no JSON", owned({ [archiveKey]: packed("{") })],
  ["is another JSON", owned({ [archiveKey]: packed("[]") })],
])("one that %s is none", async (_what, object) => {
  expect(await archive(object).report()).toBeUndefined();
  expect(await archive(object).log()).toBeUndefined();
  expect(await archive(object).made(1)).toBeUndefined();
});
