import type { Case } from "./cases.ts";

/** Rows alone into tables that are there, names that match nothing, and views that are left out by name. */

type Kind = Case["from"];
const directions: [Kind, Kind][] = [
  ["mariadb", "postgres"],
  ["postgres", "postgres"],
  ["postgres", "mariadb"],
  ["mysql", "mysql"],
];

const source =
  "CREATE TABLE t (id int PRIMARY KEY, v decimal(10,4), w varchar(20)); INSERT INTO t VALUES (1, 1.2345, 'one')";
const same = "CREATE TABLE t (id int PRIMARY KEY, v decimal(10,4), w varchar(20))";
const trigger = (to: Kind) =>
  to === "postgres"
    ? "CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.id = 2; RETURN NEW; END'; CREATE TRIGGER act BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION act(); ALTER TABLE t ENABLE ALWAYS TRIGGER act"
    : "CREATE TRIGGER act BEFORE INSERT ON t FOR EACH ROW SET NEW.id = 2";
const generated = (to: Kind) =>
  to === "postgres"
    ? "CREATE TABLE t (id int PRIMARY KEY, v numeric(10,4) GENERATED ALWAYS AS (1) STORED, w varchar(20))"
    : "CREATE TABLE t (id int PRIMARY KEY, v decimal(10,4) GENERATED ALWAYS AS (1) STORED, w varchar(20))";

/** What is wrong with the target, its tables, and the copy's codes: from MySQL or PostgreSQL to PostgreSQL, from either to MySQL. */
const wrongs: [string, (to: Kind) => string, (from: Kind, to: Kind) => string][] = [
  ["no table", () => "SELECT 1", () => "schema_differs"],
  ["a column less", () => "CREATE TABLE t (id int PRIMARY KEY, v decimal(10,4))", () => "schema_differs"],
  [
    "a column more that needs a value",
    () => "CREATE TABLE t (id int PRIMARY KEY, v decimal(10,4), w varchar(20), more int NOT NULL)",
    () => "schema_differs",
  ],
  [
    "a column of a type that would change values",
    (to) => `CREATE TABLE t (id int PRIMARY KEY, v ${to === "postgres" ? "date" : "double"}, w varchar(20))`,
    () => "schema_differs",
  ],
  ["a trigger that would fire", (to) => `${same}; ${trigger(to)}`, () => "target_has_triggers"],
  [
    "rows",
    () => "CREATE TABLE t (id int PRIMARY KEY, v decimal(10,4), w varchar(20)); INSERT INTO t VALUES (7, 1, 'seven')",
    () => "target_not_empty",
  ],
];

const data = { content: "data" as const };

const byLabel = "CREATE TYPE label AS ENUM ('a', 'b'); CREATE TABLE p (e label, v int) PARTITION BY HASH (e)";

