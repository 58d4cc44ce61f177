import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chosenSeed } from "../../seed.ts";
import { type Flavour, type Pair, pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/**
 * The same rows by both ways from MySQL to PostgreSQL: in binary, and as text where the server has no room for a prepared
 * statement.
 */

const seed = chosenSeed();
let state = seed >>> 0;
const below = (most: number): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * most);
};
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
const two = (value: number, width = 2) => String(value).padStart(width, "0");
const digits = (length: number) => Array.from({ length }, () => below(10)).join("");
const hex = (most: number) =>
  `x'${Array.from({ length: below(most) }, () => two(below(256).toString(16) as never)).join("")}'`;

const integer = (bits: number, unsigned = false) => {
  const least = unsigned ? 0n : -(2n ** BigInt(bits - 1));
  const most = least + 2n ** BigInt(bits) - 1n;
  return () => {
    const any = BigInt.asUintN(bits, BigInt(below(2 ** 31)) * 0x9e3779b97f4a7c15n) + least;
    return String(pick([least, most, 0n, 1n, least + 1n, most - 1n, most / 2n, any, any, any]));
  };
};
const double = () =>
  pick([
    "0",
    "-0e0",
    "0.1",
    "5e-324",
    "2.2250738585072014e-308",
    "1.7976931348623157e308",
    `${pick(["", "-"])}${1 + below(9)}.${digits(16)}e${pick(["", "-"])}${below(307)}`,
    `${digits(9)}.${digits(4)}`,
  ]);
const float = () =>
  pick(["0", "-0e0", "16777216", "0.1", "1e-45", "-3.4028234e38", `${1 + below(9)}.${digits(7)}e${below(30)}`]);
const decimal = (whole: number, scale: number) => () =>
  `${pick(["", "-"])}${digits(1 + below(whole))}${scale > 0 ? `.${digits(1 + below(scale))}` : ""}`;
const date = () =>
  pick([
    "0000-00-00",
    "0000-01-01",
    "2004-00-12",
    "2004-12-00",
    "2023-02-29",
    "1900-02-29",
    "2024-04-31",
    "0001-01-01",
    "9999-12-31",
    "2000-02-29",
    "1999-12-31",
    ...Array.from({ length: 12 }, () => `${two(1 + below(9999), 4)}-${two(1 + below(12))}-${two(1 + below(28))}`),
  ]);
const clock = (most: number) => `${two(below(most))}:${two(below(60))}:${two(below(60))}${pick(["", `.${digits(6)}`])}`;
const moment = () => `'${date()} ${pick(["00:00:00", "23:59:59.999999", "02:30:00", clock(24)])}'`;
const stamp = () =>
  pick([
    "0",
    "'1970-01-01 00:00:01'",
    "'2038-01-19 03:14:07.999999'",
    `'2024-03-31 ${clock(24)}'`,
    `'20${digits(1)}1-10-27 ${clock(24)}'`,
  ]);
const text = () =>
  `'${pick(["", "\\\\N", "\\\\.", "tab\\tline\\nend\\r", "nul\\0in\\0side", "é漢😀𝒳", "trail  ", "\\\\\\\\", "''", digits(below(250))])}'`;

