import type mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import type { Endpoint } from "../../../src/engine/contract/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { chosenSeed } from "../../seed.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";
import { seeded } from "../translate/support.ts";

/** Floating-point numbers, whose text a server may round: each arrives with all its bits, and one bit more is found. */

type Engine = "mysql" | "mariadb" | "mariadb-11" | "postgres";

const seed = chosenSeed();

const known = [
  // Their shortest text has more than 22 characters, to which MySQL rounds what it computes.
  -1.3877787807814457e-17,
  -1.2345678901234568e-15,
  2.2250738585072014e-308,
  1.2345678901234567e-105,
  -1.7976931348623157e308,
  1.7976931348623157e308,
  -2.2250738585072014e-308,
  -1.2345678901234567e-105,
  5e-324,
  -5e-324,
  2.225073858507201e-308,
  0,
  -0,
  1,
  -1,
  1 / 3,
  -1 / 3,
  1e15,
  1e16,
  1e17,
  1e21,
  1e22,
  1e23,
  -12345678901234568,
  9007199254740992,
  0.1,
  1e-4,
  1e-5,
  1e-6,
  1e-7,
  123456.7890625,
  16777217,
  100,
  1e100,
];

function numbers(count: number): number[] {
  const random = seeded(seed);
  const bytes = Buffer.alloc(8);
  const drawn = Array.from({ length: count }, (_, at) => {
    if (at % 3 === 0) return (random() - 0.5) * 10 ** (random() * 40 - 20);
    // Any bits; every third one has an exponent of zero.
    bytes.writeUInt32LE(Math.floor(random() * 2 ** 32), 0);
    bytes.writeUInt32LE(Math.floor(random() * 2 ** 32), 4);
    if (at % 3 === 1) bytes.writeUInt16LE(bytes.readUInt16LE(6) & 0x800f, 6);
    const value = bytes.readDoubleLE();
    return Number.isFinite(value) ? value : 0;
  });
  return [...known, ...drawn];
}

/** Beyond a FLOAT there is nothing to compare: its greatest. */
const single = (value: number): number => {
  const rounded = Math.fround(value);
  return Number.isFinite(rounded) ? rounded : 3.4028234663852886e38;
};

const rows = numbers(3000).map((value): [double: number, float: number] => [value, single(value)]);

const bits = (value: number): string => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString("hex");
};

/** The next double away from zero. */
const next = (value: number): number => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  bytes.writeBigUInt64BE(bytes.readBigUInt64BE() + 1n);
  return bytes.readDoubleBE();
};

interface Side {
  endpoint: Endpoint;
  /** It makes 0 of −0.0, as some versions of MariaDB do. */
  isUnsigned: boolean;
  fill(): Promise<void>;
  /** Bits of d and of f as a double, by id; a DOUBLE has a real's own text, which says as much. */
  read(): Promise<[string, string][]>;
  change(id: number, value: number): Promise<void>;
  close(): Promise<void>;
}

const servers = new Map<Engine, Database>();
beforeAll(async () => {
  const kinds: Engine[] = ["mysql", "mariadb", "mariadb-11", "postgres"];
  await Promise.all(
    kinds.map(async (kind) =>
      servers.set(kind, await borrowDatabase(kind, { args: kind === "postgres" ? [] : ["--local-infile=1"] })),
    ),
  );
});
afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.stop()));
});

let made = 0;

const side = async (engine: Engine): Promise<Side> => {
  const server = servers.get(engine) as Database;
  const name = `d${++made}`;
  return engine === "postgres" ? inPostgres(server, name) : inMysql(server, name);
};

