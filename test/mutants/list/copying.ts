import type { Mutant } from "../mutant.ts";

/** Faults of the copy itself: what is counted, made, read at one moment, and kept of an earlier attempt. */

const counts = (of: string, word: "lost" | "gained") => ({
  file: "test/engine/run/row-counts.test.ts",
  name: `${of} > a row that the target ${word} after the load fails the copy, with the table and both numbers`,
});
const notNull = (of: string) => ({
  file: "test/engine/fits/not-null.test.ts",
  name: `${of}: a column that takes no NULL takes none in the target, and others do`,
});

export const copying: readonly Mutant[] = [
  {
    id: "counts-postgres-postgres",
    file: "src/engine/plan/postgres-postgres/copy/copy-tables.ts",
    find: "  refuseCounts(counts);",
    replace: "",
    test: counts("postgres to postgres", "lost"),
    harm: "A PostgreSQL to PostgreSQL copy that lacks rows is reported as verified.",
  },
  {
    id: "counts-postgres-mysql",
    file: "src/engine/plan/postgres-mysql/copy/copy-tables.ts",
    find: "  refuseCounts([{ name: tableName(plan.source), source: before, target: after }]);",
    replace: "",
    test: counts("postgres to mariadb", "gained"),
    harm: "A PostgreSQL to MySQL copy with another number of rows is reported as verified.",
  },
  {
    id: "counts-mysql-postgres",
    file: "src/engine/plan/mysql-postgres/copy/phases.ts",
    find: "  refuseCounts(map(counts, ([name, source]) => ({ name, source, target: targetCounts.get(name) })));",
    replace: "",
    test: counts("mariadb to postgres", "lost"),
    harm: "A MySQL to PostgreSQL copy that lacks rows is reported as verified.",
  },
  {
    id: "counts-mysql-mysql",
    file: "src/engine/plan/mysql-mysql/copy/copy-rows.ts",
    find: "  refuseCounts(map(done, ([name, { rows }]) => ({ name, ...rows })));",
    replace: "",
    test: counts("mariadb to mariadb", "gained"),
    harm: "A MySQL to MySQL copy with another number of rows is reported as verified.",
  },
  {
    id: "not-null-postgres",
    file: "src/engine/plan/mysql-postgres/tables/table-plan.ts",
    find: 'if (!nullable) parts.push("NOT NULL");',
    replace: "",
    test: notNull("mariadb to postgres"),
    harm: "Columns of the PostgreSQL target take NULL where the source's take none.",
  },
  {
    id: "not-null-mysql",
    file: "src/engine/plan/postgres-mysql/columns/column-lines.ts",
    find: 'if (!nullable && !(column.generated && planning.scheme.maria)) parts.push("NOT NULL");',
    replace: "",
    test: notNull("postgres to mariadb"),
    harm: "Columns of the MySQL target take NULL where the source's take none.",
  },
  {
    id: "no-shared-snapshot-postgres",
    file: "src/engine/postgres/source/source.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the line as it stands in the file
    find: "await session.run(`${begin}; ${snapshot}`)",
    replace: "await session.run(begin)",
    test: {
      file: "test/engine/postgres-postgres/faults.test.ts",
      name: "rows that a careless reader would miss > writes during the copy are all in or all out: one moment of the source is copied",
    },
    harm: "Tables are copied as they were at different moments, so that an order may be there without its customer.",
  },
  {
    id: "no-shared-snapshot-mysql",
    file: "src/engine/mysql/source/snapshot.ts",
    find: 'start = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"',
    replace: 'start = "START TRANSACTION READ ONLY"',
    test: {
      file: "test/engine/mysql-postgres/faults.test.ts",
      name: "faults with mariadb > rows written meanwhile are all in or all out, over several sessions and tables",
    },
    harm: "Tables are copied as they were at different moments, so that an order may be there without its customer.",
  },
  {
    id: "unproven-snapshot-mysql",
    file: "src/engine/mysql/source/unlocked.ts",
    find: "const most = 1;",
    replace: "const most: number = 4;",
    test: {
      file: "test/engine/run/snapshot-position.test.ts",
      name: "the place of a snapshot in the log > of MySQL is its GTIDs, and file and offset under a lock with the right to see them",
    },
    harm: "Several connections read without a lock, each another state: one copy in eight is torn under a writer.",
  },
  {
    id: "unequal-tables-kept",
    file: "src/engine/run/verified-tables.ts",
    find: "names.filter((name) => !different.has(name) && ",
    replace: "names.filter((name) => ",
    test: {
      file: "test/engine/mysql-postgres/resume.test.ts",
      name: "a second attempt at a copy from mariadb > what others changed in a table that would be copied again is named, and stays; named in options.drop it goes",
    },
    harm: "A retry keeps a table whose rows differ from the source.",
  },
  {
    id: "unequal-tables-kept-postgres",
    file: "src/engine/plan/postgres-postgres/copy/resume.ts",
    find: "differing.has(formatTable([schema, name])) ? [] : [oid]",
    replace: "differing.size < 0 ? [] : [oid]",
    test: {
      file: "test/engine/postgres-postgres/resume.test.ts",
      name: "a second attempt > names a table with a row that changed in the target, whose rows would be copied again",
    },
    harm: "A retry keeps a PostgreSQL table whose rows differ from the source.",
  },
  {
    id: "other-plans-tables-kept",
    file: "src/engine/plan/mysql-postgres/copy/resume.ts",
    find: "finished.get(plan.source.name)?.digest === tablePlanDigest(plan)",
    replace: "finished.has(plan.source.name)",
    test: {
      file: "src/engine/plan/mysql-postgres/copy/resume.test.ts",
      name: "a table that an earlier attempt finished under another plan is copied again",
    },
    harm: "A retry keeps a table that was made by an older definition.",
  },
  {
    id: "uncompared-tables-kept",
    file: "src/engine/run/verified-tables.ts",
    find: "!uncompared.some((column) =>",
    replace: "!uncompared.some((column) => column === '' &&",
    test: {
      file: "src/engine/run/verified-tables.test.ts",
      name: "a table of which a column could not be compared is not proven",
    },
    harm: "A retry keeps a table whose values nobody compared.",
  },
  {
    id: "gone-tables-end-the-retry",
    file: "src/engine/run/verified-tables.ts",
    find: "if (error instanceof EngineError && !error.retryable) return new Set();",
    replace: "",
    test: {
      file: "src/engine/run/verified-tables.test.ts",
      name: "tables that cannot be compared any more are copied again, and a lost connection is an error",
    },
    harm: "A retry fails for good where somebody altered a table of the first attempt.",
  },
  {
    id: "key-names-unquoted",
    file: "src/engine/mysql/definitions/definition.ts",
    find: "const sql = withQuotedKeys(shown, foreignKeys);",
    replace: "const sql = shown;",
    test: {
      file: "test/engine/mysql-mysql/key-names.test.ts",
      name: "mariadb → mysql: what follows a foreign key with a backtick in its names arrives",
    },
    harm: "A check of MariaDB's behind a foreign key with a backtick in its names is lost, or its table is not copied.",
  },
  {
    id: "checks-by-name",
    file: "src/engine/plan/mysql-postgres/columns/checks.ts",
    find: "column.name === name && isJsonCheck(check, column)",
    replace: 'column.name === name && column.dataType === "longtext"',
    test: {
      file: "test/engine/mysql-postgres/checks.test.ts",
      name: "a check with the name of a JSON column is made, and the check that makes the column JSON is named beside it",
    },
    harm: "A check that is called like a JSON column of MariaDB's is lost.",
  },
  {
    id: "folding-unsaid",
    file: "src/engine/plan/postgres-mysql/tables/indexes.ts",
    find: "if (index.unique) index.keys.flatMap(lostFolding).forEach(lose);",
    replace: "",
    test: {
      file: "test/engine/postgres-mysql/folding.test.ts",
      name: "unique keys of PostgreSQL in mysql > what a collation took for equal is named, with the text of the index",
    },
    harm: "A unique index of PostgreSQL's that takes upper and lower case for equal becomes weaker, and nothing says so.",
  },
  {
    id: "narrower-unchecked",
    file: "src/engine/plan/fits/values.ts",
    find: "if (refused.length === 0)",
    replace: "if (refused.length >= 0)",
    test: {
      file: "test/engine/fits/postgres.test.ts",
      name: "a value that would be cut or rounded is counted by its column, and nothing is written",
    },
    harm: "Rows that go into tables that are there are cut and rounded without a word.",
  },
  {
    id: "charset-unconverted",
    file: "src/engine/plan/mysql-mysql/tables/existing-columns.ts",
    find: "if (charsets.has(from)) return converted(column.name, from);",
    replace: "if (charsets.has(from)) return column;",
    test: {
      file: "test/engine/fits/mysql-mysql.test.ts",
      name: "a text is converted also where each of its bytes would be a character of the target's set",
    },
    harm: "Texts that go into a column of another character set become other characters.",
  },
  {
    id: "partition-by-enum",
    file: "src/engine/postgres/catalogue/partition-roots.ts",
    find: '(strategy === "h" ? hashed : ordered).has(type)',
    replace: "ordered.has(type)",
    test: {
      file: "src/engine/postgres/catalogue/partition-roots.test.ts",
      name: "a value's partition is the same on both servers > a hash of an enum",
    },
    harm: "A copy of partitions by HASH of an enum fails.",
  },
  {
    id: "large-objects-entry",
    file: "src/engine/postgres/fence/large-object-list.ts",
    find: "size > 0 && oids.length + size <= mostInEntry",
    replace: "size > 0",
    test: {
      file: "src/engine/postgres/fence/large-object-list.test.ts",
      name: "an entry with 1-501 is none of a copy",
    },
    harm: "A report that somebody edited takes all memory of a reset.",
  },
  {
    id: "pool-touches-together",
    file: "src/engine/run/pool.ts",
    find: "    for (const one of task.touches ?? []) held.add(one);",
    replace: "",
    test: {
      file: "src/engine/run/pool.test.ts",
      name: "what touches the same never runs at once, and a later one goes first meanwhile",
    },
    harm: "Two ALTER TABLE of tables that foreign keys join wait for each other in MariaDB for ever.",
  },
];
