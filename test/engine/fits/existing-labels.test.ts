import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { error, type Flavour, pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** MySQL → PostgreSQL, rows alone: labels that the target's types lack, and types with parts that would cut a text. */

const options = { jobs: 2, content: "data" as const };

describe.each<Flavour>(["mariadb", "mysql"])("from %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("labels that the target's types lack are counted, and nothing is written", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, e enum('a','B','c'), l enum('ä','b') CHARACTER SET latin1, v varchar(9), s set('a','b','cd'), o set('a','b','x'));
       INSERT INTO t VALUES (1, 'a', 'ä', 'a', 'a,b', 'a'), (2, 'B', 'ä', 'A', 'a,cd', 'b'), (3, 'c', NULL, '', 'cd', ''), (4, NULL, NULL, NULL, NULL, NULL), (5, 'c', 'b', 'c', '', 'a,b')`,
    );
    await both.pg.query(
      `CREATE TYPE public.e AS ENUM ('a', 'b', 'c'); CREATE TYPE public.l AS ENUM ('ä'); CREATE DOMAIN public.d AS public.e;
       CREATE TABLE public.t (id int, e public.d, l public.l, v public.e, s public.e[], o public.e[])`,
    );
    const failed = await error(run(both, { options }));
    expect(failed).toMatchObject({ code: "data_refused", retryable: false });
    for (const [column, count] of Object.entries({
      e: "1 value does",
      l: "1 value does",
      v: "2 values do",
      s: "2 values do",
    }))
      expect(failed.message).toMatch(
        new RegExp(`table t, column ${column} \\([^;]*: ${count} not fit \\(labels that the type does not have\\)`),
      );
    expect(failed.message).not.toContain("column o");
    expect(await rows(both.pg, "SELECT count(*) FROM public.t")).toEqual([["0"]]);
    await servers.admin.query("UPDATE t SET e = 'c', l = 'ä', v = 'b', s = 'b,a'");
    await (await run(both, { options })).copied.finish();
    expect(await rows(both.pg, "SELECT DISTINCT e::text, l::text, v::text, s::text FROM public.t")).toEqual([
      ["c", "ä", "b", "{a,b}"],
    ]);
  });

  test.each([
    ["numeric(10,2)[]", "{1.2345}"],
    ["varchar(3)[]", '{"abc  "}'],
    ["public.pair", "(1.2345,)"],
    ["public.price[]", "{1.2345}"],
  ])("a text into %s, which would cut its values, is refused by name", async (type, text) => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, c varchar(20)); INSERT INTO t VALUES (1, '${text}')`,
    );
    await both.pg.query(
      `CREATE TYPE public.pair AS (x numeric(10,2), y text); CREATE DOMAIN public.price AS numeric(10,2); CREATE TABLE public.t (id int, c ${type})`,
    );
    const failed = await error(run(both, { options }));
    expect(failed).toMatchObject({ code: "schema_differs" });
    expect(failed.message).toContain("t.c");
    expect(await rows(both.pg, "SELECT c::text FROM public.t")).toEqual([]);
  });
});
