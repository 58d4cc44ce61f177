import { expect, test } from "vitest";
import { EngineError, type Verification } from "../contract/index.ts";
import { verifiedEqual } from "./verified-tables.ts";

const compared = (more: Partial<Verification> = {}): Verification => ({
  level: "checksum",
  rows: 10,
  tables: 2,
  differences: [],
  uncompared: [],
  ...more,
});
const provenBy = async (verification: Verification) => [
  ...(await verifiedEqual(["d.a", "d.ab"], async () => verification)),
];

test("tables without a difference are proven equal", async () => {
  expect(await provenBy(compared())).toEqual(["d.a", "d.ab"]);
});

test("a table whose rows differ is not proven", async () => {
  const difference = { source: "d.a", target: "public.a", rows: { source: 5, target: 5 }, keys: [] };
  expect(await provenBy(compared({ differences: [difference] }))).toEqual(["d.ab"]);
});

test("a table of which a column could not be compared is not proven", async () => {
  expect(await provenBy(compared({ uncompared: ["d.a.place: no type of its own"] }))).toEqual(["d.ab"]);
});

test("tables that cannot be compared any more are copied again, and a lost connection is an error", async () => {
  const failing = (retryable: boolean) => async (): Promise<Verification> => {
    throw new EngineError("database_error", "the table is gone", { retryable });
  };
  const gone = await verifiedEqual(["d.a"], failing(false)).catch(() => "an error");
  expect(gone).toEqual(new Set());
  await expect(verifiedEqual(["d.a"], failing(true))).rejects.toMatchObject({ code: "database_error" });
});

test("nothing is compared where nothing was finished", async () => {
  const compare = () => Promise.reject(new Error("compared"));
  expect(await verifiedEqual([], compare)).toEqual(new Set());
});
