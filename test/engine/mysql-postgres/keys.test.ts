import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Flavour, pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

describe.each<Flavour>(["mariadb", "mysql"])("keys of %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("foreign keys: to itself, in a circle, over unsigned numbers that need numeric; orphans are named and left NOT VALID", async () => {
    const both = await pair(
      servers,
      [
        "CREATE TABLE tree (id int PRIMARY KEY, up int, FOREIGN KEY (up) REFERENCES tree (id) ON DELETE CASCADE ON UPDATE SET NULL); INSERT INTO tree VALUES (1, NULL), (2, 1)",
        "CREATE TABLE one (id int PRIMARY KEY, other int); CREATE TABLE two (id int PRIMARY KEY, other int, FOREIGN KEY (other) REFERENCES one (id)); ALTER TABLE one ADD FOREIGN KEY (other) REFERENCES two (id)",
        "SET foreign_key_checks = 0; INSERT INTO one VALUES (1, 1); INSERT INTO two VALUES (1, 1), (2, 99)",
        "CREATE TABLE large (id bigint unsigned PRIMARY KEY); INSERT INTO large VALUES (1), (18446744073709551615)",
        "CREATE TABLE small (id bigint unsigned PRIMARY KEY, large_id bigint unsigned, FOREIGN KEY (large_id) REFERENCES large (id)); INSERT INTO small VALUES (1, 1)",
        "SET foreign_key_checks = 1",
      ].join("; "),
    );
    const { report } = await run(both);
    const keys = await rows(
      both.pg,
      "SELECT conrelid::regclass::text, convalidated, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f' ORDER BY 1",
    );
    expect(keys.map(([table, valid]) => [table?.replace("public.", ""), valid])).toEqual([
      ["one", "t"],
      ["small", "t"],
      ["tree", "t"],
      ["two", "f"],
    ]);
    expect(keys[2]?.[2]).toContain("ON UPDATE SET NULL ON DELETE CASCADE");
    const types = await rows(
      both.pg,
      "SELECT data_type FROM information_schema.columns WHERE (table_name, column_name) IN (('large', 'id'), ('small', 'large_id'), ('small', 'id')) ORDER BY table_name, column_name",
    );
    expect(types).toEqual([["numeric"], ["bigint"], ["numeric"]]);
    expect(report.warnings.join()).toMatch(
      /1 rows of two have no parent in one: the foreign key "\w+" was added NOT VALID/,
    );
  });

  test("unsigned numbers above bigint's, joined by a foreign key: two streams that both meet them copy each row once, each time", async () => {
    const large = "18446744073709551614";
    for (const pairs of [1, 1, 8]) {
      const names = Array.from({ length: pairs }, (_, at) => at);
      const both = await pair(
        servers,
        names
          .flatMap((at) => [
            `CREATE TABLE bu${at} (id bigint unsigned PRIMARY KEY); INSERT INTO bu${at} VALUES (1), (${large})`,
            `CREATE TABLE bc${at} (id int, b bigint unsigned, FOREIGN KEY (b) REFERENCES bu${at} (id)); INSERT INTO bc${at} VALUES (1, ${large})`,
          ])
          .join("; "),
      );
      await run(both);
      for (const at of names) {
        expect(await rows(both.pg, `SELECT id::text FROM bu${at} ORDER BY bu${at}.id`)).toEqual([["1"], [large]]);
        expect(await rows(both.pg, `SELECT id::text, b::text FROM bc${at}`)).toEqual([["1", large]]);
      }
    }
  });

  test("keys that may be too long are told before the copy; they are built where the data fit, and lost by name only", async () => {
    // Hex digits of hashes, which the server cannot compress into the limit.
    const hashes = (count: number) =>
      `CONCAT(${Array.from({ length: count }, (_, at) => `SHA2('${at}', 512)`).join(", ")})`;
    const both = await pair(
      servers,
      [
        "CREATE TABLE fits (id int PRIMARY KEY, v varchar(760), b varbinary(3000), UNIQUE KEY fits_v (v), KEY fits_b (b)) ROW_FORMAT=DYNAMIC",
        `INSERT INTO fits VALUES (1, REPEAT('é', 700), REPEAT('b', 3000)), (2, LEFT(${hashes(6)}, 760), NULL)`,
        "CREATE TABLE bursts (id varbinary(3000) PRIMARY KEY, b varbinary(3000), c varbinary(3000), UNIQUE KEY bursts_b (b), KEY bursts_c (c))",
        `INSERT INTO bursts VALUES (LEFT(${hashes(24)}, 3000), LEFT(${hashes(24)}, 3000), LEFT(${hashes(24)}, 3000))`,
        "CREATE TABLE child (id int PRIMARY KEY, up varbinary(3000), CONSTRAINT to_bursts FOREIGN KEY (up) REFERENCES bursts (id))",
        "CREATE TABLE prefixed (v varchar(100) NOT NULL, PRIMARY KEY (v(3))); INSERT INTO prefixed VALUES ('abcd')",
        ...(flavour === "mysql" ? ["CREATE TABLE computed (v int, UNIQUE KEY computed_v ((v + 1)))"] : []),
      ].join("; "),
    );
    const { report, logs } = await run(both);
    const built = await rows(
      both.pg,
      "SELECT indexrelid::regclass::text, indisunique, indisprimary FROM pg_index JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE '%rowferry%' ORDER BY 1",
    );
    expect(built.map((row) => row.join(" ").replace("public.", ""))).toEqual([
      ...["bursts_b t f", "bursts_c f f", "bursts_pkey t f"],
      "child_pkey t t",
      ...(flavour === "mysql" ? ["computed_v t f"] : []),
      ...[
        "fits_b f f",
        "fits_pkey t t",
        "fits_v t f",
        "fits_v_folded t f",
        "prefixed_pkey t f",
        "prefixed_pkey_folded t f",
      ],
      "to_bursts f f",
    ]);
    const outcome = (name: string) => report.inventory.filter((entry) => entry.kind === "index" && entry.name === name);
    for (const name of ["bursts.PRIMARY", "bursts.bursts_b"])
      expect(outcome(name), name).toMatchObject([{ outcome: "converted", note: expect.stringContaining("SHA-256") }]);
    expect(outcome("bursts.bursts_c")).toMatchObject([{ outcome: "converted", note: expect.stringContaining("hash") }]);
    expect(outcome("fits.fits_v")).toMatchObject([{ outcome: "converted", note: expect.stringContaining("2704") }]);
    const warnings = report.warnings.join("\n");
    expect(warnings).toContain("primary key bursts.PRIMARY is a unique index over SHA-256 of its columns");
    await expect(both.pg.query("INSERT INTO public.bursts SELECT 'x', b, c FROM public.bursts")).rejects.toThrow(
      "bursts_b",
    );
    await expect(both.pg.query("INSERT INTO public.bursts SELECT id, 'x', c FROM public.bursts")).rejects.toThrow(
      "bursts_pkey",
    );
    await expect(both.pg.query("INSERT INTO public.bursts (id) VALUES (NULL)")).rejects.toThrow("null");
    await both.pg.query("INSERT INTO public.bursts VALUES ('x', NULL, NULL), ('y', NULL, NULL)");
    expect(warnings).toMatch(/foreign key child.to_bursts/);
    expect(warnings).not.toContain("fits");
    const early = logs.findIndex((line) => line.startsWith("warning: unique index fits.fits_v: its keys have"));
    expect(early).toBeGreaterThanOrEqual(0);
    expect(early).toBeLessThan(logs.findIndex((line) => line.includes("rows copied")));
    await expect(both.pg.query("INSERT INTO public.prefixed VALUES ('abce')")).rejects.toThrow("unique");
  });

  test("a reference that is equal to its parent only in the source's collation is told apart from one without a parent", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE p (id varchar(9) COLLATE utf8mb4_general_ci, n int, PRIMARY KEY (id, n)) COLLATE utf8mb4_general_ci; INSERT INTO p VALUES ('Abc', 1), ('x', 1);
       CREATE TABLE alike (id int PRIMARY KEY, p varchar(9) COLLATE utf8mb4_general_ci, n int, CONSTRAINT alike_p FOREIGN KEY (p, n) REFERENCES p (id, n));
       INSERT INTO alike VALUES (1, 'aBC', 1), (2, 'x', 1), (3, 'y', NULL);
       CREATE TABLE mixed (id int PRIMARY KEY, p varchar(9) COLLATE utf8mb4_general_ci, n int, CONSTRAINT mixed_p FOREIGN KEY (p, n) REFERENCES p (id, n));
       INSERT INTO mixed VALUES (1, 'ABC', 1), (2, 'X ', 1); SET foreign_key_checks = 0; INSERT INTO mixed VALUES (3, 'z', 1); SET foreign_key_checks = 1`,
    );
    const { report } = await run(both);
    const note = (name: string) => report.inventory.find((one) => one.kind === "foreign key" && one.name === name);
    expect(note("alike.alike_p")).toMatchObject({
      outcome: "reported",
      note: expect.stringMatching(
        /^1 rows of alike write their parent in p in another case or with other accents.*\(utf8mb4_general_ci\).*"alike_p" was added NOT VALID$/,
      ),
    });
    expect(note("mixed.mixed_p")?.note).toMatch(
      /^1 rows of mixed have no parent in p; 2 rows of mixed write their parent/,
    );
  });

  test("a unique key stays as strict as the source's collation: case, accents and trailing spaces", async () => {
    const other = flavour === "mysql" ? "utf8mb4_0900_ai_ci" : "utf8mb4_uca1400_ai_ci";
    const both = await pair(
      servers,
      `CREATE TABLE u (id varchar(9) COLLATE utf8mb4_general_ci PRIMARY KEY, b varchar(9) COLLATE utf8mb4_bin UNIQUE,
         c varchar(9) COLLATE utf8mb4_unicode_ci, x varchar(20) COLLATE ${other}, n int, KEY plain (c), UNIQUE KEY both_x (x, n));
       INSERT INTO u VALUES ('Anna', 'b', 'c', 'Zoë', 1), ('Bob', 'B', 'C', 'zoe', 2);
       CREATE TABLE child (id int PRIMARY KEY, up varchar(9) COLLATE utf8mb4_general_ci, FOREIGN KEY (up) REFERENCES u (id)); INSERT INTO child VALUES (1, 'Anna');
       CREATE TABLE odd (id int PRIMARY KEY, v varchar(9) COLLATE utf8mb4_general_ci UNIQUE); INSERT INTO odd VALUES (1, 'x1'), (2, 'x¹')`,
    );
    const { report } = await run(both);
    const refuses = (values: string) =>
      expect(both.pg.query(`INSERT INTO public.u VALUES ${values}`)).rejects.toThrow("duplicate key");
    await refuses("('ANNA', 'q', 'c', 'q', 1)");
    await refuses("('anna  ', 'q', 'c', 'q', 1)");
    await refuses("('änna', 'q', 'c', 'q', 1)");
    await refuses("('q', 'b ', 'c', 'q', 1)");
    await refuses("('q', 'q', 'c', 'ZOE', 1)");
    await both.pg.query(
      "INSERT INTO public.u VALUES ('q', 'q', 'c', 'ZOE', 3), ('r', 'Q', 'C', NULL, 1), ('s', 'r', 'C', NULL, 1)",
    );
    const note = (name: string) =>
      report.inventory.find((entry) => entry.kind === "index" && entry.name === name)?.note ?? "";
    expect(note("u.PRIMARY")).toContain(
      "u_pkey_folded, over what the source's collation takes for equal: id (utf8mb4_general_ci) by ICU's \"und-u-ks-level1\", which differs",
    );
    expect(note("u.both_x")).toContain("which takes each character for equal that the source does");
    expect(note("u.b")).toContain("trailing spaces");
    expect(note("u.plain")).toBe("");
    expect(note("odd.v")).toContain("could not be built");
    expect(report.warnings.join("\n")).toContain(
      "unique index odd.v: tells apart what the source's collation takes for equal",
    );
    // Queries and foreign keys use the plain index.
    expect(
      await rows(
        both.pg,
        "SELECT conname FROM pg_constraint WHERE contype IN ('p', 'u', 'f') AND connamespace = 'public'::regnamespace AND conrelid::regclass::text !~ 'rowferry' ORDER BY 1",
      ),
    ).toHaveLength(7);
    await run(both, { reset: true, made: report.made, madeIn: report.target }).then(({ copied }) => copied.finish());
    expect(
      await rows(both.pg, "SELECT collname FROM pg_collation WHERE collnamespace = 'public'::regnamespace ORDER BY 1"),
    ).toEqual([["ai_ci"]]);
  });

  if (flavour === "mariadb")
    test("sequences count on where they stood, and defaults draw from them", async () => {
      const both = await pair(
        servers,
        `CREATE SEQUENCE s START WITH 5 INCREMENT BY 5 MAXVALUE 1000 CYCLE NOCACHE; DO NEXTVAL(s); DO NEXTVAL(s); CREATE SEQUENCE spent MAXVALUE 2 NOCACHE; DO NEXTVAL(spent); DO NEXTVAL(spent);
         CREATE SEQUENCE down INCREMENT BY -1 MINVALUE -10 START WITH -1;
         CREATE TABLE d (id bigint DEFAULT NEXTVAL(s) PRIMARY KEY, v int); INSERT INTO d (v) VALUES (1); CREATE VIEW drawn AS SELECT NEXTVAL(s) AS n`,
      );
      const { report } = await run(both);
      const [[expected] = []] = (
        await servers.admin.query({ sql: "SELECT CAST(next_not_cached_value AS CHAR) FROM s", rowsAsArray: true })
      )[0] as unknown as string[][];
      expect(await rows(both.pg, "INSERT INTO public.d (v) VALUES (2) RETURNING id")).toEqual([[expected]]);
      await expect(both.pg.query("SELECT nextval('public.spent')")).rejects.toThrow("reached maximum");
      expect(
        await rows(
          both.pg,
          "SELECT seqincrement, seqmin, seqmax, seqcycle FROM pg_sequence WHERE seqrelid = 'public.s'::regclass",
        ),
      ).toEqual([["5", "1", "1000", "t"]]);
      expect(report.inventory.filter(({ kind }) => kind === "sequence")).toMatchObject([
        { name: "down", outcome: "converted", note: expect.stringContaining("cache") },
        { name: "s", outcome: "converted" },
        { name: "spent", outcome: "converted" },
      ]);
      expect(report.inventory.filter(({ kind }) => kind === "view")).toEqual([
        {
          ...{ kind: "view", name: "drawn", outcome: "reported" },
          note: "not translated: NEXTVAL() draws from a sequence",
          definition: expect.stringMatching(/select nextval\(/),
        },
      ]);
      await run(both, { reset: true, made: report.made, madeIn: report.target }).then(({ copied }) => copied.finish());
      expect(await rows(both.pg, "SELECT count(*) FROM pg_sequence")).toEqual([["3"]]);
    });
});
