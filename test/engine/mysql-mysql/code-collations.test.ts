import { expect, test } from "vitest";
import { assess } from "../../../src/engine/assess/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { copied, pair, pairs, useServers } from "../../support/engine/mysql-mysql-support.ts";

/** Routines, triggers and events whose text variables and parameters have the default of their database, which is another in the target. */

const servers = useServers();
const hooks = { signal: new AbortController().signal, log: () => undefined, progress: () => undefined };

const schema = `ALTER DATABASE CHARACTER SET latin1 COLLATE latin1_german1_ci;
  CREATE TABLE t (id int PRIMARY KEY, a varchar(20) CHARACTER SET utf8mb4);
  CREATE FUNCTION f(p varchar(10)) RETURNS varchar(40) DETERMINISTIC BEGIN DECLARE v varchar(10); SET v = concat(p, 'x'); RETURN hex(v); END;
  CREATE TRIGGER tg BEFORE INSERT ON t FOR EACH ROW BEGIN DECLARE n int; DECLARE v, w varchar(20) DEFAULT 'a;b'; SET v = new.a; SET new.a = concat(v, length(v)); END;
  CREATE PROCEDURE pr(OUT o text, IN n int) SET o = 'x';
  CREATE EVENT e ON SCHEDULE EVERY 1 YEAR DISABLE DO BEGIN DECLARE x char(5); SET x = 'a'; END;
  CREATE FUNCTION own(p varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin) RETURNS int DETERMINISTIC BEGIN DECLARE n int; /* DECLARE v text; */ RETURN n; END`;

const named: Record<string, string> = {
  "function f": "its parameter p, its variable v",
  "procedure pr": "its parameter o",
  "trigger tg": "its variable v, its variable w",
  "event e": "its variable x",
};

test.each(pairs)("%s → %s: each is named with the collation that the target database should have", async (from, to) => {
  const where = await pair(servers, from, to, schema);
  const { findings } = await assess({ ...where, options: { jobs: 2 } }, hooks);
  const { report } = await copied(where);
  for (const [object, texts] of Object.entries(named)) {
    const words = new RegExp(
      `${texts} take the default of the database, which is utf8mb4_\\w+ in the target, not latin1_german1_ci: make the target database with CHARACTER SET latin1 COLLATE latin1_german1_ci`,
    );
    expect(report.inventory.find(({ kind, name }) => `${kind} ${name}` === object)?.note, object).toMatch(words);
    expect(JSON.stringify(findings.filter(({ object: of }) => of === object))).toMatch(words);
  }
  expect(report.inventory.find(({ name }) => name === "own")?.note ?? "").not.toMatch(/default of the database/);
  expect(report.warnings).toContainEqual(
    expect.stringMatching(/^text variables or parameters take .* in function f, procedure pr, trigger tg, event e:/),
  );
  const compared = await verify({ ...where, options: { jobs: 2 } }, hooks);
  const differing = compared.inventory.filter(({ note }) => /collation of its database/.test(note ?? ""));
  expect(differing.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual(Object.keys(named).sort());
});

test("nothing is said where the target database has the source's default", async () => {
  const where = await pair(servers, "mysql", "mysql", schema);
  await where.to.query("ALTER DATABASE CHARACTER SET latin1 COLLATE latin1_german1_ci");
  const { report } = await copied(where);
  expect(JSON.stringify([report.warnings, report.inventory])).not.toMatch(/default of the database|take the target/);
  const compared = await verify({ ...where, options: { jobs: 2 } }, hooks);
  expect(JSON.stringify(compared.inventory)).not.toMatch(/collation of its database/);
});