export const rowsCases: [string, Case][] = [
  ...directions.flatMap(([from, to]) => [
    ...wrongs.map(([what, target, code]): [string, Case] => [
      `rows alone from ${from} into ${to} with ${what}`,
      {
        from,
        to,
        source,
        target: target(to),
        options: data,
        says: [`blocker ${code(from, to)}`],
        code: code(from, to),
      },
    ]),
    [
      `rows alone from ${from} into ${to}, where rows may go`,
      {
        from,
        to,
        source,
        target: `CREATE TABLE t (id int PRIMARY KEY, v decimal(12,4), w varchar(30), more int); INSERT INTO t VALUES (7, 1, 'seven', 1)`,
        options: { ...data, drop: ["t"] },
        says: ["warning target_rows_dropped"],
        drops: { tables: 1, rows: 1 },
      },
    ] as [string, Case],
    [
      `a table that is dropped with its rows, from ${from} into ${to}`,
      {
        from,
        to,
        source,
        target: `CREATE TABLE t (a int); INSERT INTO t VALUES (7), (8), (9); CREATE TABLE stays (a int); INSERT INTO stays VALUES (1)`,
        options: { drop: ["t", "stays"] },
        says: ["warning target_rows_dropped"],
        drops: { tables: 1, rows: 3 },
      },
    ] as [string, Case],
    [
      `a name in drop that matches nothing, from ${from} into ${to}`,
      { from, to, source, options: { drop: ["tt"] }, says: ["blocker option_unmatched"], code: "option_unmatched" },
    ] as [string, Case],
    [
      `a name in drop of what is copied and is not there, from ${from} into ${to}`,
      { from, to, source, options: { drop: ["t"] } },
    ] as [string, Case],
    [
      `a view that is left out by its name, from ${from} into ${to}`,
      {
        from,
        to,
        source: `${source}; CREATE VIEW seen AS SELECT id FROM t; CREATE VIEW unseen AS SELECT id FROM t; CREATE VIEW above AS SELECT id FROM unseen`,
        options: { exclude: ["unseen"] },
        notes: { [from === "postgres" ? "view public.unseen" : "view unseen"]: "skipped by" },
        equal: true,
      },
    ] as [string, Case],
  ]),
  ...directions
    .filter(([, to]) => to !== "postgres")
    .map(([from, to]): [string, Case] => [
      `rows alone from ${from} into ${to} with a generated column`,
      {
        from,
        to,
        source,
        target: generated(to),
        options: data,
        says: ["blocker schema_differs"],
        code: "schema_differs",
      },
    ]),
  [
    "a foreign key of the target to a table that is not copied",
    {
      from: "postgres",
      to: "postgres",
      source: "CREATE TABLE t (id int PRIMARY KEY, up int)",
      target: "CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE t (id int PRIMARY KEY, up int REFERENCES p)",
      options: data,
      says: ["warning refers_elsewhere"],
    },
  ],
  [
    "an ordinary trigger, for a user of PostgreSQL who may not keep it still",
    {
      from: "postgres",
      to: "postgres",
      source: "CREATE TABLE t (id int PRIMARY KEY)",
      target:
        "CREATE TABLE t (id int PRIMARY KEY); CREATE FUNCTION act() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; CREATE TRIGGER act BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION act()",
      options: data,
      poor: "GRANT ALL ON SCHEMA public TO $user; GRANT ALL ON ALL TABLES IN SCHEMA public TO $user",
      says: ["blocker permission_denied"],
      code: "permission_denied",
    },
  ],
  [
    "rows alone into a partitioned table that has other partitions, for which the copy loads through its root",
    {
      from: "postgres",
      to: "postgres",
      source: `${byLabel}; CREATE TABLE p0 PARTITION OF p FOR VALUES WITH (MODULUS 2, REMAINDER 0);
        CREATE TABLE p1 PARTITION OF p FOR VALUES WITH (MODULUS 2, REMAINDER 1); INSERT INTO p SELECT 'b', i FROM generate_series(1, 9) i`,
      target: `${byLabel}; CREATE TABLE one PARTITION OF p FOR VALUES WITH (MODULUS 1, REMAINDER 0); INSERT INTO p VALUES ('a', 1)`,
      options: { ...data, drop: ["p"] },
      says: ["warning target_rows_dropped"],
      drops: { tables: 1, rows: 1 },
    },
  ],
  [
    "a selection between PostgreSQL's, with all that cannot be without what is left out",
    {
      from: "postgres",
      to: "postgres",
      source: `CREATE TABLE p (id serial PRIMARY KEY, v int); CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p); CREATE INDEX ON p (v);
        CREATE VIEW both_ AS SELECT c.id FROM c JOIN p ON p.id = c.p; CREATE FUNCTION newest() RETURNS SETOF p LANGUAGE sql AS 'SELECT * FROM public.p'; COMMENT ON TABLE p IS 'p'`,
      options: { exclude: ["p"] },
      notes: { "view public.both_": "needs table public.p" },
    },
  ],
];
