import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { pgTools } from "../../dev/databases/pg-tools.ts";
import { copy } from "../../src/engine/index.ts";
import { verify } from "../../src/engine/verify.ts";
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

/** PostgreSQL to PostgreSQL and to MySQL, one bit each. `rows`: of the table. Failures are in the answer. */
export async function playBits(
  { seed, rows }: { seed: number; rows: number },
  say: (line: string) => void,
): Promise<Bits> {
  process.env["ROWFERRY_PG_BIN"] = await pgTools();
  const servers: Database[] = [];
  const bits: Bits = { found: 0, failures: [] };
  try {
    const start = async (kind: "postgres" | "mariadb", args: readonly string[]): Promise<Place> => {
      const server = await startDatabase(kind, { args });
      servers.push(server);
      return { server, database: "app" };
    };
    const source = await start("postgres", ["-c", "max_wal_size=2GB"]);
    await sql(source, postgresRows(rows));
    for (const kind of ["postgres", "mariadb"] as const) {
      const chance = random(seed, kind === "postgres" ? 1 : 2);
      const name = `one bit in ${rows} rows from postgres to ${kind}, seed ${seed}`;
      try {
        const target = await start(kind, kind === "postgres" ? ["-c", "max_wal_size=2GB"] : ["--local-infile=1"]);
        const begun = performance.now();
        await flipAndFind(source, target, rows, chance);
        bits.found += 1;
        say(`${name}: found, ${Math.round((performance.now() - begun) / 1000)} s`);
        await target.server.stop();
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error);
        bits.failures.push(`${name}: ${words}`);
        say(`FAILED ${name}: ${words}`);
      }
    }
    return bits;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function flipAndFind(source: Place, target: Place, rows: number, chance: Random): Promise<void> {
  const hooks = {
    signal: new AbortController().signal,
    progress: () => undefined,
    measured: () => undefined,
    log: () => undefined,
  };
  const ends = { source: endpoint(source), target: endpoint(target) };
  const request = { owner: "bits", ownerName: "chaos", ...ends, options: { jobs: 2 }, reset: false };
  const copied = await copy(request, hooks);
  await copied.finish();
  const before = await verify({ ...ends, options: { jobs: 2 } }, hooks);
  if (!before.equal) throw new Error(`the copy differs: ${JSON.stringify(before.verification.differences)}`);

  const [id, bit] = [1 + chance.below(rows), chance.below(bytes * 8)];
  const flipped = isPostgres(target)
    ? `set_bit(raw, ${bit}, 1 - get_bit(raw, ${bit}))`
    : `INSERT(raw, ${(bit >> 3) + 1}, 1, CHAR(ORD(SUBSTR(raw, ${(bit >> 3) + 1}, 1)) ^ ${1 << (bit & 7)}))`;
  await sql(target, `UPDATE big SET raw = ${flipped} WHERE id = ${id}`);
  const after = await verify({ ...ends, options: { jobs: 2 } }, hooks);
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
}
