import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { error, type Flavour, pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

describe.each<Flavour>(["mariadb", "mysql"])(
  "what the catalogue of %s does not show, or PostgreSQL does not take",
  (flavour) => {
    let servers: Servers;
    beforeAll(async () => {
      servers = await startServers(flavour);
    });
    afterAll(() => servers?.close());

    const note = async (work: ReturnType<typeof run>, name: string, kind: string) =>
      (await work).report.inventory.find((entry) => entry.name === name && entry.kind === kind);

    test("characters of four bytes in defaults and labels arrive, or are named", async () => {
      const both = await pair(
        servers,
        `CREATE TABLE e (id int PRIMARY KEY, a varchar(20) DEFAULT '😀x?\\n''\\\\', q varchar(9) DEFAULT 'why?',
         n varchar(20) NOT NULL DEFAULT '😀', l enum('😀','b','wh?') DEFAULT '😀', s set('😀','y') DEFAULT '😀,y',
         plain enum('a','b') DEFAULT 'b');
       INSERT INTO e (id) VALUES (1), (2); UPDATE e SET l = 'b' WHERE id = 2;
       CREATE TABLE none (id int PRIMARY KEY, n varchar(20) NOT NULL DEFAULT '😀', m varchar(20) DEFAULT '😀')`,
      );
      const done = run(both);
      const { report } = await done;
      await both.pg.query("INSERT INTO public.e (id) VALUES (3)");
      const expected = ["😀x?\n'\\", "why?", "😀", "😀", "{😀,y}", "b"];
      expect(await rows(both.pg, "SELECT a, q, n, l, s, plain FROM public.e WHERE id <> 2 ORDER BY id")).toEqual([
        expected,
        expected,
      ]);
      expect(await note(done, "e.l", "column")).toMatchObject({
        note: expect.stringContaining("text without a check"),
      });
      // MySQL's SHOW CREATE TABLE has the character; of MariaDB no row of the empty table tells it.
      const lost = flavour === "mariadb" ? [{ name: "none.n", outcome: "reported" }] : [];
      expect(report.inventory.filter(({ kind }) => kind === "default")).toMatchObject(lost);
      await both.pg.query(
        `INSERT INTO public.none (id${flavour === "mariadb" ? ", n) VALUES (1, '😀')" : ") VALUES (1)"}`,
      );
      expect(await rows(both.pg, "SELECT n, m FROM public.none")).toEqual([["😀", "😀"]]);
    });

    test("an ENUM with equal labels and a SET with an empty or an equal one become text with a check, by name", async () => {
      const both = await pair(
        servers,
        `SET sql_mode = ''; CREATE TABLE l (id int PRIMARY KEY, e enum('a','b','a') DEFAULT 'b', s set('','a','b') DEFAULT 'a', d set('x','y','x'));
         INSERT INTO l VALUES (1, 3, 0, 4), (2, 'b', 1, 'x,y'), (3, NULL, 3, NULL);
         SET sql_mode = DEFAULT`,
      );
      const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
      expect(await rows(both.pg, "SELECT e, s, d FROM public.l ORDER BY id")).toEqual([
        ["a", "", "x"],
        ["b", "", "x,y"],
        [null, "a", null],
      ]);
      for (const name of ["l.e", "l.s", "l.d"])
        expect(report.inventory.find((entry) => entry.name === name)).toMatchObject({
          note: expect.stringContaining("text with a check"),
        });
      await expect(both.pg.query("INSERT INTO public.l VALUES (4, 'c', '', 'x')")).rejects.toMatchObject({
        code: "23514",
      });
      await expect(both.pg.query("INSERT INTO public.l VALUES (4, 'a', 'c', 'x')")).rejects.toMatchObject({
        code: "23514",
      });
      await both.pg.query("INSERT INTO public.l (id, d) VALUES (5, 'y,x')");
      expect(await rows(both.pg, "SELECT e, s FROM public.l WHERE id = 5")).toEqual([["b", "a"]]);
    });

    test("half of a surrogate pair fails the run by table, column and number of rows", async () => {
      const made = pair(
        servers,
        `CREATE TABLE texts (id int PRIMARY KEY, plain text, bad longtext) CHARACTER SET utf8mb4;
         INSERT INTO texts VALUES (1, 'a', 'b'), (2, 'c', _utf8mb4 x'61EDA08062'), (3, 'd', _utf8mb4 x'EDBFBF'), (4, NULL, NULL)`,
      );
      // MySQL does not store it.
      if (flavour === "mysql") return expect(made).rejects.toThrow("Invalid utf8mb4 character string: 'EDA080'");
      expect(await error(run(await made))).toMatchObject({
        code: "data_refused",
        message: expect.stringContaining("is in the text of texts.bad in 2 rows: correct the rows"),
      });
    });

    test("half of a surrogate pair in UCS-2 is named the same way", async () => {
      const both = await pair(
        servers,
        `CREATE TABLE texts (id int PRIMARY KEY, plain text, bad varchar(9) CHARACTER SET ucs2) CHARACTER SET utf8mb4;
         INSERT INTO texts VALUES (1, 'a', 'b'), (2, 'c', _ucs2 x'D800'), (3, 'd', _ucs2 x'D83DDE00'), (4, NULL, NULL)`,
      );
      expect(await error(run(both))).toMatchObject({
        code: "data_refused",
        message: expect.stringContaining("is in the text of texts.bad in 2 rows: correct the rows"),
      });
    });

    test("a default above bigint's range makes its column wide, with those that refer to it, though no row takes it", async () => {
      const both = await pair(
        servers,
        `CREATE TABLE p (id bigint unsigned NOT NULL DEFAULT 18446744073709551615 PRIMARY KEY, n bigint unsigned DEFAULT 9223372036854775807);
         CREATE TABLE c (id int PRIMARY KEY, p bigint unsigned, FOREIGN KEY (p) REFERENCES p (id)); INSERT INTO p VALUES (1, 2); INSERT INTO c VALUES (1, 1)`,
      );
      await run(both);
      await both.pg.query("INSERT INTO public.p DEFAULT VALUES; INSERT INTO public.c SELECT 2, max(id) FROM public.p");
      const found = await rows(
        both.pg,
        "SELECT p.id, n, c.id, pg_typeof(n) FROM public.p JOIN public.c ON c.p = p.id ORDER BY 1",
      );
      expect(found).toEqual([
        ["1", "2", "1", "bigint"],
        ["18446744073709551615", "9223372036854775807", "2", "bigint"],
      ]);
    });

    test("a FLOAT's default has all its digits, or the report says that the server did not tell", async () => {
      const both = await pair(
        servers,
        `CREATE TABLE f (id int PRIMARY KEY, big float DEFAULT 3.4028234e+38, odd float NOT NULL DEFAULT 16777217, small float DEFAULT -1.17549435e-38,
           half float NOT NULL DEFAULT 1.5, few float(8,3) DEFAULT 1234.567, huge double DEFAULT -1e300);
         INSERT INTO f (id) VALUES (1);
         CREATE TABLE none (id int PRIMARY KEY, odd float NOT NULL DEFAULT 16777217, half float NOT NULL DEFAULT 1.5)`,
      );
      const done = run(both);
      const { report } = await done;
      await both.pg.query("INSERT INTO public.f (id) VALUES (2)");
      expect(await rows(both.pg, "SELECT DISTINCT big, odd, small, half, few, huge FROM public.f")).toEqual([
        ["3.4028235e+38", "1.6777216e+07", "-1.1754944e-38", "1.5", "1234.567", "-1e+300"],
      ]);
      expect(await note(done, "none.odd", "default")).toMatchObject({
        outcome: "reported",
        note: expect.stringContaining("six digits"),
      });
      expect(report.inventory.filter(({ kind }) => kind === "default")).toHaveLength(1);
    });

    test("a TIMESTAMP's default is the same instant, whatever the time zone of the session that made the table", async () => {
      const both = await pair(
        servers,
        `SET time_zone = '+05:30'; CREATE TABLE t (id int PRIMARY KEY, a timestamp NOT NULL DEFAULT '2020-01-01 00:00:00',
           b timestamp(3) NULL DEFAULT '2020-01-01 00:00:00.5' ON UPDATE CURRENT_TIMESTAMP(3), c datetime DEFAULT '2020-01-01 00:00:00');
         SET time_zone = '+00:00'; INSERT INTO t (id) VALUES (1)`,
      );
      await run(both);
      await both.pg.query("INSERT INTO public.t (id) VALUES (2)");
      expect(await rows(both.pg, "SELECT DISTINCT a, b, c FROM public.t")).toEqual([
        ["2019-12-31 18:30:00+00", "2019-12-31 18:30:00.5+00", "2020-01-01 00:00:00"],
      ]);
    });

    test("a time default outside of a day makes the column an interval", async () => {
      const both = await pair(
        servers,
        "CREATE TABLE t (id int PRIMARY KEY, a time DEFAULT '30:00:00', b time DEFAULT '-01:00:00', c time DEFAULT '23:59:59'); INSERT INTO t (id) VALUES (1)",
      );
      await run(both);
      await both.pg.query("INSERT INTO public.t (id) VALUES (2)");
      expect(await rows(both.pg, "SELECT DISTINCT a, b, c FROM public.t")).toEqual([
        ["30:00:00", "-01:00:00", "23:59:59"],
      ]);
    });

    test("columns named like PostgreSQL's own are renamed, and the report says how", async () => {
      const names = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"];
      const both = await pair(
        servers,
        `CREATE TABLE s (id int PRIMARY KEY, ${names.map((name) => `${name} int`).join(", ")}, KEY (xmin)); INSERT INTO s VALUES (1, 2, 3, 4, 5, 6, 7)`,
      );
      const done = run(both);
      for (const name of names) {
        expect(await note(done, `s.${name}`, "column")).toMatchObject({
          note: expect.stringMatching(new RegExp(`as ${name}_[0-9a-f]{8}`)),
        });
      }
      expect(await rows(both.pg, "SELECT * FROM public.s")).toEqual([["1", "2", "3", "4", "5", "6", "7"]]);
    });

    test("a NUL in a label fails by the column's name, before anything is made", async () => {
      const both = await pair(servers, "CREATE TABLE n (id int PRIMARY KEY, l enum('a\\0b', 'c'))");
      const failed = await error(run(both));
      expect(failed).toMatchObject({ code: "data_refused", retryable: false });
      expect(failed.message).toContain("column n.l:");
    });

    test("minus zero stays minus zero, and floating point numbers are the same to the last bit", async () => {
      const both = await pair(
        servers,
        `CREATE TABLE f (id int PRIMARY KEY, f float, d double, m double(30,2), z double zerofill);
       INSERT INTO f VALUES (1, '-0', '-0', 0, 5), (2, 1.1, 0.1e0 + 0.2e0, 1234567890123456789012.5, 1e300),
         (3, 16777215, 1.7976931348623157e308, 1.1, 0), (4, 1.17549435e-38, 5e-324, 0, 0)`,
      );
      await run(both);
      const minus = flavour === "mysql" ? "-0" : "0";
      const sent = await servers.admin.query<never>("SELECT CAST(d * 1e0 AS CHAR) AS d FROM f WHERE id = 1");
      expect((sent[0] as { d: string }[])[0]?.d).toBe(minus);
      expect(await rows(both.pg, "SELECT f, d, m, z FROM public.f ORDER BY id")).toEqual([
        [minus, minus, "0", "5"],
        ["1.1", "0.30000000000000004", "1.2345678901234568e+21", "1e+300"],
        ["1.6777215e+07", "1.7976931348623157e+308", "1.1", "0"],
        ["1.1754944e-38", "5e-324", "0", "0"],
      ]);
    });

    if (flavour === "mariadb")
      test("JSON that only MariaDB takes for JSON becomes text, and the report says so", async () => {
        const both = await pair(
          servers,
          `CREATE TABLE j (id int PRIMARY KEY, a json, b json, c json);
       INSERT INTO j VALUES (1, '{"x":1,"x":2}', '[1.]', '{"x":1}'), (2, '[1e]', '{}', NULL), (3, '"\\\\q"', '[]', '[]')`,
        );
        const done = run(both);
        expect(await note(done, "j.a", "column")).toMatchObject({
          note: expect.stringContaining("→ text; text, since"),
        });
        expect(await note(done, "j.b", "column")).toMatchObject({
          note: expect.stringContaining("→ text; text, since"),
        });
        expect(await note(done, "j.c", "column")).toMatchObject({ note: "longtext → jsonb" });
        expect(await rows(both.pg, "SELECT a, b, c FROM public.j ORDER BY id")).toEqual([
          ['{"x":1,"x":2}', "[1.]", '{"x": 1}'],
          ["[1e]", "{}", null],
          ['"\\q"', "[]", "[]"],
        ]);
      });
  },
);
