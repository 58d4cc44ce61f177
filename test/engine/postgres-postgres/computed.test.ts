import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import {
  copied,
  endpoint,
  hooks,
  type Servers,
  sql,
  startServers,
  type Where,
} from "../../support/engine/postgres-support.ts";

/** Generated columns in a database of another locale: what the target computes is compared with the source's values. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

let made = 0;

async function databaseOf(locale: string, text = ""): Promise<Where> {
  const where = { server: servers.new, database: `computed${process.pid}_${++made}` };
  await sql(
    { server: servers.new, database: "postgres" },
    `CREATE DATABASE ${where.database} TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE '${locale}'`,
  );
  if (text !== "") await sql(where, text);
  return where;
}

const schema = `CREATE TABLE e (id int PRIMARY KEY, a text, b text GENERATED ALWAYS AS (upper(a)) STORED, c bool GENERATED ALWAYS AS (a ~ '\\w') STORED,
    n int GENERATED ALWAYS AS (length(a)) STORED, v text GENERATED ALWAYS AS (upper(a)) VIRTUAL);
  INSERT INTO e (id, a) VALUES (1, 'é'), (2, 'e'), (3, 'ü'), (4, 'é_'), (5, NULL);
  CREATE TABLE keyless (a text, b text GENERATED ALWAYS AS (upper(a)) STORED); INSERT INTO keyless (a) VALUES ('é'), ('e');
  CREATE TABLE same (id int PRIMARY KEY, a text, b text GENERATED ALWAYS AS (upper(a)) STORED); INSERT INTO same (id, a) VALUES (1, 'e')`;

test("generated columns that a target of another locale computes otherwise are named with the number of their values", async () => {
  const [source, target] = [await databaseOf("C.UTF-8", schema), await databaseOf("C")];
  const { report } = await copied(source, target);
  expect(await sql(target, "SELECT b, c FROM e WHERE id = 1")).toEqual([{ b: "é", c: false }]);
  const columns = report.inventory.filter(({ kind }) => kind === "generated column");
  expect(columns.map(({ name, outcome, note }) => [name, outcome, note]).sort()).toEqual([
    ["public.e.b", "reported", expect.stringMatching(/^3 of its values are not those of the source/)],
    ["public.e.c", "reported", expect.stringMatching(/^2 of its values are not those of the source/)],
    ["public.e.v", "reported", expect.stringMatching(/^3 of its values are not those of the source/)],
    ["public.keyless.b", "reported", expect.stringMatching(/values are not those of the source/)],
  ]);
  expect(report.warnings.join("\n")).toMatch(
    /generated column public\.e\.b: 3 of its values are not those of the source/,
  );
  const { equal } = await verify(
    { source: endpoint(source), target: endpoint(target), options: { jobs: 1 } },
    { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
  );
  expect(equal).toBe(false);
});

test("verify: checksum compares what is computed as well", async () => {
  const [source, target] = [await databaseOf("C.UTF-8", schema), await databaseOf("C")];
  const using = hooks();
  await expect(copied(source, target, { options: { jobs: 2, verify: "checksum" } }, using)).rejects.toMatchObject({
    code: "verification_failed",
    message: expect.stringContaining("public.e, public.keyless;"),
  });
  expect(using.heard.log.map(([, words]) => words).join("\n")).toMatch(
    /generated column public\.e\.c: 2 of its values/,
  );
  const alike = await databaseOf("C.UTF-8");
  const { report } = await copied(source, alike, { options: { jobs: 2, verify: "checksum" } });
  expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
  expect(report.inventory.filter(({ kind }) => kind === "generated column")).toEqual([]);
});

test("a virtual column that cannot be computed for a row does not end a copy, and is named", async () => {
  const [source, target] = [
    await databaseOf(
      "C.UTF-8",
      "CREATE TABLE d (id int PRIMARY KEY, n int, v int GENERATED ALWAYS AS (10 / n) VIRTUAL, w int GENERATED ALWAYS AS (n + 1) STORED); INSERT INTO d (id, n) VALUES (1, 0), (2, 5)",
    ),
    await databaseOf("C"),
  ];
  const { report } = await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
  expect(report.verification).toMatchObject({ differences: [] });
  expect(report.inventory.filter(({ kind }) => kind === "generated column")).toEqual([
    {
      kind: "generated column",
      name: "public.d.v",
      outcome: "reported",
      note: "its values could not be compared (division by zero)",
    },
  ]);
});
