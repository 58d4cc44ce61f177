import { describe, expect, test } from "vitest";
import { type ColumnMeaning, translateExpression, translateView } from "./index.ts";

const column = (name: string, sourceType: string, targetType: string, collation?: string): [string, ColumnMeaning] => [
  name,
  { name, sourceType, targetType, nullable: true, ...(collation === undefined ? {} : { collation }) },
];
const columns = new Map([
  column("i", "int", "integer"),
  column("u", "int unsigned", "bigint"),
  column("a", "smallint", "smallint"),
  column("b", "bit(1)", "boolean"),
  column("b2", "bit(1)", "boolean"),
  column("tu", "tinyint unsigned", "smallint"),
  column("n", "decimal(5,2)", "numeric(5,2)"),
  column("w", "decimal(5,2) unsigned", "numeric(5,2)"),
  column("m", "decimal(14,6)", "numeric(14,6)"),
  column("ci", "varchar(9)", "varchar(9)", "utf8mb4_0900_ai_ci"),
  column("s", "varchar(9)", "varchar(9)", "utf8mb4_0900_bin"),
  column("ts", "timestamp", "timestamptz(0)"),
  column("e", "enum('a','b')", '"public"."t_e"', "utf8mb4_0900_ai_ci"),
  column('q"', "int", "integer"),
]);
const from = { engine: "mysql", version: 80400 } as const;
const to = { engine: "postgres", version: 180000 } as const;
const check = (sql: string) => translateExpression(sql, { from, to, columns, use: "check" });

describe("an expression", () => {
  test.each([
    ["(`i` > 0)", '("i" > 0)'],
    ['(`q"` <> 1)', '("q""" <> 1)'],
    ["(`s` = _utf8mb4\\'it\\\\\\'s\\')", "(\"s\" = 'it''s'::text)"],
    ["(`e` = _utf8mb4\\'A\\')", "(\"e\" = 'a')"],
    ["(floor((`n` - 1)) = 1)", '((floor(("n" - (1)::numeric)))::bigint = 1)'],
    ["(floor(`w`) = 1)", '((floor("w"))::bigint = 1)'],
    ["((`a` + `a`) < 100000)", '((("a")::integer + "a") < 100000)'],
    ["((`a` + 1) > `tu`)", '(("a" + 1) > "tu")'],
    ["((`a` * `i`) > 0)", '((("a")::bigint * ("i")::bigint) > 0)'],
    ["((`tu` * `tu`) > `a`)", '((("tu")::integer * "tu") > "a")'],
    ["(-(`a`) > 1)", '((- ("a")::integer) > 1)'],
    ["(abs(`a`) > 1)", '(abs(("a")::integer) > 1)'],
    ["((`a` DIV `a`) > 1)", '((("a")::integer / nullif("a", 0)) > 1)'],
    ["((nullif(`a`,`tu`) - `a`) > 1)", '(((CASE WHEN ("a" = "tu") THEN NULL ELSE "a" END)::integer - "a") > 1)'],
    ["((`b` = 1) or `b2`)", '((("b")::integer = 1) OR "b2")'],
    ["(if((`i` > 0),`b`,`b2`) = 1)", '((CASE WHEN ("i" > 0) THEN "b" ELSE "b2" END)::integer = 1)'],
    ["(concat((`b` + 0),`s`) = `s`)", `((((("b")::integer + 0))::text || "s") = "s")`],
    ["(`i` in (1,2))", '((("i" = 1) OR ("i" = 2)))'],
  ])("%s is translated", (sql, expected) => {
    expect(check(sql)).toEqual({ sql: expected, immutable: true });
  });

  test.each([
    ["(`ci` = _utf8mb4\\'x\\')", /different text for equal/],
    ["(concat(`b`,_utf8mb4\\'-\\') = `s`)", /a BIT, which is its byte/],
    ["(cast(`b` as char charset utf8mb4) = `s`)", /a BIT, which is its byte/],
    ["(lpad(`b`,6,_utf8mb4\\'*\\') = `s`)", /a BIT, which is its byte/],
    ["(concat(coalesce(`b`,`b2`),`s`) = `s`)", /a BIT, which is its byte/],
    ["(if((`n` > `i`),`b`,`n`) > 0)", /a choice between a BIT and what is none/],
    ["((case when (`n` > `i`) then `b` else 1 end) > 0)", /a choice between a BIT and what is none/],
    ["((`u` - `i`) > 0)", /below zero/],
    ["(floor((`w` - `u`)) = 1)", /below zero/],
    ["(nullif(ceiling(round((`n` - `w`),1)),2) = 1)", /below zero/],
    ["(`s` > 1)", /converts one of them/],
    ["(`s` + 1)", /as a number/],
    ["(replace(_utf8mb4\\'A \\',`s`,_utf8mb4\\'a\\') = _utf8mb4\\'a\\')", /collation of the session/],
    ["regexp_like(`s`,_utf8mb4\\'x\\')", /REGEXP_LIKE/],
    ["(`ts` > _utf8mb4\\'2020-01-01\\')", /time zone/],
    ["(`i` > 0) -- x", /not known|not understood|comment/],
    ["(`i` > 0); DROP TABLE t", /not understood/],
    ["(`i` /* x */ > 0)", /comment/],
    ["(`nothing` > 0)", /not known/],
    ["`x`.`f`(`i`)", /own/],
    ["(nextval(`x`.`s`) > 0)", /NEXTVAL\(\) draws from a sequence/],
    ["(`i` || `i`)", /sql_mode/],
    [`${"(".repeat(400)}1${")".repeat(400)}`, /nested/],
    ["(`i` > ", /ends too early/],
    ["", /ends too early/],
  ])("%s is refused with its reason", (sql, reason) => {
    expect(check(sql)).toEqual(expect.objectContaining({ reason: expect.stringMatching(reason) }));
  });

  // A difference that is zero has no digits, and MySQL cuts the quotient of what has fewer off.
  test.each([
    ["(`m` - `i`)", true],
    ["(`n` + `m`)", true],
    ["(`m` + (`m` - `i`))", true],
    ["((`n` - `i`) + `m`)", true],
    ["(`n` + (`m` - `i`))", false],
    ["((`m` * `i`) - `n`)", false],
    ["((`n` + (`m` - `i`)) * `m`)", false],
  ])("a quotient of %s is translated only if that has all its digits: %s", (dividend, isTranslated) => {
    const [, result] = column("r", "decimal(40,6)", "numeric(40,6)");
    const found = translateExpression(`(${dividend} / \`i\`)`, { from, to, columns, use: "generated", result });
    expect(found).toEqual(
      isTranslated
        ? expect.objectContaining({ sql: expect.any(String) })
        : { reason: expect.stringMatching(/fewer digits/) },
    );
  });

  test("of a folding collation comes with a draft", () => {
    expect(check("(`ci` = _utf8mb4\\'x\\')")).toEqual(expect.objectContaining({ draft: "(\"ci\" = 'x'::text)" }));
  });
});

