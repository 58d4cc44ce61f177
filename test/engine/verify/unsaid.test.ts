import { afterAll, beforeAll, expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import { run } from "../../support/engine/run.ts";
import {
  check,
  endPlaces,
  type Kind,
  type Place,
  place,
  reported,
  startPlaces,
} from "../../support/engine/verify-places.ts";

/** What a copy across engines reports as lost is told by `verify` too, though no object of the target stands for it. */

beforeAll(startPlaces);
afterAll(endPlaces);

async function copiedInto(source: Place, kind: Kind) {
  const target = await place(kind);
  const both = { source: source.endpoint, target: target.endpoint };
  const { copied } = await run(both);
  await copied.finish();
  return { both, target };
}

test("MariaDB → PostgreSQL: a period, a key WITHOUT OVERLAPS and the history are named by verify and by assess", async () => {
  const source = await place("mariadb");
  await source.run(
    `CREATE TABLE a (id INT, s DATE, e DATE, PERIOD FOR p (s, e), PRIMARY KEY (id, p WITHOUT OVERLAPS));
     CREATE TABLE w (id INT PRIMARY KEY, x INT) WITH SYSTEM VERSIONING; INSERT INTO w VALUES (1, 1); UPDATE w SET x = 3`,
  );
  const { both } = await copiedInto(source, "postgres");
  const { equal, objects } = await check(both);
  const d = source.endpoint.database;
  expect(equal).toBe(true);
  expect(objects.notes.sort()).toEqual([
    "period a.p: PostgreSQL has no periods over two columns: they are plain columns with a check of their order",
    expect.stringMatching(new RegExp(`^primary key ${d}\\.a: .*periods may overlap in the target`)),
    "system versioning w: present rows only; the history is not copied",
  ]);
  const { findings } = await assess(
    { ...both, target: (await place("postgres")).endpoint, options: { jobs: 1 } },
    { signal: new AbortController().signal, log: () => undefined },
  );
  expect(findings.map(({ code, object }) => `${code} ${object}`).sort()).toEqual([
    "history_lost w",
    "not_carried_over index a.PRIMARY",
    "not_carried_over period a.p",
  ]);
});

test("MariaDB → PostgreSQL: an exclusion constraint that keeps periods apart is missed where it is gone", async () => {
  const [source, target] = [await place("mariadb"), await place("postgres")];
  await source.run(
    "CREATE TABLE a (id INT, s DATE, e DATE, PERIOD FOR p (s, e), PRIMARY KEY (id, p WITHOUT OVERLAPS))",
  );
  await target.run("CREATE EXTENSION btree_gist");
  const both = { source: source.endpoint, target: target.endpoint };
  const { copied } = await run(both);
  await copied.finish();
  const { equal, objects } = await check(both);
  expect({ equal, notes: objects.notes.map((note) => note.split(":")[0]) }).toEqual({
    equal: true,
    notes: ["period a.p"],
  });
  await target.run("ALTER TABLE a DROP CONSTRAINT a_pkey_excl");
  const gone = await check(both);
  expect(gone.equal).toBe(false);
  expect(reported(gone)).toEqual([
    "index a.PRIMARY: the target has no exclusion constraint a_pkey_excl, which keeps the periods apart",
  ]);
});

test("MySQL → PostgreSQL: a default that the copy could not keep is named, until the target has one", async () => {
  const source = await place("mysql");
  await source.run("CREATE TABLE t (id INT PRIMARY KEY, a TINYINT(1) DEFAULT (1 + 1), b INT DEFAULT 5)");
  await source.run("INSERT INTO t VALUES (1, 1, 1)");
  const { both, target } = await copiedInto(source, "postgres");
  const { equal, objects } = await check(both);
  const start = `default ${source.endpoint.database}.t.a: `;
  expect(equal).toBe(true);
  expect(objects.notes.map((note) => note.slice(0, start.length))).toEqual([start]);
  expect(objects.not_compared.join("\n")).toContain("defaults of columns");
  await target.run("ALTER TABLE t ALTER a SET DEFAULT true");
  expect((await check(both)).objects.notes).toEqual([]);
});

test.each(["mysql", "mariadb"] as const)("PostgreSQL → %s: defaults that the target lacks are named", async (kind) => {
  const source = await place("postgres");
  await source.run(
    `CREATE SEQUENCE qq; CREATE TABLE t (id int PRIMARY KEY, a int DEFAULT floor(random() * 9)::int, b text DEFAULT current_user,
       c text DEFAULT to_char(now(), 'YYYY'), n int DEFAULT nextval('qq'), e int DEFAULT 6)`,
  );
  const { both } = await copiedInto(source, kind);
  const { equal, objects } = await check(both);
  expect(equal).toBe(true);
  const defaults = objects.notes.flatMap((note) => /^default public\.t\.(\w+): ./.exec(note)?.[1] ?? []);
  expect(defaults.sort()).toEqual(["a", "b", "c", "n"]);
});

test("PostgreSQL → MySQL: values of JSON that lost digits are counted, and the others compared", async () => {
  const source = await place("postgres");
  await source.run(
    String.raw`CREATE TABLE t (id int PRIMARY KEY, j jsonb, k json, n numeric[], kept jsonb);
     INSERT INTO t VALUES (1, '{"a":12345678901234567890123}', '[-0, 1.5e0]', '{1.23456789012345678901}', '{"a":"12345678901234567890123"}'),
       (2, '{"a\\":0.1234567890123456789}', '[1e400]'::json -> 1, '{1.5}', '[9223372036854775807, 1.5]'), (3, '1', '2.5', '{2}', '"\"12345678901234567890123"')`,
  );
  const { both } = await copiedInto(source, "mysql");
  const { equal, verification } = await check(both);
  const why =
    "numbers that MySQL's JSON does not keep (more digits than a double has, or -0); they are compared as doubles";
  expect(equal).toBe(true);
  expect(verification.uncompared).toEqual([
    `public.t.j: 2 values have ${why}`,
    `public.t.k: 1 value has ${why}`,
    `public.t.n: 1 value has ${why}`,
  ]);
});
