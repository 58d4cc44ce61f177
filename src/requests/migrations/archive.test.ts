import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Client, KubeObject } from "../../cluster/index.ts";
import { archiveKey } from "../../resources/archive.ts";
import type { Kind } from "../../resources/objects.ts";
import { readArchive } from "./archive.ts";
import { migrationWith } from "./testing.ts";

const migration = migrationWith();
const packed = (text: string | Buffer) => gzipSync(text).toString("base64");
const whole = {
  report: { type: "transfer", made: [{ kind: "table", name: ["shop", "orders"], id: "16385" }], later: [1] },
  log: [{ time: "2026-01-01T00:00:00.000Z", level: "info", message: "Copied" }],
};

/** Reads it from the only object that there is. */
function read(object: object | undefined) {
  const client: Pick<Client, "get"> = {
    get: async <T extends KubeObject>(_kind: Kind<T>, _namespace: string, name: string) =>
      name === "shop-1-report" ? (object as T | undefined) : undefined,
  };
  return readArchive({ client: client as Client }, migration, "shop-1-report");
}
const owned = (binaryData: object | undefined, uid = migration.metadata.uid) => ({
  metadata: { name: "shop-1-report", ownerReferences: [{ uid }] },
  binaryData,
});

test("a report is read whole, with what a later version may have added", async () => {
  expect(await read(owned({ [archiveKey]: packed(JSON.stringify(whole)) }))).toEqual(whole);
});

test.each([
  ["is not there", undefined],
  ["is another's", owned({ [archiveKey]: packed(JSON.stringify(whole)) }, "22222222-2222-4222-8222-222222222222")],
  ["was too large to be kept", owned(undefined)],
  ["is too large to be read here, though it is small", owned({ [archiveKey]: packed(Buffer.alloc(64 * 1024 * 1024)) })],
  ["is not packed", owned({ [archiveKey]: Buffer.from("{}").toString("base64") })],
  ["is no JSON", owned({ [archiveKey]: packed("{") })],
  ["is another JSON", owned({ [archiveKey]: packed("[]") })],
])("one that %s is none", async (_what, object) => {
  expect(await read(object)).toBeUndefined();
});
