import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Flavour,
  pair,
  rows,
  type Servers,
  sourceRows,
  startServers,
} from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

const bytesOf = (text: string | null | undefined) => Buffer.byteLength(text ?? "");

describe.each<Flavour>(["mariadb", "mysql"])("shapes of %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("fields that end at, before and after a packet's limit arrive whole", async () => {
    // A row's payload: the id (2 bytes), the blob's length (4 bytes, 9 from 16 MB on), the blob, `after` (6 bytes).
    const limit = 16_777_215;
    const sizes = [limit - 13, limit - 12, limit - 11, limit + 1, 2 * limit - 17, 262_000, 131_000, 65_535, 65_536, 0];
    const inserts = sizes.map(
      (size, id) => `INSERT INTO b VALUES (${id}, LEFT(REPEAT(x'00ff5c0a', ${size} DIV 4 + 1), ${size}), 'after')`,
    );
    const lengths = [8_500_000, 131_000, 65_535, 65_536, 0];
    const texts = lengths.map(
      (length, id) =>
        `INSERT INTO x VALUES (${id}, LEFT(REPEAT('aé\\\t\n', ${length} DIV 5 + 1), ${length}), 'after', 7)`,
    );
    const both = await pair(
      servers,
      `CREATE TABLE b (id int PRIMARY KEY, v longblob, z varchar(9)); ${inserts.join("; ")}; CREATE TABLE x (id int PRIMARY KEY, v longtext, z varchar(9), n int); ${texts.join("; ")}`,
    );
    const { report } = await run(both);
    expect(report.tables.map((table) => table.rows.target)).toEqual([sizes.length, lengths.length]);
    const { admin } = servers;
    const blobs = await sourceRows(admin, "SELECT id, LENGTH(v), SHA2(v, 256), z FROM b ORDER BY id");
    expect(await rows(both.pg, "SELECT id, length(v), encode(sha256(v), 'hex'), z FROM public.b ORDER BY id")).toEqual(
      blobs,
    );
    const long = await sourceRows(admin, "SELECT id, CHAR_LENGTH(v), SHA2(v, 256), z, n FROM x ORDER BY id");
    expect(
      await rows(
        both.pg,
        "SELECT id, length(v), encode(sha256(convert_to(v, 'UTF8')), 'hex'), z, n FROM public.x ORDER BY id",
      ),
    ).toEqual(long);
  });

  test("names are data, whatever they hold", async () => {
    const both = await pair(
      servers,
      [
        'CREATE TABLE `select` (`order` int, `a"b` int, `back``tick` varchar(5), `ta ble` int, `%s` int, `$body$` int, `ünï 漢` int, KEY `k"ey` (`a"b`)) COMMENT \'it\'\'s \\\\ a "comment"\'',
        "INSERT INTO `select` VALUES (1, 2, '3', 4, 5, 6, 7)",
        "CREATE TABLE `a\"; DROP TABLE x; --` (id int AUTO_INCREMENT PRIMARY KEY, up int, e enum('x','y'), `when` timestamp NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, CONSTRAINT `f k` FOREIGN KEY (up) REFERENCES `a\"; DROP TABLE x; --` (id))",
        "INSERT INTO `a\"; DROP TABLE x; --` (e) VALUES ('x')",
        `CREATE TABLE \`${"漢".repeat(40)}a\` (id int PRIMARY KEY, \`${"é".repeat(60)}1\` int, \`${"é".repeat(60)}2\` int)`,
        `CREATE TABLE \`${"漢".repeat(40)}b\` (id int PRIMARY KEY)`,
        `INSERT INTO \`${"漢".repeat(40)}b\` VALUES (8)`,
      ].join("; "),
    );
    const { report } = await run(both);
    expect(
      await rows(
        both.pg,
        'SELECT "order", "a""b", "back`tick", "ta ble", "%s", "$body$", "ünï 漢" FROM public."select"',
      ),
    ).toEqual([["1", "2", "3", "4", "5", "6", "7"]]);
    expect(await rows(both.pg, `SELECT id, e FROM public."a""; DROP TABLE x; --"`)).toEqual([["1", "x"]]);
    const long = report.tables.find(({ source }) => source.endsWith("b") && source.includes("漢"));
    expect(bytesOf(long?.target.slice("public.".length))).toBeLessThanOrEqual(63);
    expect(await rows(both.pg, `SELECT * FROM public."${long?.target.slice("public.".length)}"`)).toEqual([["8"]]);
    expect(await rows(both.pg, "SELECT obj_description('public.\"select\"'::regclass)")).toEqual([
      ['it\'s \\ a "comment"'],
    ]);
  });

  test("tables of every outline: a thousand columns, no key, no rows, id 0, keys over several columns", async () => {
    const columns = Array.from({ length: 1000 }, (_, index) => `c${index}`);
    const both = await pair(
      servers,
      [
        `CREATE TABLE wide (${columns.map((name) => `${name} int`).join(", ")})`,
        `INSERT INTO wide VALUES (${columns.map((_, index) => index).join(", ")})`,
        `INSERT INTO wide VALUES (${columns.map(() => "NULL").join(", ")})`,
        "CREATE TABLE keyless (v varchar(10)); INSERT INTO keyless VALUES ('a'), ('a'), (NULL)",
        "CREATE TABLE `empty` (id int PRIMARY KEY, flag tinyint(1) DEFAULT 1)",
        "CREATE TABLE zero (id int AUTO_INCREMENT PRIMARY KEY, v int); INSERT INTO zero VALUES (0, 1), (5, 2); ALTER TABLE zero AUTO_INCREMENT = 100",
        "CREATE TABLE composite (a int, b varchar(20), c date, n int, PRIMARY KEY (b, a), UNIQUE KEY u (c, n), KEY p (b(3)), KEY d (n DESC, a)); INSERT INTO composite VALUES (1, 'x', '2020-01-01', 3)",
        "CREATE TABLE unseen (id int PRIMARY KEY, flag tinyint(1) DEFAULT 0); INSERT INTO unseen VALUES (1, NULL)",
        "CREATE TABLE defaults (id int PRIMARY KEY, t varchar(20) NOT NULL DEFAULT 'it''s \\\\', n decimal(5,2) DEFAULT -1.50, b bit(3) DEFAULT b'101', f tinyint(1) DEFAULT 1, d datetime(3) DEFAULT CURRENT_TIMESTAMP(3), e enum('p','q') DEFAULT 'q', s set('p','q') DEFAULT 'p,q', z date DEFAULT '0000-00-00', g int GENERATED ALWAYS AS (id * 2) STORED); INSERT INTO defaults (id) VALUES (1)",
      ].join("; "),
    );
    const { report } = await run(both);
    expect((await rows(both.pg, "SELECT * FROM public.wide ORDER BY c0"))[0]).toEqual(
      columns.map((_, index) => String(index)),
    );
    expect(await rows(both.pg, "SELECT v FROM public.keyless ORDER BY v")).toEqual([["a"], ["a"], [null]]);
    expect(await rows(both.pg, "SELECT id, v FROM public.zero ORDER BY id")).toEqual([
      ["0", "1"],
      ["5", "2"],
    ]);
    expect(await rows(both.pg, "INSERT INTO public.zero (v) VALUES (1) RETURNING id")).toEqual([["100"]]);
    const types = await rows(
      both.pg,
      "SELECT table_name, data_type, column_default FROM information_schema.columns WHERE column_name = 'flag' ORDER BY 1",
    );
    expect(types).toEqual([
      ["empty", "smallint", "1"],
      ["unseen", "smallint", "0"],
    ]);
    const indexes = await rows(
      both.pg,
      "SELECT indexdef FROM pg_indexes WHERE tablename = 'composite' ORDER BY indexname",
    );
    expect(indexes.map(([definition]) => definition?.replace(/.* USING /, ""))).toEqual([
      "btree (b, a)",
      flavour === "mysql" ? "btree (b COLLATE ai_ci, a)" : "btree (rtrim((b)::text, ' '::text) COLLATE ai_ci, a)",
      flavour === "mysql" ? "btree (n DESC, a)" : expect.stringMatching(/^btree \(n( DESC)?, a\)$/),
      'btree ("left"((b)::text, 3))',
      "btree (c, n)",
    ]);
    await both.pg.query("INSERT INTO public.defaults (id) VALUES (2)");
    expect(await rows(both.pg, "SELECT t, n, b, f, e, s, z, g FROM public.defaults WHERE id = 2")).toEqual([
      ["it's \\", "-1.50", "101", "t", "q", "{p,q}", null, "4"],
    ]);
    expect(
      await rows(
        both.pg,
        "SELECT g, abs(extract(epoch FROM d - localtimestamp)) < 600 FROM public.defaults WHERE id = 1",
      ),
    ).toEqual([["2", "t"]]);
    const reported = report.inventory
      .filter(({ outcome }) => outcome === "reported")
      .map(({ kind, name }) => `${kind} ${name}`);
    expect(reported).toEqual(expect.arrayContaining(["default defaults.z"]));
  });
});
