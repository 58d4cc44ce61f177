import type { Mutant } from "../mutant.ts";

/** Faults of the fence in the target, and of what a reset drops there. */

const fence = (name: string) => ({
  file: "test/engine/postgres/fence.test.ts",
  name: `the fence in a PostgreSQL target > ${name}`,
});

export const target: readonly Mutant[] = [
  {
    id: "epoch-ignored-postgres",
    file: "src/engine/postgres/fence/fence.ts",
    find: "if (found[0]?.epoch !== epoch) {",
    replace: "if (found[0] === undefined) {",
    test: fence("a cut-off worker that comes back beside its successor cannot write a row"),
    harm: "Two pods write into one PostgreSQL target at the same time.",
  },
  {
    id: "epoch-ignored-mysql",
    file: "src/engine/mysql/fence/fence.ts",
    find: "if (Number(rows[0]?.[0] ?? -1) !== epoch) throw superseded();",
    replace: "if (rows[0] === undefined) throw superseded();",
    test: {
      file: "test/engine/mysql-mysql/faults.test.ts",
      name: "mariadb: a session that the successor did not know of does not pass the fence",
    },
    harm: "Two pods write into one MySQL target at the same time.",
  },
  {
    id: "others-rows-emptied-mysql",
    file: "src/engine/mysql/fence/own-rows.ts",
    find: 'if (own === undefined) return "others";',
    replace: 'if (own === undefined) return "own";',
    test: {
      file: "test/engine/mysql/own-rows.test.ts",
      name: "rows alone from MySQL to mariadb, after a kill > the application's own row in a table whose rows were not committed stops the retry, and stays through a reset",
    },
    harm: "A retry of rows alone empties a table with the application's own rows.",
  },
  {
    id: "session-of-old-epoch-mysql",
    file: "src/engine/mysql/fence/fence.ts",
    find: "if (written.affected !== 1) throw superseded();",
    replace: "",
    test: {
      file: "test/engine/mysql-mysql/faults.test.ts",
      name: "mariadb: a worker that was cut off writes nothing beside its successor",
    },
    harm: "A worker that lost its target opens new sessions there, which its successor does not know.",
  },
  {
    id: "predecessor-left-alive-postgres",
    file: "src/engine/postgres/fence/fence.ts",
    find: "    await endPredecessors(first, owner, epoch);",
    replace: "",
    test: fence("every session of the worker before is ended, also one that has no transaction open"),
    harm: "Statements of an earlier worker that need no transaction go on in the target beside the next run.",
  },
  {
    id: "owner-ignored-postgres",
    file: "src/engine/postgres/fence/claim-rows.ts",
    find: "WHERE c.kind = 'claim' AND c.owner <> $1",
    replace: "WHERE c.kind = 'claim' AND c.owner = $1 || '?'",
    test: fence("another owner's claim is met with whose it is and what takes it away, and nothing is changed"),
    harm: "Two migrations write into the same tables of one PostgreSQL target at the same time.",
  },
  {
    id: "claims-ignored-mysql",
    file: "src/engine/mysql/fence/claim-rows.ts",
    find: "refuseTaken(table, others);",
    replace: "",
    test: {
      file: "test/engine/mysql/target-beside.test.ts",
      name: "two runs into one database of mysql > many that come and go at one moment: none fails, no claim is had twice, and the table goes with the last",
    },
    harm: "Two migrations write into the same tables of one MySQL target at the same time.",
  },
  {
    id: "others-epoch-passes-postgres",
    file: "src/engine/postgres/fence/fence.ts",
    find: " FOR SHARE`,",
    replace: " OR kind = 'fence' FOR SHARE`,",
    test: fence("a worker that was cut off passes by no other owner's epoch"),
    harm: "Of two runs into one PostgreSQL database one takes the other's epoch for its own.",
  },
  {
    id: "others-schema-dropped-postgres",
    file: "src/engine/postgres/fence/drop.ts",
    find: "const other = await needed(object);",
    replace: "const other = undefined as string | undefined;",
    test: {
      file: "test/engine/postgres-postgres/beside.test.ts",
      name: "two runs into one database > of one schema: a reset of the first leaves the schema to the other, whose reset drops it",
    },
    harm: "A run cannot be reset while another one has tables in a schema that both copy into.",
  },
  {
    id: "taken-name-dropped-postgres",
    file: "src/engine/postgres/fence/drop.ts",
    find: "if (found !== undefined && found.id === object.id) {",
    replace: "if (found !== undefined) {",
    test: fence("a table that took the name of one that was made is left alone, and named"),
    harm: "A reset drops a user's own table that has the name of one that the copy had made.",
  },
  {
    id: "taken-name-dropped-mysql",
    file: "src/engine/mysql/fence/drop.ts",
    find: "if (!(await isOurs(session, object, proofs, found)))",
    replace: "if (proofs.length > 1_000_000)",
    test: {
      file: "test/engine/mysql-mysql/faults.test.ts",
      name: "mariadb: a reset drops exactly what the run made, at whatever point it was killed",
    },
    harm: "A reset drops a user's own table that has the name of one that the copy had made.",
  },
  {
    id: "other-database-dropped-mysql",
    file: "src/engine/mysql/fence/drop.ts",
    find: "const why = isHere(object) ? undefined :",
    replace: "const why = isHere(object) || true ? undefined :",
    test: {
      file: "src/engine/mysql/fence/drop.test.ts",
      name: "what a list says of a database of another name",
    },
    harm: "A reset drops tables in another database of the same server.",
  },
  {
    id: "other-server-dropped",
    file: "src/engine/run/reset.ts",
    find: "  await refuseElsewhere(request, signal);",
    replace: "",
    test: {
      file: "test/engine/run/reset-elsewhere.test.ts",
      name: "a report of a copy into postgres > drops nothing on another server that was filled alike, by reset or by a copy that begins with one",
    },
    harm: "A reset by a report drops the tables of another server that was filled alike.",
  },
  {
    id: "dependents-dropped-mysql",
    file: "src/engine/mysql/fence/drop.ts",
    find: "if (others.length === 0) continue;",
    replace: "if (others.length >= 0) continue;",
    test: {
      file: "test/engine/mysql-mysql/faults.test.ts",
      name: "mariadb: a table that another's foreign key refers to is not dropped by a reset, and nothing else is",
    },
    harm: "A reset drops half of what was made and then fails, where a foreign key of the user's refers to the rest.",
  },
];
