import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import {
  error,
  type Flavour,
  type Pair,
  pair,
  rows,
  type Servers,
  startServers,
} from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

describe.each<Flavour>(["mariadb", "mysql"])("options of a copy from %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const tables = async ({ pg }: Pair, schema = "public") =>
    (
      await rows(
        pg,
        `SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('${schema}') AND relkind IN ('r', 'p') AND relname <> '_rowferry' ORDER BY 1`,
      )
    ).map(([name]) => name);
  const with_ = (options: Partial<CopyOptions>) => ({ options: { jobs: 2, ...options } });

  test("include and exclude choose tables; what depends on the others is named, and a pattern that matches nothing is refused", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE a_one (id int PRIMARY KEY); CREATE TABLE a_two (id int PRIMARY KEY, up int, FOREIGN KEY (up) REFERENCES b (id)); ".replace(
        /^/,
        "CREATE TABLE b (id int PRIMARY KEY); ",
      ),
    );
    const { report } = await run(both, with_({ include: ["a_*"], exclude: [`${both.source.database}.a_one`] }));
    expect(await tables(both)).toEqual(["a_two"]);
    const outcome = (name: string) => report.inventory.find((entry) => entry.name === name)?.outcome;
    expect([outcome("b"), outcome("a_one"), outcome("a_two")]).toEqual([
      "not_applicable",
      "not_applicable",
      "converted",
    ]);
    expect(report.inventory.find(({ kind }) => kind === "foreign key")).toMatchObject({
      outcome: "reported",
      note: expect.stringContaining("not part of this copy"),
    });
    const refused = await error(run(both, with_({ include: ["a_*", "nope"] })));
    expect(refused).toMatchObject({ code: "option_unmatched" });
    expect(refused.message).toContain('"nope"');
  });

  test("a database comes into the schema that is named, which a reset drops again", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE a (id int AUTO_INCREMENT PRIMARY KEY, e enum('x')); INSERT INTO a (e) VALUES ('x')",
    );
    const options = { schemas: { [both.source.database]: "New Schema" } };
    const { report } = await run(both, with_(options));
    expect(report.tables[0]?.target).toBe("New Schema.a");
    expect(await rows(both.pg, 'SELECT id, e FROM "New Schema".a')).toEqual([["1", "x"]]);
    expect(await tables(both)).toEqual([]);
    await run(both, { ...with_({}), reset: true, made: report.made, madeIn: report.target });
    expect(await tables(both)).toEqual(["a"]);
    expect(await rows(both.pg, "SELECT to_regnamespace('\"New Schema\"')")).toEqual([[null]]);
    expect(await error(run(both, { ...with_({ schemas: { other: "x" } }), owner: "o2" }))).toMatchObject({
      code: "option_unmatched",
    });
  });

  test("tables in the way are dropped only where they are named, and never with what depends on them", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY); INSERT INTO a VALUES (7)",
    );
    await both.pg.query(
      "CREATE TABLE public.a (mine text); CREATE TABLE public.b (mine text); CREATE TABLE public.c (mine text)",
    );
    const refused = await error(run(both, with_({ drop: ["a"] })));
    expect(refused).toMatchObject({ code: "target_not_empty" });
    expect(refused.message).toContain('"b"');
    expect(refused.message).not.toContain('"a"');
    await both.pg.query("CREATE VIEW public.v AS SELECT * FROM public.b");
    expect(await error(run(both, with_({ drop: ["a", "public.b"] })))).toMatchObject({ code: "dependents_exist" });
    await both.pg.query("DROP VIEW public.v");
    expect(await error(run(both, with_({ drop: ["a", "public.b", "nope"] })))).toMatchObject({
      code: "option_unmatched",
    });
    await run(both, with_({ drop: ["a", "public.b"] }));
    expect(await rows(both.pg, "SELECT * FROM public.a")).toEqual([["7"]]);
    expect(await tables(both)).toEqual(["a", "b", "c"]);
  });

  test("the schema alone comes without rows", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE a (id int AUTO_INCREMENT PRIMARY KEY, flag tinyint(1), up int, FOREIGN KEY (up) REFERENCES a (id)); INSERT INTO a VALUES (1, 1, NULL)",
    );
    const { report } = await run(both, with_({ content: "schema" }));
    expect(await rows(both.pg, "SELECT count(*) FROM public.a")).toEqual([["0"]]);
    expect(report.tables[0]?.rows.target).toBe(0);
    expect(
      await rows(
        both.pg,
        "SELECT count(*) FROM pg_constraint WHERE contype IN ('p', 'f') AND conrelid = 'public.a'::regclass",
      ),
    ).toEqual([["2"]]);
  });

  test("dates that do not exist become NULL, end the run, or become the date that is named", async () => {
    const schema =
      "CREATE TABLE d (day date PRIMARY KEY, at datetime(3) NOT NULL); INSERT INTO d VALUES ('0000-00-00', '2020-02-00 10:00:00'), ('2020-01-01', '2020-01-01')";
    const both = await pair(servers, schema);
    const failed = await error(run(both, with_({ zero_dates: "fail" })));
    expect(failed).toMatchObject({ code: "zero_date" });
    expect(failed.message).toMatch(/column d\.(day|at) holds a date that does not exist/);
    const { report } = await run(both, with_({ zero_dates: "1970-01-02" }));
    expect(await rows(both.pg, "SELECT day, at FROM public.d ORDER BY day")).toEqual([
      ["1970-01-02", "1970-01-02 00:00:00"],
      ["2020-01-01", "2020-01-01 00:00:00"],
    ]);
    expect(report.warnings).toContain("column d.at: 1 dates that do not exist (as 0000-00-00) became 1970-01-02");
    expect(await error(run(both, with_({ zero_dates: "2020-02-30" })))).toMatchObject({ code: "option_invalid" });
  });

  test("a column takes the type that is named, keeps its value, and a type that cannot hold it is told by the column", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, flag tinyint, u binary(16), v varchar(36), b bit(8), d datetime, n decimal(10,2), j longtext, s set('a','b'));
       INSERT INTO t VALUES (1, 1, x'123e4567e89b12d3a456426614174000', '123e4567-e89b-12d3-a456-426614174000', b'101', '2020-01-01 10:00:00', 1.50, '{"a": 1}', 'a,b')`,
    );
    const types = {
      "t.flag": "boolean",
      "t.u": "uuid",
      [`${both.source.database}.t.v`]: "uuid",
      "t.b": "integer",
      "t.d": "timestamptz(3)",
      "t.n": "text",
      "t.j": "jsonb",
      "t.s": "varchar(5)[]",
    };
    const { report } = await run(both, with_({ types }));
    expect(await rows(both.pg, "SELECT * FROM public.t")).toEqual([
      [
        "1",
        "t",
        "123e4567-e89b-12d3-a456-426614174000",
        "123e4567-e89b-12d3-a456-426614174000",
        "5",
        "2020-01-01 10:00:00+00",
        "1.50",
        '{"a": 1}',
        "{a,b}",
      ],
    ]);
    expect(report.inventory.find(({ name }) => name === "t.u")?.note).toContain("as options.types says");
    const other = { owner: "owner-2" };
    await run(both, {
      reset: true,
      made: report.made,
      madeIn: report.target,
      ...with_({ types: { "t.id": "text" } }),
    }).then(({ copied }) => copied.finish());
    const code = async (types: Record<string, string>) =>
      (await error(run({ ...both }, { ...other, ...with_({ types, drop: ["t"] }) }))).code;
    expect(await code({ "t.nope": "text" })).toBe("option_unmatched");
    expect(await code({ "t.id": "nonsense" })).toBe("option_invalid");
    expect(await code({ "t.id": "int, x int) --" })).toBe("option_invalid");
    expect(await code({ "t.id": "text -- x" })).toBe("option_invalid");
    expect(await code({ "t.d": "integer" })).toBe("option_invalid");
    expect(await code({ "t.j": "integer" })).toBe("data_refused");
    expect(await code({ "t.b": "boolean" })).toBe("option_invalid");
  });

  test("the source's writers are never held up where that is wished, and locks that are required but refused end the run", async () => {
    const both = await pair(servers, "CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1)");
    const name = `lockless_${both.source.database}`;
    await servers.admin.query(
      `CREATE USER ${name} IDENTIFIED BY 'pass-word-1'; GRANT SELECT ON ${both.source.database}.* TO ${name}`,
    );
    const limited = { ...both, source: { ...both.source, user: name, password: "pass-word-1" } };
    expect(await error(run(limited, with_({ source_locks: "require" })))).toMatchObject({ code: "locks_refused" });
    const { report } = await run(both, with_({ source_locks: "none" }));
    expect(report.tables[0]?.rows).toEqual({ source: 1, target: 1 });
  });

  test("a statement that takes longer than the limit ends the run by that name", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1), (2), (3); CREATE VIEW slow AS SELECT SLEEP(1) AS s FROM a",
    );
    await servers.admin.query(
      `CREATE TABLE big (id int PRIMARY KEY AUTO_INCREMENT, v varchar(200)); INSERT INTO big (v) VALUES (REPEAT('x', 190)); ${"INSERT INTO big (v) SELECT v FROM big; ".repeat(17)}`,
    );
    // A trickle: the copy of the table takes longer than its statement may.
    const failed = await error(run(both, with_({ statement_timeout: 1, bandwidth: 2_000_000 })));
    expect(["statement_timeout", "cancelled"]).toContain(failed.code);
  });
});
