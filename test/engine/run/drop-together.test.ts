import { afterAll, beforeAll, expect, test } from "vitest";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import { assess } from "../../../src/engine/assess/index.ts";
import { run } from "../../support/engine/run.ts";
import { directions, type Kind, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** Tables that options.drop names and that refer to each other go together, or none of them goes. */

let servers: TwoKinds;
beforeAll(async () => {
  process.env.ROWFERRY_PG_BIN = await pgTools();
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

const circle = [
  "CREATE TABLE lines_ (id int PRIMARY KEY, up int)",
  "CREATE TABLE orders (id int PRIMARY KEY, line int)",
  "CREATE TABLE payments (id int PRIMARY KEY, up int, CONSTRAINT paid FOREIGN KEY (up) REFERENCES orders (id))",
  "ALTER TABLE lines_ ADD CONSTRAINT of_order FOREIGN KEY (up) REFERENCES orders (id)",
  "ALTER TABLE orders ADD CONSTRAINT of_line FOREIGN KEY (line) REFERENCES lines_ (id)",
];
const names = ["lines_", "orders", "payments"];
const rowsOf = (source: boolean) => names.map((name) => `INSERT INTO ${name} VALUES (${source ? 1 : 2}, NULL)`);

test.each(directions)(
  "%s to %s: named tables that refer to each other are dropped together or not at all",
  async (from, to) => {
    const source = await servers.make(from, [...circle, ...rowsOf(true)]);
    const target = await servers.make(to, [...circle, ...rowsOf(false)]);
    const options = { jobs: 2, drop: names };
    const both = { source: source.endpoint, target: target.endpoint };
    const find = async () => {
      const hooks = { signal: new AbortController().signal, log: () => undefined };
      const { ready, findings } = await assess({ ...both, options }, hooks);
      return { ready, codes: findings.filter(({ severity }) => severity === "blocker").map(({ code }) => code) };
    };
    // An object that nobody named needs one of them.
    await servers.run(
      target,
      "CREATE TABLE theirs (id int PRIMARY KEY, up int, CONSTRAINT their_key FOREIGN KEY (up) REFERENCES payments (id))",
    );
    const before = await servers.tables(target);
    expect(await find()).toEqual({ ready: false, codes: ["dependents_exist"] });
    await expect(run(both, { options })).rejects.toMatchObject({
      code: "dependents_exist",
      message: expect.stringContaining("theirs"),
    });
    expect(await servers.tables(target)).toBe(before);
    for (const name of names) await servers.run(target, `INSERT INTO ${name} VALUES (3, NULL)`);
    // Without it they go, whatever they are to each other.
    await servers.run(target, "DROP TABLE theirs");
    expect(await find()).toEqual({ ready: true, codes: [] });
    const { report, copied } = await run(both, { options });
    await copied.finish();
    expect(report.tables.map(({ rows }) => rows.target)).toEqual([1, 1, 1]);
    expect(report.inventory.filter(({ outcome }) => outcome === "reported" || outcome === "not_applicable")).toEqual(
      [],
    );
  },
);

test("into PostgreSQL views and sequences of named names go too, in an order that the server allows", async () => {
  const source = await servers.make("mariadb", [
    "CREATE TABLE a (id int)",
    "CREATE TABLE b (id int)",
    "CREATE TABLE c (id int)",
    "CREATE TABLE d (id int)",
  ]);
  const target = await servers.make("postgres" satisfies Kind, [
    "CREATE SEQUENCE a",
    "CREATE TABLE b (id int DEFAULT nextval('a'))",
    "CREATE MATERIALIZED VIEW c AS SELECT * FROM b",
    "CREATE VIEW d AS SELECT * FROM c",
  ]);
  const both = { source: source.endpoint, target: target.endpoint };
  const { report, copied } = await run(both, { options: { jobs: 2, drop: ["a", "b", "c", "d"] } });
  await copied.finish();
  expect(report.tables.map(({ target: name }) => name).sort()).toEqual([
    "public.a",
    "public.b",
    "public.c",
    "public.d",
  ]);
});
