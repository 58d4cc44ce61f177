import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Flavour, pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

describe.each<Flavour>(["mariadb", "mysql"])("what a table of %s computes, checks and parts", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("checks, generated columns and defaults are translated where that is proven, and named with their text where not", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, flag tinyint(1),
         total int GENERATED ALWAYS AS (a + b) STORED, twice int GENERATED ALWAYS AS (a + a) VIRTUAL,
         words varchar(40) GENERATED ALWAYS AS (SOUNDEX(flag)) VIRTUAL,
         CONSTRAINT positive CHECK (a > 0), CONSTRAINT odd CHECK (SOUNDEX(id) <> 'x')${flavour === "mysql" ? ", CONSTRAINT off_now CHECK (b > 100) NOT ENFORCED, KEY computed ((a + b)), KEY strange ((SOUNDEX(a)))" : ""});
       INSERT INTO t (id, a, b, flag) VALUES (1, 2, 3, 1), (2, 5, 6, 0)`,
    );
    const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    expect(await rows(both.pg, "SELECT id, a, b, total, twice FROM public.t ORDER BY id")).toEqual([
      ["1", "2", "3", "5", "4"],
      ["2", "5", "6", "11", "10"],
    ]);
    await both.pg.query("INSERT INTO public.t (id, a, b) VALUES (3, 1, 1)");
    expect(await rows(both.pg, "SELECT total, twice FROM public.t WHERE id = 3")).toEqual([["2", "2"]]);
    await expect(both.pg.query("INSERT INTO public.t (id, a, b) VALUES (4, 0, 1)")).rejects.toThrow("positive");
    const entry = (kind: string, name: string) =>
      report.inventory.find((one) => one.kind === kind && one.name === name);
    expect(entry("check", "t.positive")).toMatchObject({ outcome: "converted" });
    expect(entry("check", "t.odd")).toMatchObject({
      outcome: "reported",
      definition: expect.stringMatching(/soundex/i),
    });
    expect(entry("generated column", "t.total")).toMatchObject({ outcome: "converted" });
    expect(entry("generated column", "t.words")).toMatchObject({
      outcome: "reported",
      definition: expect.stringMatching(/soundex/i),
    });
    if (flavour === "mysql") {
      expect(entry("check", "t.off_now")).toMatchObject({ outcome: "converted" });
      expect(entry("index", "t.computed")).toMatchObject({ outcome: "converted" });
      expect(entry("index", "t.strange")).toMatchObject({
        outcome: "reported",
        definition: expect.stringMatching(/soundex/i),
      });
    }
  });

  test("a check that rows break is added NOT VALID and named", async () => {
    const loose = flavour === "mariadb" ? "SET check_constraint_checks = 0" : "DO 0";
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, a int${flavour === "mariadb" ? ", CONSTRAINT small CHECK (a < 5)" : ""}); ${loose}; INSERT INTO t VALUES (1, 9); ${flavour === "mariadb" ? "SET check_constraint_checks = 1" : "DO 0"}`,
    );
    const { report } = await run(both);
    if (flavour === "mariadb") {
      expect(report.warnings.join()).toContain("check t.small: rows of the source break it: it was added NOT VALID");
      expect(await rows(both.pg, "SELECT convalidated FROM pg_constraint WHERE conname = 'small'")).toEqual([["f"]]);
    } else expect(report.warnings).toEqual([]);
  });

  // MariaDB has no such checks.
  if (flavour === "mysql")
    test("a check that is not enforced, and that a row breaks, is NOT ENFORCED too", async () => {
      const both = await pair(
        servers,
        "CREATE TABLE t (id int PRIMARY KEY, a int, CONSTRAINT off CHECK (a < 5) NOT ENFORCED); INSERT INTO t VALUES (1, 9)",
      );
      const { report } = await run(both);
      expect(report.warnings).toEqual([]);
      await both.pg.query("INSERT INTO t VALUES (2, 10)");
      expect(await rows(both.pg, "SELECT id, a FROM t ORDER BY id")).toEqual([
        ["1", "9"],
        ["2", "10"],
      ]);
      expect(await rows(both.pg, "SELECT conenforced FROM pg_constraint WHERE conname = 'off'")).toEqual([["f"]]);
    });

  // MySQL checks each row that it stores.
  if (flavour === "mariadb")
    test("a check that PostgreSQL cannot compute for a row is named, and not made", async () => {
      const schema = `CREATE TABLE t (id int PRIMARY KEY, a bigint, CONSTRAINT small CHECK (a * 10 < 100)); SET check_constraint_checks = 0;
       INSERT INTO t VALUES (1, 9223372036854775807); SET check_constraint_checks = 1`;
      const both = await pair(servers, schema);
      const { report } = await run(both);
      expect(report.inventory.find(({ kind, name }) => kind === "check" && name === "t.small")).toMatchObject({
        outcome: "reported",
        note: expect.stringContaining("cannot compute it for a row"),
        definition: expect.stringContaining("10"),
      });
      expect(await rows(both.pg, "SELECT conname FROM pg_constraint WHERE conname = 'small'")).toEqual([]);
      expect(await rows(both.pg, "SELECT a FROM public.t")).toEqual([["9223372036854775807"]]);
      const strict = await pair(servers, schema);
      await expect(run(strict, { options: { jobs: 2, on_object_error: "fail" } })).rejects.toMatchObject({
        code: "schema_refused",
        message: expect.stringMatching(/^making check t\.small: /),
      });
    });

  test("partitions by texts in a key: by hash as any text, within bounds by the bytes that they sort by", async () => {
    const collation = flavour === "mysql" ? "utf8mb4_0900_bin" : "utf8mb4_nopad_bin";
    const both = await pair(
      servers,
      [
        "CREATE TABLE by_key (k varchar(10) PRIMARY KEY, v int) PARTITION BY KEY (k) PARTITIONS 3; INSERT INTO by_key VALUES ('a', 1), ('É', 2), ('z', 3)",
        `CREATE TABLE bounds (a varchar(10) COLLATE ${collation}, b int, PRIMARY KEY (a, b), UNIQUE KEY turned (b, a)) PARTITION BY RANGE COLUMNS (a) (PARTITION low VALUES LESS THAN ('a'), PARTITION high VALUES LESS THAN (MAXVALUE))`,
        "INSERT INTO bounds VALUES ('B', 1), ('a', 1), ('É', 2)",
        `CREATE TABLE lists (a varchar(10) COLLATE ${collation} PRIMARY KEY) PARTITION BY LIST COLUMNS (a) (PARTITION x VALUES IN ('a', 'É'), PARTITION y VALUES IN ('B')); INSERT INTO lists VALUES ('B'), ('É')`,
        `CREATE TABLE keyless (a varchar(10) COLLATE ${collation}) PARTITION BY LIST COLUMNS (a) (PARTITION x VALUES IN ('a')); INSERT INTO keyless VALUES ('a')`,
        "CREATE VIEW low AS SELECT a FROM bounds WHERE a < 'a'",
        "CREATE VIEW joined AS SELECT b.a FROM bounds b JOIN keyless k ON k.a = b.a",
      ].join("; "),
    );
    const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    const outcome = (kind: string, of: string) =>
      report.inventory.find((one) => one.kind === kind && one.name === of)?.outcome;
    for (const of of ["by_key", "bounds", "lists", "keyless"])
      expect([of, outcome("partitions", of)]).toEqual([of, "converted"]);
    expect(await rows(both.pg, "SELECT tableoid::regclass::text, a FROM bounds ORDER BY a")).toEqual([
      ["bounds_low", "B"],
      ["bounds_high", "a"],
      ["bounds_high", "É"],
    ]);
    const keys =
      "SELECT conname FROM pg_constraint JOIN pg_class r ON r.oid = conrelid WHERE contype IN ('p', 'u') AND r.relkind = 'p' ORDER BY 1";
    expect((await rows(both.pg, keys)).flat()).toEqual(["bounds_pkey", "by_key_pkey", "lists_pkey", "turned"]);
    expect(await rows(both.pg, "SELECT a FROM low")).toEqual([["B"]]);
    // Any other column has the database's collation, which gives way.
    expect(await rows(both.pg, "SELECT a FROM joined")).toEqual([["a"]]);
  });

  test("partitions by plain columns are PostgreSQL's own; by an expression the table is plain and the report says so", async () => {
    const both = await pair(
      servers,
      [
        "CREATE TABLE r (id int, at date NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE COLUMNS (at) (PARTITION a VALUES LESS THAN ('2020-01-01'), PARTITION b VALUES LESS THAN (MAXVALUE))",
        "INSERT INTO r VALUES (1, '2019-05-05'), (2, '2020-01-01'), (3, '2031-01-01')",
        "CREATE TABLE n (id int) PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (20)); INSERT INTO n VALUES (NULL), (-5), (19)",
        "CREATE TABLE l (id int) PARTITION BY LIST (id) (PARTITION a VALUES IN (1, NULL), PARTITION b VALUES IN (2, -3)); INSERT INTO l VALUES (NULL), (-3)",
        "CREATE TABLE h (id int PRIMARY KEY, v int) PARTITION BY HASH (id) PARTITIONS 3; INSERT INTO h VALUES (1, 1), (2, 2), (3, 3)",
        "CREATE TABLE k (id int PRIMARY KEY) PARTITION BY KEY () PARTITIONS 2; INSERT INTO k VALUES (7)",
        "CREATE TABLE y (at date NOT NULL) PARTITION BY RANGE (YEAR(at)) (PARTITION a VALUES LESS THAN (2020), PARTITION b VALUES LESS THAN MAXVALUE); INSERT INTO y VALUES ('2021-01-01')",
        "CREATE TABLE c (v varchar(9) COLLATE utf8mb4_general_ci) PARTITION BY LIST COLUMNS (v) (PARTITION a VALUES IN ('a', 'b')); INSERT INTO c VALUES ('A')",
      ].join("; "),
    );
    const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    expect(report.tables.map(({ rows: { target } }) => target)).toEqual([1, 3, 1, 2, 3, 3, 1]);
    const parts = await rows(
      both.pg,
      "SELECT p.relname, c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits JOIN pg_class p ON p.oid = inhparent JOIN pg_class c ON c.oid = inhrelid WHERE p.relkind = 'p' ORDER BY 1, 2",
    );
    expect(parts.map((row) => row.join(" "))).toEqual([
      "h h_p0 FOR VALUES WITH (modulus 3, remainder 0)",
      "h h_p1 FOR VALUES WITH (modulus 3, remainder 1)",
      "h h_p2 FOR VALUES WITH (modulus 3, remainder 2)",
      "k k_p0 FOR VALUES WITH (modulus 2, remainder 0)",
      "k k_p1 FOR VALUES WITH (modulus 2, remainder 1)",
      expect.stringMatching(/^l l_a FOR VALUES IN \((NULL, 1|1, NULL)\)$/),
      expect.stringMatching(/^l l_b FOR VALUES IN \((2, '?-3'?|'?-3'?, 2)\)$/),
      "n n_a FOR VALUES FROM (MINVALUE) TO (10)",
      "n n_b FOR VALUES FROM (10) TO (20)",
      "n n_default DEFAULT",
      "r r_a FOR VALUES FROM (MINVALUE) TO ('2020-01-01')",
      "r r_b FOR VALUES FROM ('2020-01-01') TO (MAXVALUE)",
    ]);
    const keys =
      "SELECT relname FROM pg_constraint JOIN pg_class r ON r.oid = conrelid WHERE contype = 'p' AND r.relkind = 'p' ORDER BY 1";
    expect(await rows(both.pg, keys)).toEqual([["h"], ["k"], ["r"]]);
    const outcome = (name: string) => report.inventory.find((one) => one.kind === "partitions" && one.name === name);
    for (const name of ["y", "c"]) expect(outcome(name)).toMatchObject({ outcome: "reported" });
    expect(outcome("y")?.note).toMatch(/year/i);
    for (const name of ["r", "n", "l", "h", "k"]) expect(outcome(name)).toMatchObject({ outcome: "converted" });
    await run(both, { reset: true, made: report.made, madeIn: report.target });
  });
});
