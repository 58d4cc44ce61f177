import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { kinds, type Pod } from "../../src/resources/objects.ts";
import { exitCodes } from "../../src/worker/protocol.ts";
import { connect } from "../databases/connect.ts";
import { call, failedOutcome, podEnds, podRuns, report, tokenOfPod, untilPod } from "../operator/kubelet.ts";
import { entry, startWorker } from "../worker/process.ts";
import { type BillingPlace, borrowPlace, type Person } from "./place.ts";

/** A source that grew after its quote, with real workers and the operator's endpoint. */

let place: BillingPlace;
let tools: string;
let count = 0;

beforeAll(async () => {
  tools = await pgTools();
  // One unit for each MB, so that a small source has a price of its own.
  const prices = { ROWFERRY_PRICES: '{"minimum":5,"steps":[{"transfer":1000,"conversion":1000}]}' };
  place = await borrowPlace({ operator: { ROWFERRY_HOLD_GRACE_HOURS: "24", ...prices }, api: prices });
  await onSource("CREATE TABLE item (id INT PRIMARY KEY, text TEXT)");
  await grow(1000);
});
afterAll(() => place?.stop());

async function onSource(sql: string): Promise<void> {
  const session = await connect("postgres", place.source.url);
  await session.query(sql);
  await session.end();
}

const grow = (rows: number) =>
  onSource(
    `INSERT INTO item SELECT n, repeat(md5(n::text), 30) FROM generate_series((SELECT count(*) FROM item) + 1, (SELECT count(*) FROM item) + ${rows}) AS n`,
  );

async function newTarget(): Promise<string> {
  count += 1;
  const admin = await connect("postgres", place.source.adminUrl);
  await admin.query(`CREATE DATABASE over${count} OWNER app`);
  await admin.end();
  return place.source.urlOf(`over${count}`);
}

async function tablesOf(url: string): Promise<string[]> {
  const session = await connect("postgres", url);
  const rows = await session.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  await session.end();
  return rows.map(([name]) => String(name));
}

async function podOf(person: Person, id: string): Promise<{ pod: Pod; token: string }> {
  const migration = await place.stored(person, id);
  if (migration === undefined) throw new Error(`${id} is gone`);
  const pod = await untilPod(place.installation.plane, migration, 1);
  return { pod, token: await tokenOfPod(place.installation.plane, pod) };
}

/** A worker as in its pod, which asks the real operator. */
async function runWorker(person: Person, id: string) {
  const { plane, operator } = place.installation;
  const { pod, token } = await podOf(person, id);
  await podRuns(plane, pod);
  await place.untilStatus(person, id, "in_progress");
  const published = await plane.admin.client.get(kinds.configMaps, "rowferry-system", "rowferry-public-keys");
  const tokenFile = join(plane.folder, `token-${id}`);
  writeFileSync(tokenFile, token);
  const at = { url: operator.endpoint, ca: published?.data?.["ca.crt"] ?? "", tokenFile };
  const worker = startWorker(entry, at, { ROWFERRY_PG_BIN: tools });
  const { code } = await worker.ended;
  await podEnds(plane, pod, code ?? 1);
  return { code, output: worker.output() };
}

async function paid(): Promise<{ person: Person; id: string; target: string; amount: number }> {
  const person = await place.paying();
  const target = await newTarget();
  const made = await place.create(person, { body: { source_url: place.source.url, target_url: target } });
  expect(made, made.text).toMatchObject({ status: 201, body: { amount: expect.any(Number) } });
  return { person, id: made.body.migration.id, target, amount: made.body.amount };
}

test("a source that has not changed is copied and captured", async () => {
  const { person, id, target, amount } = await paid();
  await place.authorize(person, id);
  const { code, output } = await runWorker(person, id);
  expect(code, output).toBe(exitCodes.completed);
  await place.untilPaid(person, id, "captured");
  await place.untilShown(person, id, { status: "completed", cost: amount });
  expect(await tablesOf(target)).toEqual(["item"]);
});

test("a source that grew by more than 10 % fails before the first write, with a new price, and the hold is released", async () => {
  const { person, id, target } = await paid();
  await grow(4000);
  await place.authorize(person, id);
  const { code, output } = await runWorker(person, id);
  expect(code, output).toBe(exitCodes.failed);
  await place.untilStatus(person, id, "failed");
  const { error, logs } = await place.show(person, id);
  expect(error.code).toBe("source_over_quote");
  expect(error.message).toMatch(
    /^The source now has [\d.]+ MB \([\d,]+ bytes\)\. Its price was quoted for [\d.]+ MB \([\d,]+ bytes\), and covers up to [\d.]+ MB \([\d,]+ bytes\)\. Nothing was written and nothing is charged\. The price for this size is 1\d\.\d\d USD:/,
  );
  expect(logs.map(({ message }: { message: string }) => message)).toContain(error.message);
  expect(await tablesOf(target)).toEqual([]);
  await place.untilPaid(person, id, "released");
  expect(await place.act(person, id, "retry")).toMatchObject({ status: 409, body: { code: "state_conflict" } });
});

test("a free migration of 1 GB or more fails, with the price that it would have", async () => {
  const person = await place.signUp();
  const made = await place.create(person);
  expect(made.body).toMatchObject({ free: true });
  const { id } = made.body.migration;
  await place.untilStatus(person, id, "pending");
  const { plane, operator } = place.installation;
  const { token } = await podOf(person, id);
  const work = await call(plane, operator.endpoint, "/work", token, {});
  expect(work).toMatchObject({ status: 200, body: { mostBytes: 999_999_999 } });
  const outcome = failedOutcome("source_too_large", "the source has too many bytes");
  const measured = { ...outcome, report: { ...report(0, "schema"), type: "conversion", size: 6_000_000_000 } };
  expect((await call(plane, operator.endpoint, "/result", token, measured)).status).toBe(200);
  await place.untilStatus(person, id, "failed");
  const { error } = await place.show(person, id);
  expect(error.code).toBe("source_over_free_limit");
  expect(error.message).toContain("Your free first migration covers a source under 1.0 GB (1,000,000,000 bytes).");
  expect(error.message).toContain("The price for this size is 6000.00 USD");
});
