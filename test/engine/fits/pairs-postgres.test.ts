import { afterAll, beforeAll, expect, test } from "vitest";
import { doubtsOf, readFor } from "../../../src/engine/plan/postgres-postgres/schema/existing-columns.ts";
import { database, type Servers, sql, startServers } from "../../support/engine/postgres-support.ts";

/** Every pair of PostgreSQL's types that rows alone may be copied between: a value that passes the checks is taken, and stays as it is. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const values: Record<string, string[]> = {
  smallint: ["0", "-32768", "32767"],
  integer: ["0", "-2147483648", "2147483647", "70000"],
  bigint: ["0", "-9223372036854775808", "9223372036854775807", "4294967295"],
  oid: ["0", "4294967295"],
  numeric: [
    "0.000000",
    "1.50",
    "100.00",
    "1e20",
    "NaN",
    "Infinity",
    "-Infinity",
    "-3",
    "9223372036854775807",
    "9223372036854775808",
    "1e-10",
    "99.995",
    "0.05",
  ],
  "numeric(10,2)": ["1.50", "2.00", "-99999999.99"],
  "numeric(5,0)": ["99999", "0", "-5"],
  "numeric(3,-2)": ["99900", "-100", "0"],
  "numeric(2,4)": ["0.0099", "0.0012", "0.0010"],
  "numeric(19,2)": ["92233720368547758.07", "92233720368547758.08", "1.25"],
  "numeric(20,0)": ["18446744073709551615", "4"],
  "numeric(40,30)": ["1.5", "1.000000000000000000000000000001"],
  money: ["0", "1.50", "100", "-92233720368547758.08", "1234567.89"],
  real: ["0", "-0", "1.5", "NaN", "Infinity", "16777216", "1e30", "0.1", "3.4028235e38", "1e-40"],
  "double precision": ["0", "-0", "0.1", "1.5", "NaN", "-Infinity", "1e300", "16777217", "5e-324"],
  boolean: ["t", "f"],
  text: ["", "a", "abc   ", "ä€😀", "1.5", "2020-01-01", "x".repeat(100)],
  "character varying(3)": ["", "a ", "abc", "ä€😀"],
  "character varying(9)": ["", "a ", "abc      ", "ä€😀abcdef"],
  "character(3)": ["", "a", "abc"],
  "character(9)": ["a", "abcdefghi"],
  bpchar: ["", "a", "abcdef"],
  '"char"': ["a", "", "\\351"],
  name: ["", "a", "x".repeat(63)],
  bytea: ["", "\\x00ff", "\\x".padEnd(80, "61")],
  "bit(3)": ["101"],
  "bit(9)": ["101010101"],
  "bit varying(9)": ["101", "", "101010101"],
  "bit varying": ["101", ""],
  date: ["2020-01-01", "infinity", "-infinity", "4713-01-01 BC", "5874897-12-31", "294276-12-31", "294277-01-01"],
  "timestamp without time zone": [
    "2020-01-01 10:00:00.123456",
    "infinity",
    "2020-01-01",
    "4713-01-01 BC",
    "294276-12-31 23:59:59.999999",
  ],
  "timestamp(2) without time zone": ["2020-01-01 10:00:00.12", "294276-12-31 23:59:59.99"],
  "timestamp with time zone": [
    "2020-01-01 10:00:00.123456+00",
    "infinity",
    "294276-12-31 23:59:59.999999+00",
    "4713-11-24 00:00:00 BC",
  ],
  "timestamp(0) with time zone": ["2020-01-01 10:00:00+00"],
  "time without time zone": ["10:00", "24:00", "23:59:59.999999"],
  "time(0) without time zone": ["24:00", "10:00"],
  "time with time zone": ["10:00+05:30", "24:00-15:59:59", "23:59:59.999999+00"],
  "time(1) with time zone": ["10:00+05:30"],
  interval: ["1 day 00:00:01.5", "-3 mons", "178000000 years", "00:00:00.000001", "-00:00:00.000001"],
  "interval(1)": ["1.5 s", "-2 days"],
  "interval day to second": ["1 day 00:00:01.5"],
  "interval year to month": ["1 year 2 mons"],
  "interval minute": ["5 hours 7 minutes"],
  "interval hour": ["5 hours"],
  uuid: ["00000000-0000-0000-0000-000000000001"],
  json: ['{"a":1, "a":2}', '"\\u0000"', "1e400", "null", '"\\ud800"', "1.50"],
  jsonb: ['{"a": 1}', "1.50"],
  inet: ["1.2.3.4", "1.2.3.4/24", "::1/64"],
  cidr: ["1.2.3.0/24", "::/0"],
  macaddr: ["08:00:2b:01:02:03"],
  macaddr8: ["08:00:2b:01:02:03:04:05", "08:00:2b:ff:fe:01:02:03"],
  xml: ["<a/>", "text only"],
  tsvector: ["'a':1 'b'"],
  point: ["(1,2)"],
  int4range: ["[1,5)", "empty"],
  "integer[]": ["{1,2,NULL}", "[0:1]={1,2}"],
  "text[]": ["{a,NULL}", '{"a ","b"}'],
  "character varying(3)[]": ["{abc}"],
  "numeric(10,2)[]": ["{1.50}"],
  pg_lsn: ["0/16B3748"],
  citext: ["a", "A"],
};

const column = (base: string) => ({ name: "c", type: base, base, binary: undefined, notNull: false, labels: null });
const table = (columns: ReturnType<typeof column>[]) => ({
  ...{ oid: 1, schema: "public", name: "s", columns, bare: false, bytes: 0, pages: 0, rows: 0, heap: true },
  extension: undefined,
});

/** SQL that is true for a value that does not pass; undefined for a pair that is refused. */
function misfit(from: string, to: string): string | undefined {
  const present = { ...column(to), generated: false, required: false };
  try {
    const [found] = doubtsOf([table([column(from)])], [{ at: 0, found: true, filled: false, columns: [present] }]);
    const misfits = found?.doubts.flatMap((doubt) => doubt.misfits) ?? [];
    return ["false", ...misfits.map((one) => one.sql)].join(" OR ");
  } catch (error) {
    expect(error).toMatchObject({ code: "schema_differs" });
    return undefined;
  }
}

