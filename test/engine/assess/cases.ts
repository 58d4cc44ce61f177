import type { CopyOptions } from "../../../src/engine/contract/index.ts";

/** Schemas, targets and rights, each with what the assessment finds and how the copy ends. */

export type Kind = "mysql" | "mariadb" | "postgres";

export interface Case {
  from: Kind;
  to: Kind;
  source: string;
  target?: string;
  options?: Partial<CopyOptions>;
  /** A user of the target with these rights alone: statements, $user and $database in them. */
  poor?: string;
  encoding?: string;
  /** What the assessment finds; a `blocker` ends the copy with an error that names the object or has the code. */
  says?: string[];
  /** What the target loses by options.drop. */
  drops?: { tables: number; rows: number };
  /** The copy's error. */
  code?: string;
  /** Parts of the report's notes, by kind and name. */
  notes?: Record<string, string>;
  /** `verify` with the same options finds the copy equal. */
  equal?: true;
}

const parent = "CREATE TABLE p (id INT PRIMARY KEY, a INT, KEY (a)); INSERT INTO p VALUES (1, 1);";
const long = (characters: number) =>
  `CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(${characters}), UNIQUE KEY long_ (v))`;

export const cases: [string, Case][] = [
  [
    "foreign keys of one name in two tables",
    {
      from: "postgres",
      to: "mysql",
      source: `CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE a (id int PRIMARY KEY, p int CONSTRAINT same REFERENCES p);
        CREATE TABLE b (id int PRIMARY KEY, p int CONSTRAINT same REFERENCES p); INSERT INTO p VALUES (1); INSERT INTO a VALUES (1, 1)`,
      says: ["note name_changes"],
    },
  ],
  [
    "columns A and a",
    {
      from: "postgres",
      to: "mariadb",
      source: `CREATE TABLE t (id int PRIMARY KEY, a int, "A" text); INSERT INTO t VALUES (1, 2, 'x')`,
      says: ["warning names_alike"],
    },
  ],
  [
    "foreign keys on partitioned tables",
    {
      from: "postgres",
      to: "mariadb",
      source: `CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE t (id int PRIMARY KEY, p int REFERENCES p) PARTITION BY RANGE (id);
        CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (10); INSERT INTO p VALUES (1); INSERT INTO t VALUES (1, 1)`,
    },
  ],
  [
    "a foreign key to columns that are not unique",
    {
      from: "mariadb",
      to: "postgres",
      source: `${parent} CREATE TABLE c (id INT PRIMARY KEY, a INT, CONSTRAINT loose FOREIGN KEY (a) REFERENCES p (a)); INSERT INTO c VALUES (1, 1)`,
    },
  ],
  [
    "a primary key on partitions by expression",
    {
      from: "mysql",
      to: "postgres",
      source:
        "CREATE TABLE t (id INT, d DATE, PRIMARY KEY (id, d)) PARTITION BY RANGE (YEAR(d)) (PARTITION p0 VALUES LESS THAN (2000), PARTITION p1 VALUES LESS THAN MAXVALUE); INSERT INTO t VALUES (1, '1999-01-01')",
    },
  ],
  [
    "partitions by texts that are keys",
    {
      from: "mysql",
      to: "postgres",
      source: `CREATE TABLE k (k VARCHAR(10) PRIMARY KEY, v INT) PARTITION BY KEY (k) PARTITIONS 3; INSERT INTO k VALUES ('a', 1);
        CREATE TABLE r (a VARCHAR(10) COLLATE utf8mb4_0900_bin PRIMARY KEY) PARTITION BY RANGE COLUMNS (a) (PARTITION p0 VALUES LESS THAN ('m'), PARTITION p1 VALUES LESS THAN (MAXVALUE)); INSERT INTO r VALUES ('a'), ('z')`,
      notes: { "partitions r": 'a has the collation "C"' },
      equal: true,
    },
  ],
  [
    "index keys that PostgreSQL has no room for",
    { from: "mysql", to: "postgres", source: `${long(768)}; INSERT INTO t VALUES (1, REPEAT('ä', 768))` },
  ],
  [
    "a target whose server has no collations of ICU",
    {
      from: "mysql",
      to: "postgres",
      source:
        "CREATE TABLE t (a varchar(20) COLLATE utf8mb4_0900_ai_ci, UNIQUE KEY one (a)); INSERT INTO t VALUES ('a')",
      target: "DELETE FROM pg_catalog.pg_collation WHERE collprovider = 'i'",
    },
  ],
  [
    "index keys that MySQL has no room for",
    {
      from: "postgres",
      to: "mysql",
      source:
        "CREATE TABLE t (id int PRIMARY KEY, v varchar(2000) UNIQUE, w varchar(2000)); CREATE INDEX ON t (w); INSERT INTO t VALUES (1, repeat('x', 2000), '')",
    },
  ],
  [
    "more columns than MySQL's tables have",
    {
      from: "postgres",
      to: "mysql",
      source: `CREATE TABLE wide (${Array.from({ length: 1100 }, (_, at) => `c${at} int`).join(", ")})`,
      says: ["blocker too_many_columns"],
      code: "too_many_columns",
    },
  ],
  ...(["mysql", "mariadb"] as const).flatMap((to): [string, Case][] => [
    [
      `a table in the way in ${to}`,
      {
        from: "mysql",
        to,
        source: parent,
        target: "CREATE TABLE p (x INT)",
        says: ["blocker target_not_empty"],
        code: "target_not_empty",
      },
    ],
    [
      `a view in the way in ${to}`,
      {
        from: "mysql",
        to,
        source: "CREATE VIEW v AS SELECT 1 AS one",
        target: "CREATE TABLE v (x INT)",
        says: ["blocker target_not_empty"],
        code: "target_not_empty",
      },
    ],
    [
      `code in the way in ${to}`,
      {
        from: "mysql",
        to,
        source: "CREATE PROCEDURE act() SELECT 1",
        target: "CREATE PROCEDURE ACT() SELECT 2",
        says: ["blocker target_not_empty"],
        code: "target_not_empty",
      },
    ],
    [
      `a table that may be dropped, though another refers to it, in ${to}`,
      {
        from: "mysql",
        to,
        source: parent,
        target: "CREATE TABLE p (id INT PRIMARY KEY); CREATE TABLE other (p INT, FOREIGN KEY (p) REFERENCES p (id))",
        options: { drop: ["p"] },
        says: ["blocker dependents_exist"],
        code: "dependents_exist",
        drops: { tables: 1, rows: 0 },
      },
    ],
    [
      `a user of ${to} without rights`,
      {
        from: "mysql",
        to,
        source: parent,
        poor: "GRANT SELECT, INSERT ON $database.* TO $user",
        says: ["blocker right_missing"],
        code: "permission_denied",
      },
    ],
    [
      `a user of ${to} without REFERENCES`,
      {
        from: "mysql",
        to,
        source: `${parent} CREATE TABLE c (id INT PRIMARY KEY, p INT, CONSTRAINT owned FOREIGN KEY (p) REFERENCES p (id)); INSERT INTO c VALUES (1, 1)`,
        poor: "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX ON $database.* TO $user",
        ...(to === "mysql" ? { says: ["blocker right_missing"], code: "permission_denied" } : {}),
      },
    ],
    [
      `a PostgreSQL table in the way in ${to}`,
      {
        from: "postgres",
        to,
        source: "CREATE TABLE p (id int)",
        target: "CREATE TABLE p (x INT)",
        says: ["blocker target_not_empty"],
        code: "target_not_empty",
      },
    ],
    [
      `a PostgreSQL table that may be dropped, though another refers to it, in ${to}`,
      {
        from: "postgres",
        to,
        source: "CREATE TABLE p (id int)",
        target: "CREATE TABLE p (id INT PRIMARY KEY); CREATE TABLE other (p INT, FOREIGN KEY (p) REFERENCES p (id))",
        options: { drop: ["p"] },
        says: ["blocker dependents_exist"],
        code: "dependents_exist",
        drops: { tables: 1, rows: 0 },
      },
    ],
  ]),
  [
    "a table in the way in PostgreSQL",
    {
      from: "mysql",
      to: "postgres",
      source: parent,
      target: "CREATE TABLE p (x int)",
      says: ["blocker target_not_empty"],
      code: "target_not_empty",
    },
  ],
  [
    "a view in the way of a table in PostgreSQL",
    {
      from: "mysql",
      to: "postgres",
      source: parent,
      target: "CREATE VIEW p AS SELECT 1 AS one",
      says: ["blocker target_not_empty"],
      code: "target_not_empty",
    },
  ],
  [
    "a table that may be dropped, though a view reads it, in PostgreSQL",
    {
      from: "mysql",
      to: "postgres",
      source: parent,
      target: "CREATE TABLE p (x int); CREATE VIEW seen AS SELECT * FROM p",
      options: { drop: ["p"] },
      says: ["blocker dependents_exist"],
      code: "dependents_exist",
      drops: { tables: 1, rows: 0 },
    },
  ],
  [
    "a table in the way between PostgreSQL's",
    {
      from: "postgres",
      to: "postgres",
      source: "CREATE TABLE p (id int)",
      target: "CREATE TABLE p (x int)",
      says: ["blocker target_not_empty"],
      code: "target_not_empty",
    },
  ],
  [
    "a function, a type and a view in the way between PostgreSQL's",
    {
      from: "postgres",
      to: "postgres",
      source: "CREATE FUNCTION act() RETURNS int LANGUAGE sql AS 'SELECT 1'",
      target: "CREATE FUNCTION act() RETURNS int LANGUAGE sql AS 'SELECT 2'",
      says: ["blocker target_not_empty"],
      code: "target_not_empty",
    },
  ],
  [
    "a table that may be dropped, though another refers to it, between PostgreSQL's",
    {
      from: "postgres",
      to: "postgres",
      source: "CREATE TABLE p (id int)",
      target: "CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE other (p int REFERENCES p)",
      options: { drop: ["public.p"] },
      says: ["blocker dependents_exist"],
      code: "dependents_exist",
      drops: { tables: 1, rows: 0 },
    },
  ],
  [
    "an encoding of PostgreSQL that lacks characters",
    {
      from: "mysql",
      to: "postgres",
      source: parent,
      encoding: "LATIN1",
      says: ["blocker target_encoding"],
      code: "target_encoding",
    },
  ],
  [
    "another encoding between PostgreSQL's",
    {
      from: "postgres",
      to: "postgres",
      source: "CREATE TABLE p (v text); INSERT INTO p VALUES ('ä')",
      encoding: "LATIN1",
      says: ["warning encoding"],
    },
  ],
  [
    "a user of PostgreSQL without rights",
    {
      from: "mysql",
      to: "postgres",
      source: parent,
      poor: "SELECT 1",
      says: ["blocker right_missing"],
      code: "permission_denied",
    },
  ],
  [
    "a user of PostgreSQL that may use one schema, which another one is named for",
    {
      from: "mariadb",
      to: "postgres",
      source: parent,
      target: "CREATE SCHEMA mine",
      options: { schemas: { $source: "mine" } },
      poor: "GRANT ALL ON SCHEMA mine TO $user; GRANT ALL ON SCHEMA public TO $user",
    },
  ],
  [
    "a schema that is to be made by a user of PostgreSQL who may not",
    {
      from: "mariadb",
      to: "postgres",
      source: parent,
      options: { schemas: { $source: "mine" } },
      poor: "GRANT ALL ON SCHEMA public TO $user",
      says: ["blocker right_missing"],
      code: "permission_denied",
    },
  ],
  [
    "a schema between PostgreSQL's that is to be made by a user who may not",
    {
      from: "postgres",
      to: "postgres",
      source: "CREATE SCHEMA mine; CREATE TABLE mine.t (id int)",
      poor: "GRANT ALL ON SCHEMA public TO $user",
      says: ["blocker right_missing"],
      code: "permission_denied",
    },
  ],
  ...Object.entries({
    "CREATE VIEW": "CREATE VIEW v AS SELECT 1 AS one",
    TRIGGER: "CREATE TABLE t (id INT); CREATE TRIGGER act BEFORE INSERT ON t FOR EACH ROW SET NEW.id = 1",
    "CREATE ROUTINE": "CREATE PROCEDURE act() SELECT 1",
    EVENT: "CREATE EVENT act ON SCHEDULE EVERY 1 DAY DISABLE DO SELECT 1",
  }).map(([right, source]): [string, Case] => [
    `a user of MariaDB without ${right}`,
    {
      from: "mariadb",
      to: "mariadb",
      source,
      poor: "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, REFERENCES ON $database.* TO $user",
      says: ["blocker right_missing"],
      code: "permission_denied",
    },
  ]),
  [
    "a view of PostgreSQL for a user of MySQL without CREATE VIEW",
    {
      from: "postgres",
      to: "mysql",
      source: "CREATE TABLE t (id int PRIMARY KEY); CREATE VIEW v AS SELECT id FROM t",
      poor: "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX ON $database.* TO $user",
      says: ["warning right_missing"],
    },
  ],
  [
    "more columns than PostgreSQL's tables have",
    {
      from: "mariadb",
      to: "postgres",
      source: `CREATE TABLE wide (${Array.from({ length: 1700 }, (_, at) => `c${at} TINYINT`).join(", ")}) ENGINE = MyISAM`,
      says: ["blocker too_many_columns"],
      code: "database_error",
    },
  ],
  [
    "an extension that only a superuser may make",
    {
      from: "postgres",
      to: "postgres",
      source: "CREATE EXTENSION pageinspect; CREATE TABLE t (id int)",
      poor: "GRANT ALL ON SCHEMA public TO $user; GRANT CREATE ON DATABASE $database TO $user",
      says: ["blocker right_missing"],
      code: "permission_denied",
    },
  ],
  [
    "values that FORCE ROW LEVEL SECURITY will hide from who has to compare them",
    {
      from: "postgres",
      to: "postgres",
      source:
        "CREATE TABLE t (id int); ALTER TABLE t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY; INSERT INTO t VALUES (1)",
      options: { verify: "checksum" },
      poor: "GRANT ALL ON SCHEMA public TO $user",
      says: ["blocker permission_denied"],
      code: "permission_denied",
    },
  ],
  [
    "an extension whose types are used and that anybody may make",
    {
      from: "postgres",
      to: "postgres",
      source: "CREATE EXTENSION citext; CREATE TABLE t (v citext)",
      poor: "GRANT ALL ON SCHEMA public TO $user; GRANT CREATE ON DATABASE $database TO $user",
    },
  ],
  ...(["mysql", "mariadb"] as const).map((from): [string, Case] => [
    `types and collations of ${from} that the other lacks`,
    {
      from,
      to: from === "mysql" ? "mariadb" : "mysql",
      source:
        from === "mysql"
          ? "CREATE TABLE t (id INT PRIMARY KEY, j JSON, v VARCHAR(9) COLLATE utf8mb4_0900_as_cs, b INT INVISIBLE, CHECK (b > 0)); CREATE VIEW v AS SELECT id FROM t"
          : "CREATE TABLE t (id INT PRIMARY KEY, u UUID, i INET6, j JSON) WITH SYSTEM VERSIONING; CREATE SEQUENCE s; CREATE VIEW v AS SELECT id FROM t",
    },
  ]),
  [
    "a pattern that is the name of a view alone",
    {
      from: "postgres",
      to: "mysql",
      source: "CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE other (id int); CREATE VIEW v AS SELECT id FROM t",
      options: { include: ["t", "v"] },
    },
  ],
  [
    "schemas that are renamed between PostgreSQL's",
    {
      from: "postgres",
      to: "postgres",
      source: "CREATE TABLE t (id int)",
      options: { schemas: { public: "mine" } },
      says: ["blocker unsupported_option"],
      code: "unsupported_option",
    },
  ],
];
