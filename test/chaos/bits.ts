import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { copy } from "../../src/engine/index.ts";
import { verify } from "../../src/engine/verify/index.ts";
import { isPostgres, type Place, sql } from "./contents.ts";
import { type Random, random } from "./random.ts";
import { endpoint } from "./scene.ts";

/** Copies a large table, flips one bit of one value in the target, and asks `verify` which row it is. */

export interface Bits {
  found: number;
  failures: string[];
}

const bytes = 16;
const postgresRows = (rows: number): string =>
  `CREATE TABLE big (id integer PRIMARY KEY, name varchar(40) NOT NULL, raw bytea NOT NULL);
   INSERT INTO big SELECT i, 'größe ' || i, decode(md5(i::text), 'hex') FROM generate_series(1, ${rows}) i; ANALYZE big`;

/** Rows that one statement makes in MySQL. */
const step = 100_000;
const numbers = `SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n + 1 AS i FROM digit a, digit b, digit c, digit d, digit e`;

async function mysqlRows(source: Place, rows: number): Promise<void> {
  await sql(
    source,
    `CREATE TABLE digit (n INT PRIMARY KEY); INSERT INTO digit VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
     CREATE TABLE big (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL, raw VARBINARY(${bytes}) NOT NULL) CHARACTER SET utf8mb4`,
  );
  for (let done = 0; done < rows; done += step)
    await sql(
      source,
      `INSERT INTO big SELECT ${done} + i, CONCAT('größe ', ${done} + i), UNHEX(LEFT(SHA2(${done} + i, 256), ${bytes * 2}))
         FROM (${numbers}) some WHERE ${done} + i <= ${rows}`,
    );
  await sql(source, "DROP TABLE digit; ANALYZE TABLE big");
}

const serverArgs = { postgres: ["-c", "max_wal_size=2GB"], mysql: ["--local-infile=1"], mariadb: ["--local-infile=1"] };
type Kind = keyof typeof serverArgs;
const pairs: readonly [from: Kind, to: readonly Kind[]][] = [
  ["postgres", ["postgres", "mariadb"]],
  ["mysql", ["postgres", "mariadb"]],
];

/** The four pairs of engines, one bit each. `rows`: of the table. Failures are in the answer. */
export async function playBits(
  { seed, rows }: { seed: number; rows: number },
  say: (line: string) => void,
): Promise<Bits> {
  process.env["ROWFERRY_PG_BIN"] = await pgTools();
  const bits: Bits = { found: 0, failures: [] };
  let stream = 0;
  for (const [from, targets] of pairs) {
    const servers: Database[] = [];
    const start = async (kind: Kind): Promise<Place> => {
      const server = await startDatabase(kind, { args: serverArgs[kind] });
      servers.push(server);
      return { server, database: "app" };
    };
    try {
      const source = await start(from);
      if (from === "postgres") await sql(source, postgresRows(rows));
      else await mysqlRows(source, rows);
      for (const to of targets) {
        const chance = random(seed, ++stream);
        const name = `one bit in ${rows} rows from ${from} to ${to}, seed ${seed}`;
        try {
          const target = await start(to);
          say(`${name}: found; ${await flipAndFind(source, target, rows, chance)}`);
          bits.found += 1;
          await target.server.stop();
        } catch (error) {
          const words = error instanceof Error ? error.message : String(error);
          bits.failures.push(`${name}: ${words}`);
          say(`FAILED ${name}: ${words}`);
        }
      }
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  }
  return bits;
}

/** Answers in words how long each took. */
async function flipAndFind(source: Place, target: Place, rows: number, chance: Random): Promise<string> {
  const hooks = {
    signal: new AbortController().signal,
    progress: () => undefined,
    measured: () => undefined,
    log: () => undefined,
  };
  let begun = performance.now();
  const seconds = () => {
    const [from, to] = [begun, performance.now()];
    begun = to;
    return `${Math.round((to - from) / 100) / 10} s`;
  };
  const ends = { source: endpoint(source), target: endpoint(target) };
  const request = { owner: "bits", ownerName: "chaos", ...ends, options: { jobs: 2 }, reset: false };
  const copied = await copy(request, hooks);
  await copied.finish();
  const copying = seconds();
  const before = await verify({ ...ends, options: { jobs: 2 } }, hooks);
  const comparing = seconds();
  if (!before.equal) throw new Error(`the copy differs: ${JSON.stringify(before.verification.differences)}`);

  const [id, bit] = [1 + chance.below(rows), chance.below(bytes * 8)];
  const flipped = isPostgres(target)
    ? `set_bit(raw, ${bit}, 1 - get_bit(raw, ${bit}))`
    : `INSERT(raw, ${(bit >> 3) + 1}, 1, CHAR(ORD(SUBSTR(raw, ${(bit >> 3) + 1}, 1)) ^ ${1 << (bit & 7)}))`;
  await sql(target, `UPDATE big SET raw = ${flipped} WHERE id = ${id}`);
  begun = performance.now();
  const after = await verify({ ...ends, options: { jobs: 2 } }, hooks);
  const finding = seconds();
  const keys = after.verification.differences.flatMap((difference) => difference.keys);
  const [only] = keys;
  if (
    after.equal ||
    keys.length !== 1 ||
    only?.key !== JSON.stringify({ id: String(id) }) ||
    only.what !== "different"
  ) {
    throw new Error(`bit ${bit} of row ${id} was flipped, and verify says ${JSON.stringify(after.verification)}`);
  }
  return `copied in ${copying}, compared in ${comparing}, found in ${finding}`;
}
