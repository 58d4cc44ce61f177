import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  error,
  type Flavour,
  type Pair,
  pair,
  rows,
  type Servers,
  startServers,
} from "../../support/engine/mysql-support.ts";
import { interrupted, run } from "../../support/engine/run.ts";

describe.each<Flavour>(["mariadb", "mysql"])("a second attempt at a copy from %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const many = "INSERT INTO big (v) SELECT v FROM big; ";
  const schema = `CREATE TABLE same (id int PRIMARY KEY, e enum('x','y'), flag tinyint(1), KEY same_e (e)); INSERT INTO same VALUES (1, 'x', 2), (2, 'y', 0);
    CREATE TABLE moved (id int PRIMARY KEY, up int, v varchar(20), CONSTRAINT to_same FOREIGN KEY (up) REFERENCES same (id)); INSERT INTO moved VALUES (1, 1, 'old');
    CREATE TABLE twin (id int AUTO_INCREMENT PRIMARY KEY, v varchar(20), UNIQUE KEY same_v (v)); INSERT INTO twin (v) VALUES ('a'), ('b');
    CREATE TABLE big (id int PRIMARY KEY AUTO_INCREMENT, v varchar(200)); INSERT INTO big (v) VALUES (REPEAT('x', 190)); ${many.repeat(15)}`;

  const stopped = (both: Pair): Promise<void> =>
    interrupted(
      both,
      ({ table }) => table.length > 0 && table.every(({ name, state }) => name === "big" || state === "done"),
      { bandwidth: 400_000 },
    );

  test("keeps the tables that were finished and are equal by their hashes, and copies again what has changed or was not finished", async () => {
    const both = await pair(servers, schema);
    await stopped(both);
    const before = await rows(
      both.pg,
      "SELECT relname, oid FROM pg_class WHERE relname IN ('same', 'moved', 'twin', 'big') ORDER BY 1",
    );
    await servers.admin.query("UPDATE moved SET v = 'new'; INSERT INTO moved VALUES (2, NULL, NULL)");
    const { report, logs } = await run(both);
    expect(report.resumed?.kept.sort()).toEqual(["same", "twin"]);
    expect(report.resumed?.copied_again).toEqual(["moved"]);
    const after = await rows(
      both.pg,
      "SELECT relname, oid FROM pg_class WHERE relname IN ('same', 'moved', 'twin', 'big') ORDER BY 1",
    );
    const same = after.filter((row, index) => row[1] === before[index]?.[1]).map(([name]) => name);
    expect(same).toEqual(["same", "twin"]);
    expect(await rows(both.pg, "SELECT * FROM public.moved ORDER BY id")).toEqual([
      ["1", "1", "new"],
      ["2", null, null],
    ]);
    expect(await rows(both.pg, "SELECT * FROM public.same ORDER BY id")).toEqual([
      ["1", "x", "2"],
      ["2", "y", "0"],
    ]);
    expect(report.tables.map((table) => table.rows.source === table.rows.target)).toEqual([true, true, true, true]);
    expect(await rows(both.pg, "SELECT count(*) FROM public.big")).toEqual([["32768"]]);
    expect(logs.join("\n")).toMatch(
      /table same was finished by an earlier attempt and is equal to the source: it is kept/,
    );
    expect(await rows(both.pg, "SELECT conname, convalidated FROM pg_constraint WHERE contype = 'f'")).toEqual([
      ["to_same", "t"],
    ]);
    const names = report.made.map(({ kind, name }) => `${kind} ${name[1]}`).filter((name) => name.startsWith("table "));
    expect(new Set(names).size).toBe(4);
    const reset = await run(both, { reset: true, made: report.made, madeIn: report.target });
    expect(reset.report.resumed).toBeUndefined();
    await reset.copied.finish();
  });

  test("a value that was changed in the target meanwhile is found, and its table copied again", async () => {
    const both = await pair(servers, schema);
    await stopped(both);
    await both.pg.query("UPDATE public.twin SET v = 'c' WHERE id = 2");
    const { report } = await run(both);
    expect(report.resumed?.copied_again).toEqual(["twin"]);
    expect(await rows(both.pg, "SELECT v FROM public.twin ORDER BY id")).toEqual([["a"], ["b"]]);
  });

  test("values are compared at the end where that is asked for, and a row that differs fails the run by its key", async () => {
    const both = await pair(servers, `${schema} DROP TABLE moved; DROP TABLE big`);
    const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    expect(report.verification).toMatchObject({
      level: "checksum",
      tables: 2,
      rows: 4,
      differences: [],
      uncompared: [],
    });
    const other = await pair(servers, `${schema} DROP TABLE moved; DROP TABLE big`);
    // The target changes what it is given, as a trigger of a template database may.
    await other.pg.query(`CREATE FUNCTION public.spoil() RETURNS event_trigger LANGUAGE plpgsql AS $$ DECLARE t record; BEGIN
      FOR t IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table' AND object_identity LIKE '%twin%' LOOP
        EXECUTE 'CREATE TRIGGER s BEFORE INSERT ON public.twin FOR EACH ROW EXECUTE FUNCTION public.change()';
      END LOOP; END $$;
      CREATE FUNCTION public.change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.id = 2 THEN NEW.v := 'z'; END IF; RETURN NEW; END $$;
      CREATE EVENT TRIGGER spoils ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.spoil()`);
    const failed = await error(run(other, { options: { jobs: 2, verify: "checksum" } }));
    expect(failed).toMatchObject({ code: "verification_failed", retryable: false });
    expect(failed.message).toContain("twin");
  });
});
