import { execFile } from "node:child_process";
import { cp, readlink, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, startDatabase } from "../../../dev/databases/index.ts";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import { assess } from "../../../src/engine/assess/index.ts";
import type { CopyOptions, Endpoint } from "../../../src/engine/contract/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";
import { sql } from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";

/** Numbers into columns of money, where lc_monetary has a decimal comma: the point of 1.25 would be one between thousands. */

let server: Database;
let maria: Database;
beforeAll(async () => {
  process.env.ROWFERRY_PG_BIN = await pgTools();
  [server, maria] = await Promise.all([
    startDatabase("postgres"),
    borrowDatabase("mariadb", { args: ["--local-infile=1"] }),
  ]);
  await addCommaLocale(server.pid);
});
afterAll(async () => {
  await server?.stop();
  await maria?.stop();
});

/** As glibc's localedef writes LC_MONETARY for de_DE.UTF-8: the offsets of its items, and the items. */
function commaLocale(): Buffer {
  const text = (value: string) => Buffer.from(`${value}\0`);
  const bytes = (...values: number[]) => values.map((value) => Buffer.of(value));
  const words = (...values: number[]) => Buffer.from(new Uint32Array(values).buffer);
  const items = [
    ...["EUR ", "€", ",", ".", "\x03\x03", "", "-"].map(text),
    ...bytes(2, 2, 0, 1, 0, 1, 1, 1),
    text("+€"),
    ...bytes(0, 1, 0, 1, 1, 1),
    ...["EUR ", "€"].map(text),
    ...bytes(2, 2, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1),
  ];
  const start = 8 + 46 * 4;
  const pad = Buffer.alloc(3 - ((start + Buffer.concat(items).length - 1) % 4));
  items[items.length - 1] = Buffer.concat([items.at(-1) as Buffer, pad]);
  items.push(
    ...[10101, 99991231, 10101, 99991231].map((day) => words(day)),
    words(1, 1),
    words(0x2c),
    words(0x2e),
    text("UTF-8"),
  );
  let at = start;
  const offsets = items.map((item) => {
    at += item.length;
    return at - item.length;
  });
  return Buffer.concat([words(0x20031111, items.length, ...offsets), ...items]);
}

/** In the server's own view of its root alone. */
async function addCommaLocale(pid: number): Promise<void> {
  const root = await readlink(`/proc/${pid}/root`);
  const mount = ["mount", "-t", "tmpfs", "tmpfs", `${root}/usr/lib/locale`];
  await promisify(execFile)("nsenter", ["-t", String(pid), "-m", ...mount]);
  // The mount hides the root's own locales from the server, not from this process.
  const inside = `/proc/${pid}/root/usr/lib/locale`;
  for (const name of ["C.utf8", "de_DE.utf8"])
    await cp(`${root}/usr/lib/locale/C.utf8`, `${inside}/${name}`, { recursive: true });
  await writeFile(`${inside}/de_DE.utf8/LC_MONETARY`, commaLocale());
}

let made = 0;

async function database(
  locale: string,
  schema: string,
): Promise<{ where: { server: Database; database: string }; at: Endpoint }> {
  const where = { server, database: `money_${++made}` };
  await sql({ server, database: "postgres" }, `CREATE DATABASE ${where.database} TEMPLATE template0`);
  await sql({ server, database: "postgres" }, `ALTER DATABASE ${where.database} SET lc_monetary = '${locale}'`);
  if (schema !== "") await sql(where, schema);
  return { where, at: endpoint(server.urlOf(where.database, "admin"), "postgres") };
}

const rows = "CREATE TABLE t (id int PRIMARY KEY, v decimal(12,2)); INSERT INTO t VALUES (1, 1234.56), (2, -0.05)";

async function fromMaria(): Promise<Endpoint> {
  const admin = await mysqlAs(maria.adminUrl);
  const name = `money_${++made}`;
  await admin.query(`CREATE DATABASE ${name}; USE ${name}; ${rows}`);
  await admin.end();
  return endpoint(maria.urlOf(name, "admin"), "mysql");
}

const cases: [string, () => Promise<Endpoint>, Partial<CopyOptions>, string][] = [
  ["MySQL, named in options.types", fromMaria, { types: { "t.v": "money" } }, ""],
  ["MySQL, rows alone", fromMaria, { content: "data" }, "CREATE TABLE public.t (id int, v money)"],
  [
    "PostgreSQL, rows alone",
    async () => (await database("C", rows)).at,
    { content: "data" },
    "CREATE TABLE public.t (id int, v money)",
  ],
];

test.each(cases)(
  "from %s: refused by name before a row is written, and copied where 1.25 is read as it is",
  async (_, open, more, schema) => {
    const source = await open();
    const options = { jobs: 2, ...more };
    const { where, at } = await database("de_DE.utf8", schema);
    expect(await sql(where, "SELECT 1234.56::numeric::money::text AS text")).toEqual([{ text: "1.234,56 €" }]);
    const refused = {
      code: "schema_differs",
      message: expect.stringMatching(/t\.v: the target database \(lc_monetary de_DE\.utf8\) reads/),
    };
    await expect(run({ source, target: at }, { options })).rejects.toMatchObject(refused);
    expect(await sql(where, "SELECT FROM pg_class WHERE relname = '_rowferry'")).toEqual([]);
    const hooks = { signal: new AbortController().signal, log: () => undefined };
    const { findings } = await assess({ source, target: at, options }, hooks);
    expect(findings).toContainEqual(
      expect.objectContaining({ severity: "blocker", reason: expect.stringContaining("1234567.25") }),
    );
    await sql(where, `ALTER DATABASE ${where.database} SET lc_monetary = 'C'`);
    const { copied } = await run({ source, target: at }, { options: { ...options, verify: "checksum" } });
    await copied.finish();
    expect(await sql(where, "SELECT v::numeric::text AS v FROM public.t ORDER BY id")).toEqual([
      { v: "1234.56" },
      { v: "-0.05" },
    ]);
  },
);