describe("a view of PostgreSQL", () => {
  const relation = (path: readonly string[]) =>
    path.join(".") === "public.t"
      ? {
          target: ["db", "t"],
          keys: [],
          columns: new Map([
            column("i", "integer", "int"),
            column("s", "text", "longtext", "default"),
            column("b", "boolean", "tinyint(1)"),
            column("n", "numeric(5,2)", "decimal(5,2)"),
            column("d", "date", "date"),
          ]),
        }
      : undefined;
  const translated = (sql: string) => translateView(sql, { from: to, to: from, relation });

  test.each([
    ["SELECT t.i FROM public.t;", "SELECT `t`.`i` AS `i` FROM `db`.`t` AS `t`"],
    [
      " SELECT x.s,\n sum(x.n) AS total\n FROM public.t x\n GROUP BY x.s\n ORDER BY (sum(x.n)) DESC;",
      "SELECT `x`.`s` AS `s`, SUM(`x`.`n`) AS `total` FROM `db`.`t` AS `x` GROUP BY `x`.`s` ORDER BY SUM(`x`.`n`) IS NULL DESC, SUM(`x`.`n`) DESC",
    ],
    [
      "SELECT count(*) FILTER (WHERE t.b) AS c FROM public.t",
      "SELECT COUNT(CASE WHEN `t`.`b` THEN 1 END) AS `c` FROM `db`.`t` AS `t`",
    ],
    [
      "SELECT 'x'::text AS x FROM public.t LIMIT 3",
      "SELECT (_utf8mb4'x' COLLATE utf8mb4_0900_bin) AS `x` FROM `db`.`t` AS `t` LIMIT 3",
    ],
    [
      "SELECT ((t.i)::numeric * t.n) AS x, (t.n > (0)::numeric) AS y, (t.n * (2)::numeric) AS z FROM public.t",
      "SELECT (CAST(`t`.`i` AS DECIMAL(10,0)) * `t`.`n`) AS `x`, (`t`.`n` > 0) AS `y`, (`t`.`n` * 2) AS `z` FROM `db`.`t` AS `t`",
    ],
    [
      "SELECT ((3)::numeric * (t.i)::numeric) AS x, ((3)::numeric + '7'::numeric) AS y FROM public.t",
      "SELECT (3 * CAST(`t`.`i` AS DECIMAL(10,0))) AS `x`, (CAST(3 AS DECIMAL(1,0)) + CAST(7 AS DECIMAL(1,0))) AS `y` FROM `db`.`t` AS `t`",
    ],
    [
      'SELECT (EXTRACT("year" FROM t.d))::integer AS y FROM public.t',
      "SELECT CAST(CAST(EXTRACT(YEAR FROM `t`.`d`) AS DECIMAL(4,0)) AS SIGNED) AS `y` FROM `db`.`t` AS `t`",
    ],
    [
      "SELECT (t.i / 2) AS x, (sum(t.i) / 2) AS y FROM public.t GROUP BY t.i",
      "SELECT (`t`.`i` DIV 2) AS `x`, (SUM(`t`.`i`) DIV 2) AS `y` FROM `db`.`t` AS `t` GROUP BY `t`.`i`",
    ],
  ])("%s is translated", (sql, expected) => {
    expect(translated(sql)).toMatchObject({ sql: expected });
  });

  test.each([
    ["SELECT avg(t.n) AS a FROM public.t", /other digits/],
    ["SELECT t.s FROM public.t ORDER BY t.s LIMIT 1", /ordered by PostgreSQL's collation/],
    ["SELECT public.f(t.i) AS f FROM public.t", /source's own/],
    ["SELECT t.i FROM public.u t", /not copied/],
    ['SELECT t.i, t.i AS "I" FROM public.t', /without case/],
    ["SELECT string_agg(t.s, ','::text) AS all FROM public.t", /group_concat_max_len/],
    ["SELECT DISTINCT ON (t.i) t.s FROM public.t", /DISTINCT ON/],
    // What is a whole number to MySQL and a numeric to PostgreSQL.
    ["SELECT ((t.i)::numeric / (100)::numeric) AS x FROM public.t", /of decimals/],
    ["SELECT ((sum(t.i))::numeric / (100)::numeric) AS x FROM public.t", /of decimals/],
    ["SELECT ('7'::numeric / (2)::numeric) AS x FROM public.t", /of decimals/],
    ["SELECT ((t.i)::numeric % (2)::numeric) AS x FROM public.t", /of decimals/],
    ["SELECT (EXTRACT(year FROM t.d) / (2)::numeric) AS x FROM public.t", /of decimals/],
    ["SELECT (sum((t.i)::bigint) / (2)::numeric) AS x FROM public.t", /of decimals/],
    ["SELECT (sum((t.i % '7'::bigint)) / (2)::numeric) AS x FROM public.t", /of decimals/],
    [
      "SELECT (sum(CASE WHEN t.b THEN '1'::bigint ELSE '2'::bigint END) / (2)::numeric) AS x FROM public.t",
      /of decimals/,
    ],
    [
      "SELECT (sum(u.x) / (2)::numeric) AS y FROM (SELECT t.i AS x FROM public.t UNION ALL SELECT (t.i)::bigint AS x FROM public.t) u",
      /of decimals/,
    ],
  ])("%s is refused with its reason", (sql, reason) => {
    expect(translated(sql)).toEqual(expect.objectContaining({ reason: expect.stringMatching(reason) }));
  });
});

describe("a view of MySQL", () => {
  const table = new Map([...columns, column("d", "date", "date"), column("z", "datetime(6)", "timestamp(6)")]);
  const translated = (sql: string, relation = () => ({ target: ["public", "t"], keys: [], columns: table })) =>
    translateView(sql, { from, to, relation });
  const kinds = /branches of different kinds/;
  const back = /reckoned back/;

  test.each([
    ["ifnull(`t`.`i`,'n/a')", kinds],
    ["coalesce(`t`.`d`,`t`.`i`,1)", kinds],
    ["if(`t`.`i`,`t`.`i`,'a')", kinds],
    ["(case `t`.`i` when 1 then `t`.`u` when 2 then `t`.`ts` end)", kinds],
    ["greatest(`t`.`d`,`t`.`i`)", /compared/],
    ["(`t`.`d` - interval 1 day)", back],
    ["(`t`.`d` + interval -(1) month)", back],
    ["(`t`.`z` - interval 1 second)", back],
    ["(DATE'0001-12-31' - interval 365 day)", back],
  ])("with %s is refused with its reason", (sql, reason) => {
    expect(translated(`select ${sql} AS \`x\` from \`d\`.\`t\``)).toMatchObject({
      reason: expect.stringMatching(reason),
    });
  });

  test.each([
    ["(curdate() - interval 100 year)"],
    ["(now() - interval 1000000 second)"],
    ["(DATE'2020-01-01' - interval 30 day)"],
    ["(`t`.`d` + interval 1 day)"],
  ])("with %s stays within PostgreSQL's years", (sql) => {
    expect(translated(`select ${sql} AS \`x\` from \`d\`.\`t\``)).toMatchObject({ notes: [] });
  });

  test("at which the translator itself fails is refused, and the reason says whose fault it is", () => {
    const broken = () => JSON.parse("null");
    expect(translated("select `t`.`i` AS `i` from `d`.`t`", broken)).toMatchObject({
      reason: expect.stringMatching(/^Rowferry's translator failed, .*TypeError: .*to-postgres.query\.ts:\d+/),
    });
  });
});