/** What COPY does: the text of the source's type is read as the target's. Its tables go with the exception. */
const attempt = `CREATE FUNCTION attempt(a text, b text, v text, misfit text, reading text) RETURNS text LANGUAGE plpgsql AS $f$
  DECLARE bad bool; copied text; kept bool; step text := 'value';
  BEGIN
    EXECUTE format('CREATE TEMP TABLE s (c %s); CREATE TEMP TABLE d (c %s); INSERT INTO s VALUES (%L)', a, b, v);
    step := 'check';
    EXECUTE 'SELECT bool_or(' || misfit || '), format(''%s'', min(' || reading || '::text)) FROM s' INTO bad, copied;
    IF bad THEN RAISE EXCEPTION 'refused'; END IF;
    step := 'load';
    EXECUTE format('INSERT INTO d VALUES (%L)', copied);
    EXECUTE 'SELECT ' || CASE
      WHEN b ~ '^(smallint|integer|bigint|oid|numeric([(].*)?)$' THEN 's.c::text::numeric = d.c::text::numeric'
      WHEN b = 'money' THEN 's.c::text::numeric = d.c::numeric'
      WHEN b ~ '^(char|bp)' THEN 'rtrim(s.c::text) = rtrim(d.c::text)'
      ELSE format('(d.c::text)::%s::text = s.c::text', a) END || ' FROM s, d' INTO kept;
    IF NOT kept THEN RAISE EXCEPTION 'changed'; END IF;
    RAISE EXCEPTION 'ok';
  EXCEPTION WHEN others THEN RETURN CASE WHEN SQLSTATE = 'P0001' THEN SQLERRM ELSE step || ': ' || SQLERRM END;
  END $f$`;

test("a value that passes the checks of its pair of types is copied as it is", async () => {
  const where = await database(servers.new, `CREATE EXTENSION citext; ${attempt}`);
  const pairs = Object.entries(values).flatMap(([a, list]) =>
    Object.keys(values).flatMap((b) => {
      const sqlOf = a === b ? undefined : misfit(a, b);
      const reading = readFor(column(a), column(b)) ?? "c";
      return sqlOf === undefined ? [] : list.map((v) => ({ a, b, v, misfit: sqlOf, reading }));
    }),
  );
  const found: Record<string, string[]> = {};
  for (let start = 0; start < pairs.length; start += 500) {
    const some = pairs.slice(start, start + 500);
    const rows = await sql<{ pair: string; result: string }>(
      where,
      `SELECT a || ' -> ' || b || ': ' || v AS pair, attempt(a, b, v, misfit, reading) AS result
         FROM json_to_recordset($1::json) AS x(a text, b text, v text, misfit text, reading text)`,
      [JSON.stringify(some)],
    );
    for (const { pair, result } of rows) found[result] = [...(found[result] ?? []), pair];
  }
  const { ok = [], refused = [], ...wrong } = found;
  expect(wrong).toEqual({});
  expect(ok.length).toBeGreaterThan(1000);
  expect(refused.length).toBeGreaterThan(300);
});
