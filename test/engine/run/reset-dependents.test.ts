import { afterAll, beforeAll, expect, test } from "vitest";
import { reset } from "../../../src/engine/run/reset.ts";
import { pair, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers("mysql");
});
afterAll(() => servers?.close());

test("a reset drops nothing where others' objects need one of the tables, names them, and goes on once they are gone", async () => {
  const both = await pair(
    servers,
    "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY); CREATE TABLE c (id INT PRIMARY KEY)",
  );
  const { report, copied } = await run(both);
  await copied.finish();
  await both.pg.query(
    "CREATE VIEW theirs AS SELECT id FROM a; CREATE TABLE other (id int REFERENCES b); INSERT INTO c VALUES (1)",
  );
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
  expect(left.sort()).toEqual(["a", "b", "c", "other"]);
  expect(error.message).toMatch(/^nothing was dropped from the target/);
  expect(error.message).toMatch(/view "public"\."theirs" needs table "public"\."a"/);
  expect(error.message).toMatch(/constraint other_id_fkey on table "public"\."other" needs table "public"\."b"/);

  await both.pg.query("DROP VIEW theirs; DROP TABLE other");
  expect(await again()).toMatchObject({ left: [] });
});