const columns: [name: string, type: string, value: () => string][] = [
  ["tiny", "tinyint", integer(8)],
  ["tiny_u", "tinyint unsigned", integer(8, true)],
  ["small", "smallint", integer(16)],
  ["small_u", "smallint unsigned zerofill", integer(16, true)],
  ["medium", "mediumint", integer(24)],
  ["medium_u", "mediumint unsigned", integer(24, true)],
  ["int_s", "int", integer(32)],
  ["int_u", "int unsigned", integer(32, true)],
  ["big", "bigint", integer(64)],
  ["big_fits", "bigint unsigned", integer(63, true)],
  ["big_u", "bigint unsigned", integer(64, true)],
  ["flag", "tinyint(1)", () => String(below(2))],
  ["flag_not", "tinyint(1)", () => String(below(4) - 1)],
  ["dec_int", "decimal(10)", decimal(10, 0)],
  ["dec_most", "decimal(65,30)", decimal(35, 30)],
  ["dec_only", "decimal(5,5)", decimal(1, 5)],
  ["dec_zero", "decimal(12,3) zerofill", () => decimal(9, 3)().replace("-", "")],
  ["float_s", "float", float],
  ["float_d", "float(9,3)", () => `${digits(5)}.${digits(4)}`],
  ["double_s", "double", double],
  ["double_d", "double(14,4)", () => `${digits(9)}.${digits(5)}`],
  ["year_s", "year", () => pick(["0", "1901", "2155", `19${two(1 + below(99))}`])],
  ["char_s", "char(40)", () => pick(["'a '", "' b'", "''", "'\\0c'", "'漢字'"])],
  ["varchar_s", "varchar(300)", text],
  ["latin", "varchar(60) character set latin1", () => pick(["'äöü€ÿ'", "_latin1 x'80818d8f909d'", "''"])],
  ["utf16", "varchar(60) character set utf16", () => pick(["'é😀'", "''"])],
  ["text_s", "text", () => pick([text(), `REPEAT('a\\nb\\0', ${below(9000)})`, `REPEAT('漢', ${below(300)})`])],
  ["long_s", "longtext", () => (below(20) === 0 ? `REPEAT('größe \\n', ${below(60_000)})` : text())],
  ["bin", "binary(8)", () => hex(9)],
  ["varbin", "varbinary(300)", () => hex(300)],
  ["blob_s", "longblob", () => (below(20) === 0 ? `REPEAT(x'00ff5c', ${below(200_000)})` : hex(300))],
  ["date_s", "date", () => `'${date()}'`],
  ["date_nn", "date not null", () => `'${date()}'`],
  ["datetime_s", "datetime", moment],
  ["datetime_6", "datetime(6)", moment],
  ["datetime_3", "datetime(3)", moment],
  ["stamp", "timestamp(6) null", stamp],
  ["stamp_0", "timestamp null", stamp],
  ["time_day", "time(6)", () => `'${clock(24)}'`],
  [
    "time_any",
    "time(2)",
    () => pick(["'-838:59:59'", "'838:59:59'", "'-00:00:00.01'", `'${pick(["", "-"])}${clock(800)}'`]),
  ],
  ["enum_s", "enum('a','größe, ''x''','')", () => pick(["'a'", "'größe, ''x'''", "''"])],
  ["enum_not", "enum('a','b')", () => pick(["'a'", "'b'", "'none'"])],
  [
    "json_s",
    "json",
    () => pick(['\'{"b": [1, 2.50, null], "a": "\\\\\\\\u00e9"}\'', "'[]'", `'"${"é".repeat(below(99))}"'`, "'-1.5'"]),
  ],
  ["bit_1", "bit(1)", () => String(below(2))],
  ["bit_13", "bit(13)", () => String(below(2 ** 13))],
  ["bit_64", "bit(64)", () => pick(["18446744073709551615", "1", "9223372036854775808", "b'1011'"])],
];
const own: Record<Flavour, typeof columns> = {
  mysql: [],
  mariadb: [["uuid_s", "uuid", () => `'${`${"0123456789abcdef"[below(16)]}`.repeat(8)}-e89b-12d3-a456-426614174000'`]],
};

