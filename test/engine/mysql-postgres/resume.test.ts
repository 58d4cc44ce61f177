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

  test("a table whose type its data widened is kept by the mark of an earlier version, too", async () => {
    const both = await pair(servers, schema);
    await stopped(both);
    const marks =
      'FROM public._rowferry WHERE kind = \'part\' AND name LIKE \'finished:%"same"%"observedTypes":{"flag"%\'';
    expect(await rows(both.pg, `SELECT count(*) ${marks}`)).toEqual([["1"]]);
    await both.pg.query(
      "UPDATE public._rowferry SET name = replace(name, '\"observedTypes\"', '\"lessons\"') WHERE name LIKE 'finished:%'",
    );
    const { report } = await run(both);
    expect(report.resumed?.kept.sort()).toEqual(["moved", "same", "twin"]);
  });

  test("what others changed in a table that would be copied again is named, and stays; named in options.drop it goes", async () => {
    const both = await pair(servers, schema);
    await stopped(both);
    await both.pg.query("UPDATE public.twin SET v = 'c' WHERE id = 2");
    await expect(run(both)).rejects.toMatchObject({
      code: "target_changed",
      retryable: false,
      message: expect.stringContaining("public.twin (1 row)"),
    });
    expect(await rows(both.pg, "SELECT v FROM public.twin ORDER BY id")).toEqual([["a"], ["c"]]);
    const { report } = await run(both, { options: { jobs: 2, drop: ["twin"] } });
    expect(report.resumed?.copied_again).toEqual(["twin"]);
    expect(await rows(both.pg, "SELECT v FROM public.twin ORDER BY id")).toEqual([["a"], ["b"]]);
  });

  test("what others put on a table that was not finished ends the run by name, each by itself, and is left", async () => {
    const both = await pair(servers, schema);
    await stopped(both);
    const others: [make: string, name: string, undo: string][] = [
      ["CREATE INDEX theirs ON public.big (v)", "index theirs", "DROP INDEX public.theirs"],
      ["ALTER TABLE public.big ADD theirs int DEFAULT 42", "column theirs", "ALTER TABLE public.big DROP theirs"],
      [
        "ALTER TABLE public.big ADD CONSTRAINT theirs CHECK (id > 0)",
        "constraint theirs",
        "ALTER TABLE public.big DROP CONSTRAINT theirs",
      ],
      ["CREATE POLICY theirs ON public.big USING (true)", "policy theirs", "DROP POLICY theirs ON public.big"],
      [
        "CREATE STATISTICS public.theirs ON id, v FROM public.big",
        "statistics theirs",
        "DROP STATISTICS public.theirs",
      ],
      ["CREATE PUBLICATION theirs FOR TABLE public.big", "membership in publication theirs", "DROP PUBLICATION theirs"],
      ["COMMENT ON TABLE public.big IS 'theirs'", "its comment", "COMMENT ON TABLE public.big IS NULL"],
      [
        "CREATE FUNCTION public.theirs() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'; CREATE TRIGGER theirs BEFORE INSERT ON public.big FOR EACH ROW EXECUTE FUNCTION public.theirs()",
        "trigger theirs",
        "DROP FUNCTION public.theirs() CASCADE",
      ],
      ["INSERT INTO public.big VALUES (999999, 'theirs')", "1 row", "DELETE FROM public.big WHERE id = 999999"],
      ["GRANT SELECT ON public.big TO PUBLIC", "rights", "SELECT"],
    ];
    for (const [make, name, undo] of others) {
      await both.pg.query(make);
      await expect(run(both), make).rejects.toMatchObject({
        code: "target_changed",
        message: expect.stringContaining(`public.big (${name})`),
      });
      await both.pg.query(undo);
    }
    const { report } = await run(both, { options: { jobs: 2, drop: ["big"] } });
    expect(report.resumed?.kept).toContain("twin");
    expect(await rows(both.pg, "SELECT count(*) FROM public.big")).toEqual([["32768"]]);
  });

  test("a foreign key that others put on a table that is kept is left", async () => {
    const both = await pair(servers, schema);
    await interrupted(both, ({ phase }) => phase === "verifying");
    await both.pg.query(
      "CREATE TABLE public.own (id int PRIMARY KEY); INSERT INTO public.own VALUES (1); ALTER TABLE public.moved ADD CONSTRAINT theirs FOREIGN KEY (id) REFERENCES public.own",
    );
    const { report } = await run(both);
    expect(report.resumed?.kept).toContain("moved");
    expect(await rows(both.pg, "SELECT conname FROM pg_constraint WHERE contype = 'f' ORDER BY 1")).toEqual([
      ["theirs"],
      ["to_same"],
    ]);
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
