import { afterAll, beforeAll, expect, test } from "vitest";
import { reset } from "../../../src/engine/run/reset.ts";
import { pair, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers("mysql");
});
afterAll(() => servers?.close());

test("a reset that can drop only some tables says how many it dropped, and goes on once what depends on the rest is gone", async () => {
  const both = await pair(
    servers,
    "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY); CREATE TABLE c (id INT PRIMARY KEY)",
  );
  const { report, copied } = await run(both);
  await copied.finish();
  await both.pg.query("CREATE VIEW theirs AS SELECT id FROM a");
  const { made } = report;
  const again = () =>
    reset(
      { owner: "owner-1", ownerName: "the test", target: both.target, made, madeIn: report.target },
      { signal: new AbortController().signal, log: () => undefined },
    );
  const error: Error & { code?: string } = await again().then(
    () => expect.fail("it was complete"),
    (thrown) => thrown,
  );
  const { rows } = await both.pg.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  const left = rows.filter(({ tablename }) => tablename !== "_rowferry").map(({ tablename }) => tablename);
  expect(error.code).toBe("dependents_exist");
  expect(left).toEqual(["a"]);
  const stayed = Number(/^(\d+) objects? not dropped/.exec(error.message)?.[1]);
  const dropped = Number(/Before that (\d+) objects? of the list (?:was|were) dropped/.exec(error.message)?.[1]);
  expect([stayed > 0, stayed + dropped], error.message).toEqual([true, made.length]);

  await both.pg.query("DROP VIEW theirs");
  expect(await again()).toMatchObject({ left: [] });
});