describe.each<Flavour>(["mariadb", "mysql"])("rows of %s in binary", (flavour) => {
  const all = [...columns, ...own[flavour]];
  const list = all.map(([name]) => name).join(", ");
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
    await servers.admin.query("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'");
  });
  afterAll(() => servers?.close());

  /** Statements of the binary protocol that were prepared, and run, so far. */
  const statements = async (): Promise<{ prepared: number; run: number }> => {
    const [found] = (await servers.admin.query("SHOW GLOBAL STATUS LIKE 'Com_stmt_%'")) as unknown as [
      { Variable_name: string; Value: string }[],
    ];
    const of = (name: string) => Number(found.find((row) => row.Variable_name === name)?.Value);
    return { prepared: of("Com_stmt_prepare"), run: of("Com_stmt_execute") };
  };
  /** All there is goes as text. */
  const withoutPrepared = async <T>(work: () => Promise<T>): Promise<T> => {
    await servers.admin.query("SET GLOBAL max_prepared_stmt_count = 0");
    try {
      return await work();
    } finally {
      await servers.admin.query("SET GLOBAL max_prepared_stmt_count = DEFAULT");
    }
  };

  test("are those that text brings, value by value and type by type", async () => {
    const values = Array.from({ length: 300 }, (_, id) => {
      const row = all.map(([, type, value]) => (below(12) === 0 && !type.includes("not null") ? "NULL" : value()));
      return `(${id}, ${row.join(", ")})`;
    });
    const both = await pair(
      servers,
      `CREATE TABLE b (id int PRIMARY KEY, ${all.map(([name, type]) => `${name} ${type}`).join(", ")});
       ${Array.from({ length: 6 }, (_, at) => `INSERT IGNORE INTO b VALUES ${values.slice(at * 50, at * 50 + 50).join(", ")}`).join("; ")}`,
    );
    const other = await pair(servers, "DO 0");
    const copyTo = async ({ target, pg }: Pair) => {
      const before = await statements();
      const { report, logs } = await run({ source: both.source, target });
      const after = await statements();
      return {
        types: await rows(
          pg,
          `SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute
            WHERE attrelid = 'public.b'::regclass AND attnum > 0 ORDER BY attnum`,
        ),
        rows: await rows(pg, `SELECT id::text, ROW(${list})::text FROM public.b ORDER BY id`),
        warnings: report.warnings,
        again: logs.filter((words) => /table b is copied again/.test(words)),
        prepared: after.prepared - before.prepared,
        run: after.run - before.run,
      };
    };
    const binary = await copyTo(both);
    expect(binary.run).toBeGreaterThan(1);
    expect(binary.prepared).toBe(binary.run);
    const text = await withoutPrepared(() => copyTo(other));
    expect(text.run).toBe(0);
    expect(binary.types).toEqual(text.types);
    expect(binary.rows.length).toBe(300);
    for (const [at, row] of binary.rows.entries()) expect(row, `seed ${seed}`).toEqual(text.rows[at]);
    expect(binary.warnings.length).toBeGreaterThan(5);
    expect(binary.warnings).toEqual(text.warnings);
    expect(binary.again.length).toBeGreaterThan(2);
  });

  test("go as text after all where a long one holds a NUL byte, and are counted once", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE n (id int PRIMARY KEY, body longtext, raw longblob);
       INSERT INTO n VALUES (1, 'short\\0', x'00'), (2, CONCAT(REPEAT('x', 300000), '\\0'), REPEAT(x'00', 300000)), (3, NULL, NULL)`,
    );
    const { report } = await run(both);
    expect(await rows(both.pg, "SELECT id, octet_length(body), octet_length(raw) FROM public.n ORDER BY id")).toEqual([
      ["1", "5", "1"],
      ["2", "300000", "300000"],
      ["3", null, null],
    ]);
    expect(report.warnings.filter((words) => words.includes("n.body"))).toEqual([
      "column n.body: 2 NUL bytes were removed, which PostgreSQL cannot store in text",
    ]);
    expect(report.tables.map((table) => table.rows)).toEqual([{ source: 3, target: 3 }]);
  });

  test("come whole over several packets, and text is read where the server prepares nothing", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE l (id int PRIMARY KEY, body longtext, raw longblob, after int);
       INSERT INTO l VALUES (1, REPEAT('größe', 3000000), REPEAT(x'00ff', 9000000), 7), (2, '', '', 8)`,
    );
    const found = `SELECT id, encode(sha256(convert_to(body, 'UTF8')), 'hex'), encode(sha256(raw), 'hex'), after FROM public.l ORDER BY id`;
    const [answer] = await servers.admin.query({
      sql: "SELECT id, SHA2(body, 256), SHA2(raw, 256), after FROM l ORDER BY id",
      rowsAsArray: true,
    });
    const source = (answer as unknown[][]).map((row) => row.map(String));
    const before = await statements();
    await (await run(both)).copied.finish();
    expect((await statements()).run).toBe(before.run + 1);
    expect(await rows(both.pg, found)).toEqual(source);
    await both.pg.query("DROP TABLE public.l");
    await withoutPrepared(() => run(both));
    expect((await statements()).run).toBe(before.run + 1);
    expect(await rows(both.pg, found)).toEqual(source);
  });
});
