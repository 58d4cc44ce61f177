import type { Mutant } from "../mutant.ts";

/** Faults of what a report says: values and objects that are not copied as they are, without a word. */

export const values: readonly Mutant[] = [
  {
    id: "minus-zero-uncounted",
    file: "src/engine/plan/mysql-mysql/copy/copy-tables.ts",
    find: "return count === 0 ? [] : [message(",
    replace: "return count >= 0 ? [] : [message(",
    test: {
      file: "test/engine/mysql-mysql/values.test.ts",
      name: "mysql → mariadb: a zero keeps its sign, or is counted where the target knows no minus zero",
    },
    harm: "Values of -0 become 0 in a MariaDB target without a word.",
  },
  {
    id: "null-into-not-null",
    file: "src/engine/plan/fits/nulls.ts",
    find: "source.nullable && target.notNull ?",
    replace: "source.nullable && target.notNull && source.nullable !== target.notNull ?",
    test: {
      file: "test/engine/fits/not-null.test.ts",
      name: "mariadb to postgres: rows alone, NULL is counted for columns that take none, and nothing is written",
    },
    harm: "A copy of rows alone ends in the middle of a table at a NULL that the target's column does not take.",
  },
  {
    id: "lock-not-released",
    file: "src/engine/postgres/source/holding.ts",
    find: "if (longest.length > 0) await releaseDone();",
    replace: "",
    test: {
      file: "test/engine/postgres/locks.test.ts",
      name: "a session that waits for a lock of the copy on the source > gets the lock of a table that is copied, and the copy goes on",
    },
    harm: "An ALTER TABLE of the source, and every reader behind it, waits until the whole copy is done.",
  },
  {
    id: "json-digits-uncounted",
    file: "src/engine/rows/copy-to-load/field-ends.ts",
    find: "if (scan.finish()) found.rounded++;",
    replace: "scan.finish();",
    test: {
      file: "test/engine/postgres-mysql/digits.test.ts",
      name: "into mysql > numbers that lose digits in a JSON column that the copy makes are counted by their column",
    },
    harm: "Numbers in documents lose digits in MySQL's JSON without a word.",
  },
  {
    id: "period-key-unnamed",
    file: "src/engine/mysql/catalogue/periods.ts",
    find: "index.period = period;",
    replace: "index.period ??= undefined;",
    test: {
      file: "test/engine/mysql-postgres/mariadb-periods.test.ts",
      name: "a key WITHOUT OVERLAPS is named whatever its columns are called",
    },
    harm: "A key WITHOUT OVERLAPS of MariaDB becomes a plain key in PostgreSQL without a word.",
  },
  {
    id: "register-lock-unnamed",
    file: "src/engine/postgres/fence/register.ts",
    find: "throw await lockedBySomebody(session, patienceMs);",
    replace: "throw error;",
    test: {
      file: "test/engine/postgres/register.test.ts",
      name: "a lock that somebody keeps ends the run with who it is, and no other database waits for it",
    },
    harm: "A run that waits for a lock in the target ends without saying who keeps it.",
  },
];
