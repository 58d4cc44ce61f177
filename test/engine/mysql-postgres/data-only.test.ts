import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import { reset } from "../../../src/engine/run/reset.ts";
import {
  error,
  type Flavour,
  type Pair,
  pair,
  rows,
  type Servers,
  startServers,
} from "../../support/engine/mysql-support.ts";
import { assessed, interrupted, run } from "../../support/engine/run.ts";

describe.each<Flavour>(["mariadb", "mysql"])("rows alone from %s into tables that are there", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const data = (options: Partial<CopyOptions> = {}) => ({ options: { jobs: 2, content: "data" as const, ...options } });
  const source = `CREATE TABLE one (id int AUTO_INCREMENT PRIMARY KEY, other int, flag tinyint(1), e enum('x','y'), s set('a','b'), d date NOT NULL,
      b varbinary(9), f float, twice int GENERATED ALWAYS AS (flag * 2) STORED, N bigint unsigned);
    CREATE TABLE two (id int PRIMARY KEY, other int, FOREIGN KEY (other) REFERENCES one (id)); ALTER TABLE one ADD FOREIGN KEY (other) REFERENCES two (id);
    SET foreign_key_checks = 0; INSERT INTO one (id, other, flag, e, s, d, b, f, N) VALUES (1, 1, 1, 'x', 'a,b', '2020-01-01', x'00ff', 16777216, 18446744073709551615), (7, NULL, 0, NULL, '', '0000-00-00', NULL, NULL, 0);
    INSERT INTO two VALUES (1, 7); SET foreign_key_checks = 1`;
  const target = `CREATE TABLE public.one (extra text DEFAULT 'mine', n numeric, f double precision, b bytea, d timestamp, s text[], e varchar(3), flag boolean, other int, id serial PRIMARY KEY, twice int GENERATED ALWAYS AS (id + id) STORED);
    CREATE TABLE public.two (id bigint PRIMARY KEY, other int REFERENCES public.one); ALTER TABLE public.one ADD FOREIGN KEY (other) REFERENCES public.two;
    CREATE FUNCTION public.spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'a trigger ran'; END $$;
    CREATE TRIGGER t BEFORE INSERT ON public.one FOR EACH ROW EXECUTE FUNCTION public.spoil()`;

  test("come by the columns' names, past triggers and circles of keys, into the types that the target has", async () => {
    const both = await pair(servers, source);
    await both.pg.query(target);
    const { report, copied } = await run(both, data());
    expect(
      await rows(both.pg, "SELECT id, other, flag, e, s, d, b, f, n, twice, extra FROM public.one ORDER BY id"),
    ).toEqual([
      ["1", "1", "t", "x", "{a,b}", "2020-01-01 00:00:00", "\\x00ff", "16777216", "18446744073709551615", "2", "mine"],
      ["7", null, "f", null, "{}", null, null, null, "0", "14", "mine"],
    ]);
    expect(await rows(both.pg, "SELECT * FROM public.two")).toEqual([["1", "7"]]);
    expect(await rows(both.pg, "SELECT nextval('public.one_id_seq')")).toEqual([["8"]]);
    expect(report.made).toEqual([]);
    expect(report.inventory.find(({ name }) => name === "one.twice")).toMatchObject({ outcome: "not_applicable" });
    expect(report.warnings).toContain("column one.d: 1 dates that do not exist (as 0000-00-00) became NULL");
    await copied.finish();
  });

  test("times come into types with and without a zone as UTC's, and a warning names the columns before and after", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE t (id int PRIMARY KEY, d datetime, z timestamp NULL, same datetime, moment timestamp NULL, day date); INSERT INTO t (id, d) VALUES (1, '2020-01-01 10:00:00')",
    );
    await both.pg.query(
      "CREATE TABLE public.t (id int PRIMARY KEY, d timestamptz(0), z timestamp, same timestamp, moment timestamptz, day timestamptz)",
    );
    const words =
      "read as UTC where only one side has a time zone: t.d (datetime → timestamp(0) with time zone), t.z (timestamp → timestamp without time zone), t.day (date → timestamp with time zone)";
    const found = await assessed(both, data());
    expect(found.findings).toContainEqual(
      expect.objectContaining({ severity: "warning", code: "read_as_utc", reason: expect.stringContaining(words) }),
    );
    const { report, copied } = await run(both, data());
    expect(report.warnings).toContainEqual(expect.stringContaining(words));
    await copied.finish();
  });

  test("are refused where rows stand, unless the table is named; nothing of others' is touched", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE a (id int PRIMARY KEY, v int); INSERT INTO a VALUES (1, 2); CREATE TABLE b (id int PRIMARY KEY)",
    );
    const make =
      "CREATE TABLE public.a (id int PRIMARY KEY, v int); CREATE TABLE public.b (id int PRIMARY KEY); CREATE TABLE public.c (up int REFERENCES public.a ON DELETE CASCADE)";
    await both.pg.query(`${make}; INSERT INTO public.a VALUES (5, 5); INSERT INTO public.c VALUES (5)`);
    expect(await error(run(both, data()))).toMatchObject({
      code: "target_not_empty",
      message: expect.stringContaining("rows in a already"),
    });
    expect(await error(run(both, data({ drop: ["a"] })))).toMatchObject({ code: "dependents_exist" });
    expect(await rows(both.pg, "SELECT * FROM public.c")).toEqual([["5"]]);
    await both.pg.query("DELETE FROM public.c");
    expect(await error(run(both, data({ drop: ["public.a", "nope"] })))).toMatchObject({ code: "option_unmatched" });
    await run(both, data({ drop: ["public.a"] }));
    expect(await rows(both.pg, "SELECT * FROM public.a")).toEqual([["1", "2"]]);
    const other = await pair(
      servers,
      "CREATE TABLE a (id int PRIMARY KEY, v int, p point); CREATE TABLE gone (id int)",
    );
    await other.pg.query("CREATE TABLE public.a (id int PRIMARY KEY, must int NOT NULL, p int)");
    expect(await error(run(other, data()))).toMatchObject({
      code: "schema_differs",
      message: expect.stringMatching(/table public\.gone|column public\.a\.v|a default of column public\.a\.must/),
    });
    await other.pg.query("ALTER TABLE public.a DROP COLUMN must, ADD COLUMN v int; CREATE TABLE public.gone (id int)");
    expect(await error(run(other, data()))).toMatchObject({
      code: "schema_differs",
      message: expect.stringContaining("column a.p is point"),
    });
    expect(await rows(other.pg, "SELECT count(*) FROM pg_class WHERE relname = '_rowferry'")).toEqual([["0"]]);
  });

  test("rows that refer to none fail the run by their key", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY, up int); INSERT INTO b VALUES (1, 9)",
    );
    await both.pg.query(
      "CREATE TABLE public.a (id int PRIMARY KEY); CREATE TABLE public.b (id int PRIMARY KEY, up int CONSTRAINT up_fk REFERENCES public.a)",
    );
    expect(await error(run(both, data()))).toMatchObject({
      code: "foreign_key_violated",
      message: expect.stringContaining("up_fk"),
    });
  });

  const stopped = (both: Pair): Promise<void> =>
    interrupted(both, ({ table }) => table.some(({ name, state }) => name === "small" && state === "done"), {
      content: "data",
      bandwidth: 400_000,
    });

  test("a second attempt keeps what is proven equal and empties what it began, without being asked", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE small (id int PRIMARY KEY); INSERT INTO small VALUES (1), (2); CREATE TABLE big (id int PRIMARY KEY AUTO_INCREMENT, v varchar(200));
       INSERT INTO big (v) VALUES (REPEAT('x', 190)); ${"INSERT INTO big (v) SELECT v FROM big; ".repeat(15)}`,
    );
    await both.pg.query(
      "CREATE TABLE public.small (id int PRIMARY KEY); CREATE TABLE public.big (id int PRIMARY KEY, v text)",
    );
    await stopped(both);
    const { report } = await run(both, data());
    expect(report.resumed).toEqual({ kept: ["small"], copied_again: [] });
    expect(
      await rows(both.pg, "SELECT (SELECT count(*) FROM public.small), (SELECT count(*) FROM public.big)"),
    ).toEqual([["2", "32768"]]);
  });

  test("a second attempt does not empty a table that it had finished once others' rows stand there", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE small (id int PRIMARY KEY); INSERT INTO small VALUES (1), (2); CREATE TABLE big (id int PRIMARY KEY AUTO_INCREMENT, v varchar(200));
       INSERT INTO big (v) VALUES (REPEAT('x', 190)); ${"INSERT INTO big (v) SELECT v FROM big; ".repeat(15)}`,
    );
    await both.pg.query(
      "CREATE TABLE public.small (id int PRIMARY KEY); CREATE TABLE public.big (id int PRIMARY KEY, v text)",
    );
    await stopped(both);
    await both.pg.query("INSERT INTO public.small VALUES (-1)");
    expect(await error(run(both, data()))).toMatchObject({
      code: "target_not_empty",
      message: expect.stringContaining("public.small"),
    });
    expect(await rows(both.pg, "SELECT count(*) FROM public.small")).toEqual([["3"]]);
    await both.pg.query("DELETE FROM public.small WHERE id < 0");
    const { report } = await run(both, data());
    expect(report.tables.find(({ source: name }) => name.endsWith(".small"))?.rows).toEqual({ source: 2, target: 2 });
  });

  test("a row of others' in a table that was not finished stops a second attempt, and a reset leaves it", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE small (id int PRIMARY KEY); INSERT INTO small VALUES (1), (2); CREATE TABLE big (id int PRIMARY KEY AUTO_INCREMENT, v varchar(200));
       INSERT INTO big (v) VALUES (REPEAT('x', 190)); ${"INSERT INTO big (v) SELECT v FROM big; ".repeat(15)}`,
    );
    await both.pg.query(
      "CREATE TABLE public.small (id int PRIMARY KEY); CREATE TABLE public.big (id int PRIMARY KEY, v text)",
    );
    await stopped(both);
    await both.pg.query("INSERT INTO public.big VALUES (-1, 'mine')");
    expect(await error(run(both, data()))).toMatchObject({
      code: "target_not_empty",
      retryable: false,
      message: expect.stringContaining("big"),
    });
    const owner = { owner: "owner-1", ownerName: "the test" };
    const { left } = await reset(
      { ...owner, target: both.target },
      { signal: new AbortController().signal, log: () => undefined },
    );
    expect(left).toEqual([
      "rows that this run copied into tables that it did not make are left in the target: empty these tables yourself",
    ]);
    expect(await rows(both.pg, "SELECT v FROM public.big WHERE id < 0")).toEqual([["mine"]]);
  });
});
