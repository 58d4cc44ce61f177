import type { Case } from "./cases.ts";

/** Views, code, sequences and partitions, of which the assessment says what the copy makes of them. */
export const objectCases: [string, Case][] = (["mysql", "mariadb"] as const).flatMap((server): [string, Case][] => [
  [
    `checks and defaults of ${server}`,
    {
      from: server,
      to: "postgres",
      source: `CREATE TABLE c (id INT PRIMARY KEY, s VARCHAR(9), CONSTRAINT kept CHECK (id > 0), CONSTRAINT broken CHECK (CRC32(s) > 5),
            n INT DEFAULT (id + 1), q VARCHAR(9) DEFAULT (CONCAT('\`id\`', 'b')));
          INSERT INTO c (id, s) VALUES (1, 'a')`,
      notes: { "default c.n": "it reads column id, and PostgreSQL's defaults read none" },
    },
  ],
  [
    `keys of PostgreSQL that ${server} has in part`,
    {
      from: "postgres",
      to: server,
      source: `CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c (id int PRIMARY KEY, a int REFERENCES p, b int REFERENCES p DEFERRABLE,
          d int DEFAULT 1 REFERENCES p ON DELETE SET DEFAULT)`,
      notes: { "constraint public.c c_b_fkey": "not deferrable", "constraint public.c c_d_fkey": "SET DEFAULT" },
    },
  ],
  ...(["mysql", "mariadb"] as const).map((to): [string, Case] => [
    `rights of ${server} for ${to}`,
    {
      from: server,
      to,
      source: `CREATE TABLE t (id INT PRIMARY KEY, s TEXT); CREATE VIEW v AS SELECT id FROM t; CREATE PROCEDURE act() SELECT 1;
          CREATE USER IF NOT EXISTS agreed_${server}_${to}; GRANT SELECT, INSERT (id) ON t TO agreed_${server}_${to};
          GRANT SELECT ON v TO agreed_${server}_${to}; GRANT EXECUTE ON PROCEDURE act TO agreed_${server}_${to}`,
    },
  ]),
  [
    `rights of ${server} for postgres`,
    {
      from: server,
      to: "postgres",
      source: `CREATE TABLE t (id INT PRIMARY KEY, s TEXT); CREATE VIEW v AS SELECT id FROM t; CREATE PROCEDURE act() SELECT 1;
          CREATE USER IF NOT EXISTS agreed_${server}_there; CREATE USER IF NOT EXISTS agreed_${server}_gone;
          GRANT SELECT, INSERT (id), DROP ON t TO agreed_${server}_there; GRANT SELECT ON v TO agreed_${server}_there;
          GRANT EXECUTE ON PROCEDURE act TO agreed_${server}_there; GRANT SELECT ON t TO agreed_${server}_gone`,
      target: `CREATE ROLE agreed_${server}_there`,
      notes: { [`grant SELECT on t to agreed_${server}_gone@%`]: "the target has no role" },
    },
  ],
  [
    `views and code of ${server}`,
    {
      from: server,
      to: "postgres",
      source: `CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(9) COLLATE utf8mb4_general_ci, t TINYINT(1)); INSERT INTO t VALUES (1, 'a', 1);
          CREATE VIEW plain AS SELECT id, t FROM t; CREATE VIEW above AS SELECT id + 1 AS more FROM plain;
          CREATE VIEW folded AS SELECT id FROM t WHERE s = 'a'; CREATE VIEW on_folded AS SELECT id FROM folded;
          CREATE FUNCTION f() RETURNS INT DETERMINISTIC RETURN 1; CREATE PROCEDURE act() SELECT 1;
          CREATE TRIGGER b BEFORE INSERT ON t FOR EACH ROW SET NEW.id = 1; CREATE EVENT e ON SCHEDULE EVERY 1 DAY DISABLE DO SELECT 1`,
    },
  ],
  [
    `a view that MariaDB itself cannot read for ${server === "mysql" ? server : "postgres"}`,
    {
      from: "mariadb",
      to: server === "mysql" ? server : "postgres",
      source:
        "CREATE TABLE t (id INT PRIMARY KEY); CREATE VIEW words AS WITH `two words` AS (SELECT id FROM t) SELECT id FROM `two words`; CREATE VIEW plain AS SELECT id FROM t",
      notes: { "view words": server === "mysql" ? "it is broken in the source" : "not translated" },
    },
  ],
  [
    `a view of MariaDB that draws from a sequence for ${server === "mysql" ? server : "postgres"}`,
    {
      from: "mariadb",
      to: server === "mysql" ? server : "postgres",
      source: "CREATE SEQUENCE s; CREATE VIEW v AS SELECT NEXTVAL(s) AS n",
      notes: { "view v": "draws from a sequence" },
    },
  ],
  [
    `sequences of MariaDB and a default that draws from one for ${server === "mysql" ? server : "postgres"}`,
    {
      from: "mariadb",
      to: server === "mysql" ? server : "postgres",
      source: `CREATE SEQUENCE s CACHE 50; CREATE SEQUENCE more;
          CREATE TABLE u (id BIGINT DEFAULT NEXTVAL(s) PRIMARY KEY); INSERT INTO u VALUES (1)`,
    },
  ],
  [
    `views, sequences and partitions of PostgreSQL for ${server}`,
    {
      from: "postgres",
      to: server,
      source: `CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY (INCREMENT BY 5) PRIMARY KEY, s text); CREATE TABLE gone (id serial PRIMARY KEY);
          CREATE TABLE parts (id serial, d int) PARTITION BY RANGE (d); CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (9);
          CREATE TABLE plain (id serial PRIMARY KEY); CREATE SEQUENCE free; CREATE SEQUENCE shared;
          CREATE TABLE two (a int DEFAULT nextval('shared'), b int DEFAULT nextval('shared'));
          INSERT INTO t (s) VALUES ('a'); INSERT INTO parts (d) VALUES (1);
          CREATE VIEW seen AS SELECT id, s FROM t; CREATE VIEW above AS SELECT id FROM seen; CREATE VIEW unseen AS SELECT upper(s) AS s FROM t;
          CREATE VIEW on_gone AS SELECT id FROM gone; CREATE VIEW left_out AS SELECT 1 AS one;
          CREATE TABLE "far 😀" (id int); CREATE VIEW of_far AS SELECT id FROM "far 😀"; CREATE VIEW far AS SELECT id AS "far 😀" FROM of_far;
          CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
      options: { exclude: ["gone", "left_out"] },
      notes: {
        "sequence public.t_id_seq": "the counter of public.t.id, but counts by 5, and MySQL by 1; its last value is 1",
        "sequence public.gone_id_seq": "its table is skipped by options.include or options.exclude",
        "sequence public.shared": "not the counter of one column",
        "sequence public.parts_id_seq": "AUTO_INCREMENT of parts.id",
        "view public.far": "not translated: MySQL cannot keep the column's name far 😀",
        "view public.left_out": "skipped by options.include or options.exclude",
      },
    },
  ],
]);
