import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../support/engine/run.ts";
import { directions, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** Rows alone: what the target's checks refuse is counted before a row is written. */

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

const first = "CREATE TABLE first (id int PRIMARY KEY)";
const columns = "id int PRIMARY KEY, n int, m int, held int, CONSTRAINT kept CHECK (held < 5)";

test.each(directions)("%s to %s: checks of the target that rows break", async (from, to) => {
  const [source, target] = [
    await servers.make(from, [
      first,
      "INSERT INTO first VALUES (1)",
      `CREATE TABLE t (${columns})`,
      "INSERT INTO t VALUES (1, 1, 2, 3), (2, -1, 5, 4), (3, 0, 0, NULL), (4, NULL, 1, 1), (5, 7, 6, 0)",
    ]),
    await servers.make(to, [
      first,
      `CREATE TABLE t (${columns}, CONSTRAINT positive CHECK (n > 0), CONSTRAINT rising CHECK (n <= m), CONSTRAINT listed CHECK (m IN (0, 1, 2, 5, 6)))`,
    ]),
  ];
  const both = { source: source.endpoint, target: target.endpoint };
  const options = { jobs: 2, content: "data" as const };
  const failed = await run(both, { options }).then(
    () => new Error("it was copied"),
    (error: Error) => error,
  );
  expect(failed).toMatchObject({ code: "data_refused", retryable: false });
  expect(failed.message).toMatch(/^nothing was written: /);
  const merged = from === "mariadb" && to === "postgres";
  expect(failed.message).toMatch(
    merged
      ? /t, column n [^;]*: 3 values do not fit \(the target's check positive refuses them; the target's check rising refuses them\)/
      : /t, column n [^;]*: 2 values do not fit \(the target's check positive refuses them\)/,
  );
  if (!merged)
    expect(failed.message).toMatch(
      /t, column [nm] [^;]*: 1 value does not fit \(the target's check rising refuses them\)/,
    );
  expect(failed.message).not.toMatch(/listed|kept/);
  await servers.run(target, "INSERT INTO first VALUES (1)");
  await servers.run(target, "DELETE FROM first");
  await servers.run(source, "DELETE FROM t WHERE id IN (2, 3, 5)");
  await (await run(both, { options })).copied.finish();
});

test("a check that the source cannot be asked for ends the copy by its name, and another attempt is not offered", async () => {
  const table = (more: string) => `CREATE TABLE t (id int PRIMARY KEY, n int${more})`;
  const [source, target] = [
    await servers.make("postgres", [table(""), "INSERT INTO t VALUES (1, -1)"]),
    await servers.make("postgres", [table(", CONSTRAINT odd CHECK (to_hex(n) <> 'ffffffff')")]),
  ];
  const both = { source: source.endpoint, target: target.endpoint };
  await expect(run(both, { options: { jobs: 2, content: "data" } })).rejects.toMatchObject({
    code: "data_refused",
    retryable: false,
    message: expect.stringMatching(/^table public\.t: .*"odd"/),
  });
});
