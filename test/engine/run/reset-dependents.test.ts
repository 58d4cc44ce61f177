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

test("a reset by a user who owns none of the objects names their owner before it writes anything", async () => {
  const both = await pair(servers, "CREATE TABLE a (id INT PRIMARY KEY); CREATE VIEW v AS SELECT id FROM a");
  const { report, copied } = await run(both);
  await copied.finish();
  await both.pg.query("CREATE ROLE stranger LOGIN PASSWORD 'stranger-pw'");
  const { made } = report;
  const as = (target: typeof both.target) =>
    reset(
      { owner: "owner-1", ownerName: "the test", target, made, madeIn: report.target },
      { signal: new AbortController().signal, log: () => undefined },
    );
  const stranger = { ...both.target, user: "stranger", password: "stranger-pw" };
  await expect(as(stranger)).rejects.toMatchObject({
    code: "permission_denied",
    message:
      'user "stranger" may not drop 2 objects of the run, which belong to "postgres": reset as that user, or GRANT "postgres" TO "stranger"; nothing was dropped',
  });
  // The owner's right to drop is there, and the right to keep a record is not.
  await both.pg.query("ALTER TABLE a OWNER TO stranger; ALTER VIEW v OWNER TO stranger");
  await expect(as(stranger)).rejects.toMatchObject({
    code: "permission_denied",
    message:
      'user "stranger" may not create the table _rowferry in the target, in which a run records what it makes and drops: GRANT CREATE ON SCHEMA public TO "stranger"',
  });
  await both.pg.query("GRANT CREATE ON SCHEMA public TO stranger");
  await expect(as(stranger)).resolves.toMatchObject({ left: [] });
});