/** By prepared statements, which send a double's eight bytes. */
async function inMysql(server: Database, name: string): Promise<Side> {
  const client = await mysqlAs(server.adminUrl);
  await client.query(`CREATE DATABASE ${name}; USE ${name}`);
  const [[zero]] = await client.query<mysql.RowDataPacket[]>("SELECT CONCAT('-0' * 1e0) AS text");
  return {
    endpoint: endpoint(server.urlOf(name, "admin"), "mysql"),
    isUnsigned: zero?.text === "0",
    async fill() {
      await client.query("CREATE TABLE t (id int PRIMARY KEY, d double, f float)");
      for (let at = 0; at < rows.length; at += 500) {
        const some = rows.slice(at, at + 500);
        const values = some.flatMap((row, index) => [at + index, ...row]);
        await client.execute(`INSERT INTO t VALUES ${some.map(() => "(?, ?, ?)").join(", ")}`, values);
      }
    },
    async read() {
      const [found] = await client.execute<mysql.RowDataPacket[]>("SELECT d, f FROM t ORDER BY id");
      return found.map(({ d, f }) => [bits(d), bits(Math.fround(f))]);
    },
    async change(id, value) {
      await client.execute("UPDATE t SET d = ? WHERE id = ?", [value, id]);
    },
    close: () => client.end(),
  };
}

/** The bytes that the server itself holds. */
async function inPostgres(server: Database, name: string): Promise<Side> {
  const admin = new pg.Client(server.adminUrl);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const client = new pg.Client(server.urlOf(name, "admin"));
  await client.connect();
  const written = (value: number) => (Object.is(value, -0) ? "-0" : String(value));
  return {
    isUnsigned: false,
    endpoint: endpoint(server.urlOf(name, "admin"), "postgres"),
    async fill() {
      await client.query("CREATE TABLE t (id int PRIMARY KEY, d float8, f float4)");
      await client.query(
        "INSERT INTO t SELECT n - 1, d, f FROM unnest($1::float8[], $2::float4[]) WITH ORDINALITY AS u (d, f, n)",
        [rows.map(([d]) => written(d)), rows.map(([, f]) => written(f))],
      );
    },
    async read() {
      const { rows: found } = await client.query(
        "SELECT encode(float8send(d), 'hex') AS d, encode(float8send(f), 'hex') AS f FROM public.t ORDER BY id",
      );
      return found.map(({ d, f }) => [d, f]);
    },
    async change(id, value) {
      await client.query("UPDATE public.t SET d = $1 WHERE id = $2", [written(value), id]);
    },
    close: () => client.end(),
  };
}

const directions: [Engine, Engine][] = [
  ["mysql", "postgres"],
  ["mariadb", "postgres"],
  ["postgres", "mysql"],
  ["postgres", "mariadb"],
  ["mysql", "mysql"],
  ["mysql", "mariadb"],
  ["mariadb", "mysql"],
  ["mysql", "mariadb-11"],
  ["mariadb-11", "postgres"],
];

describe.each(directions)(`from %s to %s, of seed ${seed}`, (from, to) => {
  test("every number arrives with all its bits, is found equal, and found different by its last bit", async () => {
    const [source, target] = [await side(from), await side(to)];
    const isUnsigned = source.isUnsigned || target.isUnsigned;
    try {
      await source.fill();
      const both = { source: source.endpoint, target: target.endpoint };
      const { copied, report } = await run(both, {
        options: { jobs: 2, verify: "checksum" },
      });
      await copied.finish();
      expect(report.verification?.differences).toEqual([]);
      const alike = ([d, f]: [string, string]) => [d, f].map((one) => (one === bits(-0) ? bits(0) : one));
      expect([from, to].every((engine) => engine === "mysql" || engine === "postgres") && isUnsigned).toBe(false);
      const [before, after] = [await source.read(), await target.read()];
      expect(before).toHaveLength(rows.length);
      expect(isUnsigned ? after.map(alike) : after).toEqual(isUnsigned ? before.map(alike) : before);

      const changed = [0, 1, 2, 3, 6, 8, 15, 16, 25, 1000, 2001];
      for (const id of changed) await target.change(id, next(rows[id]?.[0] ?? 0));
      const { verification } = await verify(
        { ...both, options: { jobs: 2 } },
        { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
      );
      const found = verification.differences.flatMap(({ keys }) => keys);
      expect(found.map(({ key }) => Number(/\d+/.exec(key)?.[0])).sort((a, b) => a - b)).toEqual(changed);
    } finally {
      await Promise.all([source.close(), target.close()]);
    }
  });
});
