import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Client } from "../../src/cluster/index.ts";
import { archiveKey } from "../../src/resources/archive/archive.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { typeAnnotation } from "../../src/resources/run-type.ts";
import { MadeError, workOf } from "./work.ts";

const noKeys = { keys: [], envelopesFrom: new Date(0).toISOString() };

/** The work of a reset after a run whose archive is this. */
function resetOf(archive: Buffer | string, owner = "u1") {
  const state = { reads: 0, mostReads: 0 };
  const client = {
    async get() {
      state.reads += 1;
      state.mostReads = Math.max(state.mostReads, state.reads);
      await new Promise((resolve) => setImmediate(resolve));
      state.reads -= 1;
      const binaryData = {
        [archiveKey]: (typeof archive === "string" ? gzipSync(archive) : archive).toString("base64"),
      };
      return { metadata: { name: "shop-1-report", ownerReferences: [{ uid: owner }] }, binaryData };
    },
  } as unknown as Client;
  const migration: Migration = {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "Migration",
    metadata: {
      name: "shop",
      namespace: "shop",
      uid: "u1",
      generation: 2,
      resourceVersion: "7",
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: {
      source: { secretRef: { name: "source", key: "url" } },
      target: { secretRef: { name: "target", key: "url" } },
      attempt: 1,
      reset: 1,
    },
    status: { state: "pending", run: 2, attempt: 1, reset: 1, madeIn: "shop-1-report" },
  };
  const ask = () => workOf(migration, { client, bucket: undefined }, noKeys, { allow: [], refuse: [], secrets: false });
  return { state, ask };
}

const object = (at: number, of = "orders") => ({ kind: "table", name: ["shop", `${of}_${at}`], id: `1259:${at}` });
const place = { address: "new.example.com:3306", identity: "mysql 1f2e" };
const archiveOf = (report: object) => JSON.stringify({ report: { tables: [], ...report }, log: [] });

test("a reset is told what was made and where, of a report of many objects too", async () => {
  const made = Array.from({ length: 20_000 }, (_, at) => object(at));
  const target = { engine: "MySQL", version: "9.7.0", database: "shop", ...place };
  const inventory = made.map(({ name }) => ({ kind: "table", name, outcome: "copied" }));
  const work = await resetOf(archiveOf({ inventory, made, target })).ask();
  expect(work.made).toEqual(made);
  expect(work.madeIn).toEqual(place);
});

test("reports of earlier versions do not say where", async () => {
  const work = await resetOf(archiveOf({ made: [object(1)] })).ask();
  expect(work).toMatchObject({ made: [object(1)] });
  expect(work.madeIn).toBeUndefined();
});

test("a report that is another's is none", async () => {
  expect((await resetOf(archiveOf({ made: [object(1)] }), "u2").ask()).made).toEqual([]);
});

const bomb = () => gzipSync(Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(65 * 1024 * 1024, "x")]), { level: 1 });
test.each<[string, Buffer | string, RegExp]>([
  [
    "more than a worker takes",
    archiveOf({ made: Array.from({ length: 60_000 }, (_, at) => object(at, "x".repeat(100))) }),
    /6 MiB/,
  ],
  ["an object that is too long", archiveOf({ made: [object(1, "x".repeat(20_000))] }), /cannot be read/],
  ["no list", archiveOf({}), /cannot be read/],
  ["a list of something else", archiveOf({ made: [{ kind: 7 }] }), /cannot be read/],
  ["what is not packed", Buffer.from("plain"), /cannot be read/],
  ["a bomb", bomb(), /cannot be read/],
])("a reset of %s fails with its cause, and the next is as good as ever", async (_what, archive, cause) => {
  const failure = await resetOf(archive)
    .ask()
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(MadeError);
  expect((failure as Error).message).toMatch(cause);
  expect((await resetOf(archiveOf({ made: [object(1)] })).ask()).made).toHaveLength(1);
});

test("many resets at once are read one after the other", async () => {
  const { state, ask } = resetOf(archiveOf({ made: [object(1)] }));
  await Promise.all(Array.from({ length: 10 }, ask));
  expect(state.mostReads).toBe(1);
});

test.each([
  ["transfer", undefined, 10_009_999_999],
  ["conversion", undefined, 9_900_000_000],
  ["transfer", "conversion", 9_900_000_000],
  [undefined, undefined, 9_900_000_000],
] as const)(
  "a paid run of the URLs' type %s and the worker's %s may copy %i bytes",
  async (marked, type, mostBytes) => {
    const prices = { minimum: 5, steps: [{ transfer: 1, conversion: 2 }] };
    const payment = { by: "hold", account: "a", currency: "USD", amount: 1000, quotedSize: 9_000_000_000 } as const;
    const metadata = { name: "shop", namespace: "shop", uid: "u1", generation: 1, resourceVersion: "7" };
    const annotations = marked === undefined ? {} : { [typeAnnotation]: marked };
    const migration: Migration = {
      apiVersion: "rowferry.dev/v1alpha1",
      kind: "Migration",
      metadata: { ...metadata, creationTimestamp: "2026-01-01T00:00:00Z", annotations },
      spec: {
        source: { secretRef: { name: "source", key: "url" } },
        target: { secretRef: { name: "target", key: "url" } },
        attempt: 1,
        reset: 0,
        payment,
      },
      ...(type === undefined ? {} : { status: { state: "in_progress", type, finished: 70 } }),
    };
    const work = await workOf(
      migration,
      { client: {} as Client, bucket: undefined },
      noKeys,
      { allow: [], refuse: [], secrets: false },
      prices,
    );
    expect(work).toMatchObject({ mostBytes, finished: type === undefined ? 0 : 70 });
  },
);
