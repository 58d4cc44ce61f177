import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, startDatabase } from "../../../dev/databases/index.ts";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import { type Place, sql } from "../../chaos/contents.ts";
import { openProxy } from "../../chaos/proxy.ts";
import { random } from "../../chaos/random.ts";
import { endpoint } from "../../chaos/scene.ts";
import { run } from "../../support/engine/run.ts";

/** All connections to one database are cut at once, in each run a little later than before. */

const servers: Partial<Record<"postgres" | "mysql", Database>> = {};
beforeAll(async () => {
  process.env["ROWFERRY_PG_BIN"] = await pgTools();
  const started = Promise.all([startDatabase("postgres"), startDatabase("mariadb", { args: ["--local-infile=1"] })]);
  [servers.postgres, servers.mysql] = await started;
});
afterAll(() => Promise.all([servers.postgres?.stop(), servers.mysql?.stop()]));

const tables = ["customer", "orders"];
const shop = `CREATE TABLE customer (id int PRIMARY KEY, name varchar(40) NOT NULL, CHECK (id > 0));
  CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL, amount decimal(9,2), FOREIGN KEY (customer) REFERENCES customer (id));
  CREATE INDEX orders_amount ON orders (amount);
  CREATE VIEW large AS SELECT id, amount FROM orders WHERE amount > 5;
  INSERT INTO customer VALUES (1, 'Ada'), (2, 'Bob');
  INSERT INTO orders VALUES (1, 1, 9.99), (2, 1, 1.50), (3, 2, 7)`;

let made = 0;
async function database(engine: "postgres" | "mysql", text = "SELECT 1"): Promise<Place> {
  const server = servers[engine];
  if (server === undefined) throw new Error(`no ${engine}`);
  const name = `cut${++made}`;
  await sql({ server, database: "app" }, `CREATE DATABASE ${name}`);
  const place = { server, database: name };
  await sql(place, text);
  return place;
}
const counts = async (place: Place) =>
  Promise.all(tables.map(async (name) => (await sql(place, `SELECT count(*) FROM ${name}`))[0]?.[0]));

const seed = Date.now() % 2 ** 31;
const engines = ["postgres", "mysql"] as const;
const directions = engines.flatMap((from) =>
  engines.flatMap((to) => (["source", "target"] as const).map((side) => ({ from, to, side }))),
);

test.each(directions.map((direction, stream) => ({ ...direction, stream })))(
  `from $from to $to: a $side that is cut at any moment is a lost connection, and a retry copies everything (seed ${seed})`,
  async ({ from, to, side, stream }) => {
    const chance = random(seed, stream);
    const source = await database(from, shop);
    let struck = 0;
    for (let at = 1 + chance.below(3); ; at = Math.ceil(at * (1.8 + chance.next()))) {
      const target = await database(to);
      const ends = { source: endpoint(source), target: endpoint(target) };
      let answers = 0;
      const wire = await openProxy(ends[side].port, {
        answered: () => {
          answers += 1;
          if (answers === at) wire.cut();
        },
      });
      const through = { ...ends, [side]: { ...ends[side], port: wire.port } };
      const failure = await run(through).then(
        () => undefined,
        (error: unknown) => error,
      );
      await wire.close();
      if (failure !== undefined) {
        struck += 1;
        expect(
          failure,
          `cut at answer ${at} of the ${side}: ${failure instanceof Error ? failure.stack : failure}`,
        ).toMatchObject({
          code: "connection_lost",
          retryable: true,
        });
      }
      const { copied } = await run(ends);
      await copied.finish();
      expect(await counts(target), `cut at answer ${at} of the ${side}`).toEqual(["2", "3"]);
      if (answers < at) break;
    }
    expect(struck).toBeGreaterThanOrEqual(3);
  },
);
