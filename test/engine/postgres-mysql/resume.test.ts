import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EngineProgress } from "../../../src/engine/contract/index.ts";
import { reset } from "../../../src/engine/run/reset.ts";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import {
  inSource,
  type Pair,
  pair,
  rows,
  type Servers,
  startServers,
} from "../../support/engine/postgres-mysql-support.ts";
import { interrupted, run } from "../../support/engine/run.ts";

describe.each<Flavour>(["mysql", "mariadb"])("a second attempt at a copy from PostgreSQL to %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const schema = `CREATE TABLE same (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n double precision NOT NULL, v text, at date); INSERT INTO same (n, v, at) VALUES (1.5, 'x', 'infinity'), ('NaN', 'y', NULL);
    CREATE INDEX same_n ON same (n);
    CREATE TABLE moved (id int PRIMARY KEY, up int REFERENCES same, v varchar(20)); INSERT INTO moved VALUES (1, 1, 'old');
    CREATE TABLE twin (id int PRIMARY KEY, v varchar(20) UNIQUE, up int REFERENCES same); INSERT INTO twin VALUES (1, 'a', 1), (2, 'b', 2);
    CREATE TABLE big (id int PRIMARY KEY, v text); INSERT INTO big SELECT i, repeat('x', 190) FROM generate_series(1, 30000) i`;

  const smallTablesAreDone = ({ table }: EngineProgress): boolean =>
    table.length > 0 && table.every(({ name, state }) => name === "public.big" || state === "done");

  /** By default until all small tables are done. */
  const stopped = (both: Pair, content: "all" | "data" = "all", enough = smallTablesAreDone): Promise<void> =>
    interrupted(both, enough, { bandwidth: 1_000_000, content });

  const finishedMarks = async ({ name }: Pair) =>
    (
      await rows(servers.admin, `SELECT COUNT(*) FROM ${name}._rowferry WHERE kind = 'part' AND name LIKE 'finished:%'`)
    )[0]?.[0];

  test("names a trigger that others put on a table of its own meanwhile, and goes on when that is gone", async () => {
    const both = await pair(servers, schema);
    await stopped(both);
    await servers.admin.query(
      `CREATE TRIGGER ${both.name}.aside BEFORE INSERT ON ${both.name}.twin FOR EACH ROW SET @seen = 1`,
    );
    await expect(run(both)).rejects.toMatchObject({
      code: "target_changed",
      retryable: false,
      message: expect.stringMatching(/twin \(aside\)\. Drop these triggers and run again/),
    });
    await servers.admin.query(`DROP TRIGGER ${both.name}.aside`);
    const { report, copied } = await run(both);
    expect(report.resumed?.kept).toContain("public.twin");
    await copied.finish();
  });

  test("leaves a foreign key that others put on a table that is kept", async () => {
    const both = await pair(servers, schema);
    await stopped(both);
    await servers.admin.query(
      `CREATE TABLE ${both.name}.own (id int PRIMARY KEY); INSERT INTO ${both.name}.own VALUES (1), (2); ALTER TABLE ${both.name}.twin ADD CONSTRAINT theirs FOREIGN KEY (id) REFERENCES ${both.name}.own (id)`,
    );
    const { report, copied } = await run(both);
    expect(report.resumed?.kept).toContain("public.twin");
    await copied.finish();
    const found = await rows(
      servers.admin,
      `SELECT CONSTRAINT_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = '${both.name}' AND TABLE_NAME = 'twin' ORDER BY 1`,
    );
    expect(found).toEqual([["theirs"], ["twin_up_fkey"]]);
  });

  test("names what others put on a table that would be made anew, each by itself, and leaves it", async () => {
    const both = await pair(servers, schema);
    await stopped(both);
    const others: [make: string, named: string, undo: string][] = [
      ["CREATE INDEX theirs ON $.big (v(5))", "big (index theirs)", "DROP INDEX theirs ON $.big"],
      ["ALTER TABLE $.big ADD theirs int DEFAULT 42", "big (column theirs)", "ALTER TABLE $.big DROP theirs"],
      [
        "CREATE TRIGGER $.theirs BEFORE INSERT ON $.big FOR EACH ROW SET NEW.v = NEW.v",
        "big (trigger theirs)",
        "DROP TRIGGER $.theirs",
      ],
      ["INSERT INTO $.big VALUES (999999, 'theirs')", "big (1 row)", "DELETE FROM $.big WHERE id = 999999"],
      [
        "CREATE TABLE $.own (id int PRIMARY KEY); SET foreign_key_checks = 0; ALTER TABLE $.big ADD CONSTRAINT theirs FOREIGN KEY (id) REFERENCES $.own (id); SET foreign_key_checks = 1",
        "big (foreign key theirs)",
        "ALTER TABLE $.big DROP FOREIGN KEY theirs; DROP TABLE $.own",
      ],
    ];
    for (const [make, named, undo] of others) {
      await servers.admin.query(make.replaceAll("$", both.name));
      await expect(run(both), make).rejects.toMatchObject({
        code: "target_changed",
        retryable: false,
        message: expect.stringContaining(`anew: ${named}. Nothing was dropped`),
      });
      await servers.admin.query(undo.replaceAll("$", both.name));
    }
    const { copied } = await run(both);
    await copied.finish();
    expect(await rows(servers.admin, `SELECT COUNT(*) FROM ${both.name}.big`)).toEqual([["30000"]]);
  });

  test("keeps the tables that were finished and are equal by their hashes, and copies again what has changed or was not finished", async () => {
    const both = await pair(servers, schema);
    await stopped(both);
    const marks = Number(await finishedMarks(both));
    expect(marks).toBeGreaterThan(0);
    await inSource(
      servers.source.urlOf(both.name, "admin"),
      "UPDATE moved SET v = 'new'; INSERT INTO moved VALUES (2, NULL, NULL)",
    );
    // A column of its own that the engine did not fill tells a table that was kept from one that was made anew.
    const { report, logs, copied } = await run(both);
    const finished = [...(report.resumed?.kept ?? []), ...(report.resumed?.copied_again ?? [])].sort();
    expect(finished).toHaveLength(marks);
    expect(report.resumed?.kept).toContain("public.twin");
    expect(report.resumed?.kept).not.toContain("public.moved");
    expect(report.resumed?.kept).not.toContain("public.big");
    expect(logs.join("\n")).toContain(
      "table public.twin was finished by an earlier attempt and is equal to the source: it is kept",
    );
    expect(await rows(servers.admin, `SELECT * FROM ${both.name}.moved ORDER BY id`)).toEqual([
      ["1", "1", "new"],
      ["2", null, null],
    ]);
    expect(await rows(servers.admin, `SELECT COUNT(*) FROM ${both.name}.big`)).toEqual([["30000"]]);
    expect(report.warnings.join("\n")).toMatch(/column public.same.at: 1 values .* became NULL/);
    expect(report.warnings.join("\n")).toMatch(/column public.same.n: 1 values .* became NULL/);
    expect(
      await rows(
        servers.admin,
        `SELECT CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_SCHEMA = '${both.name}' AND CONSTRAINT_TYPE = 'FOREIGN KEY' ORDER BY 1`,
      ),
    ).toEqual([["moved_up_fkey"], ["twin_up_fkey"]]);
    for (const { rows: counted } of report.tables) expect(counted.target).toBe(counted.source);
    await copied.finish();
    // A reset afterwards still drops all of it, also what was kept.
    const { owner, ownerName } = { owner: "owner-1", ownerName: "the test" };
    const left = await reset(
      { owner, ownerName, target: both.target, made: report.made, madeIn: report.target },
      { signal: new AbortController().signal, log: () => undefined },
    );
    expect(left.left).toEqual([]);
    expect(await rows(servers.admin, `SHOW TABLES FROM ${both.name}`)).toEqual([]);
  });

  test("a value or an index that was changed in the target meanwhile is found, and its table copied again", async () => {
    const both = await pair(servers, schema);
    await stopped(both);
    await servers.admin.query(
      `UPDATE ${both.name}.twin SET v = 'c' WHERE id = 2; ALTER TABLE ${both.name}.moved DROP PRIMARY KEY`,
    );
    const { report } = await run(both);
    expect(report.resumed?.kept).not.toContain("public.twin");
    expect(report.resumed?.kept).not.toContain("public.moved");
    expect(await rows(servers.admin, `SELECT v FROM ${both.name}.twin ORDER BY id`)).toEqual([["a"], ["b"]]);
    expect(
      await rows(
        servers.admin,
        `SELECT COUNT(*) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_NAME = 'moved' AND INDEX_NAME = 'PRIMARY'`,
      ),
    ).toEqual([["1"]]);
  });

  test("rows alone that were finished are kept as well, and the others are put in anew without being named", async () => {
    const both = await pair(
      servers,
      schema.replace("('NaN', 'y', NULL)", "(2, 'y', NULL)").replace("'infinity'", "NULL"),
    );
    await run(both, { owner: "owner-0", options: { jobs: 2, content: "schema" } }).then(({ copied }) =>
      copied.finish(),
    );
    await stopped(both, "data");
    await inSource(servers.source.urlOf(both.name, "admin"), "UPDATE moved SET v = 'new'");
    await rows(servers.admin, `INSERT INTO ${both.name}.twin VALUES (77, 'mine', NULL)`);
    await expect(run(both, { options: { jobs: 2, content: "data" } })).rejects.toMatchObject({
      code: "target_not_empty",
      message: expect.stringContaining("rows in twin that"),
    });
    expect(await rows(servers.admin, `SELECT v FROM ${both.name}.twin WHERE id = 77`)).toEqual([["mine"]]);
    await rows(servers.admin, `DELETE FROM ${both.name}.twin WHERE id = 77`);
    const { report } = await run(both, { options: { jobs: 2, content: "data", verify: "checksum" } });
    expect(report.resumed?.kept).toContain("public.twin");
    expect(report.resumed?.kept).not.toContain("public.moved");
    expect(report.verification?.differences).toEqual([]);
    expect(await rows(servers.admin, `SELECT COUNT(*) FROM ${both.name}.big`)).toEqual([["30000"]]);
  });

  test("after the foreign keys too: they are let go and made again, and a reset asked for begins from nothing", async () => {
    const both = await pair(servers, schema);
    await stopped(both, "all", ({ phase }) => phase === "verifying");
    expect(
      await rows(
        servers.admin,
        `SELECT COUNT(*) FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_SCHEMA = '${both.name}' AND CONSTRAINT_TYPE = 'FOREIGN KEY'`,
      ),
    ).toEqual([["2"]]);
    const { report, copied } = await run(both);
    for (const { rows: counted } of report.tables) expect(counted.target).toBe(counted.source);
    expect(report.inventory.filter(({ note }) => /target did not|target made/.test(note ?? ""))).toEqual([]);
    await copied.finish();
    const again = await run(both, { reset: true, made: report.made, madeIn: report.target });
    expect(again.report.resumed).toBeUndefined();
    expect(again.report.tables).toHaveLength(4);
  });
});
