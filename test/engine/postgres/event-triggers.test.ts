import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reset } from "../../../src/engine/run/reset.ts";
import {
  copied,
  database,
  endpoint,
  hooks,
  request,
  type Servers,
  sessionsEnd,
  sql,
  startServers,
  transfer,
  type Where,
} from "../../support/engine/postgres-support.ts";

/** The source's event triggers run at nothing that a run does, and at all that is done once it is over. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const rows = `CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a'), (2, 'b');
  CREATE MATERIALIZED VIEW mv AS SELECT * FROM t; COMMENT ON MATERIALIZED VIEW mv IS 'filled late';`;
const audit = `${rows} CREATE TABLE log (tag text);
  CREATE FUNCTION audit() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO public.log VALUES (tg_tag); END$$;
  CREATE EVENT TRIGGER audit ON ddl_command_end EXECUTE FUNCTION audit(); COMMENT ON EVENT TRIGGER audit IS 'all DDL';
  CREATE EVENT TRIGGER always ON ddl_command_end EXECUTE FUNCTION audit(); ALTER EVENT TRIGGER always ENABLE ALWAYS;
  CREATE EVENT TRIGGER replica ON ddl_command_end EXECUTE FUNCTION audit(); ALTER EVENT TRIGGER replica ENABLE REPLICA;
  CREATE EVENT TRIGGER sleeping ON ddl_command_end EXECUTE FUNCTION audit(); ALTER EVENT TRIGGER sleeping DISABLE;`;
const guard = (event: string) => `${rows}
  CREATE FUNCTION guard() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'not here'; END$$;
  CREATE EVENT TRIGGER guard ON ${event} EXECUTE FUNCTION guard();`;

const states = async (where: Where) =>
  Object.fromEntries(
    (
      await sql<{ name: string; state: string }>(
        where,
        "SELECT evtname AS name, evtenabled::text AS state FROM pg_event_trigger ORDER BY 1",
      )
    ).map(({ name, state }) => [name, state]),
  );
const count = async (where: Where, what: string) => (await sql(where, `SELECT FROM ${what}`)).length;
const checkpoints = (where: Where) => count(where, "pg_class WHERE relname = '_rowferry'");
const quiet = { signal: new AbortController().signal, log: () => undefined };
const owner = "11111111-2222-3333-4444-555555555555";

const pairs = [
  ["18 to 18", "new", "new"],
  ["15 to 15", "old", "old"],
] as const;

describe.each(pairs)("PostgreSQL %s: an event trigger", (_, from, to) => {
  test("that writes to a copied table writes nothing of the copy, and runs from then on", async () => {
    const source = await database(servers[from], audit);
    const target = await database(servers[to]);
    const before = await count(source, "log");
    await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
    expect(await count(target, "log")).toBe(before);
    expect(await states(target)).toEqual({ always: "A", audit: "O", replica: "R", sleeping: "D" });
    expect(await count(target, "mv")).toBe(2);
    expect(await checkpoints(target)).toBe(0);
    await sql(target, "CREATE TABLE later ()");
    expect(await count(target, "log")).toBe(before + 2);
  });

  test.each(["sql_drop", "ddl_command_start", "ddl_command_end"])(
    "that refuses every %s lets the copy end, and its run be reset",
    async (event) => {
      const source = await database(servers[from], guard(event));
      const target = await database(servers[to]);
      const { report } = await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
      expect(await checkpoints(target)).toBe(0);
      expect(await states(target)).toEqual({ guard: "O" });
      await expect(sql(target, "DROP TABLE t CASCADE")).rejects.toThrow("not here");

      await reset(
        { owner, ownerName: "mine", target: endpoint(target), made: report.made, madeIn: report.target },
        quiet,
      );
      expect(await count(target, "pg_class WHERE relnamespace = 'public'::regnamespace")).toBe(0);
      expect(await states(target)).toEqual({});
    },
  );
});

describe("an event trigger that refuses every statement", () => {
  test("is enabled by the worker that removes the checkpoint, whichever that is", async () => {
    const source = await database(servers.new, guard("ddl_command_start"));
    const target = await database(servers.new);
    await transfer(request(source, target), hooks());
    expect(await states(target)).toEqual({ guard: "D" });
    const { finish } = await transfer(request(source, target), hooks());
    expect(await states(target)).toEqual({ guard: "D" });
    await finish();
    expect([await states(target), await checkpoints(target)]).toEqual([{ guard: "O" }, 0]);
    await finish();
  });

  test("is made again by an attempt that follows one which ended after it was made", async () => {
    const source = await database(servers.new, guard("ddl_command_start"));
    const target = await database(servers.new);
    const stop = new AbortController();
    const using = hooks({
      signal: stop.signal,
      progress: ({ phase }) => {
        if (phase === "verifying") stop.abort(new Error("asked to stop"));
      },
    });
    await expect(transfer(request(source, target), using)).rejects.toThrow("asked to stop");
    await sessionsEnd(target);
    expect(await states(target)).toEqual({ guard: "D" });
    await copied(source, target);
    expect([await states(target), await checkpoints(target)]).toEqual([{ guard: "O" }, 0]);
  });

  test("goes with a copy that starts anew over a finished one", async () => {
    const source = await database(servers.new, guard("ddl_command_start"));
    const target = await database(servers.new);
    const { report } = await copied(source, target);
    await copied(source, target, { reset: true, made: report.made, madeIn: report.target });
    expect([await states(target), await checkpoints(target)]).toEqual([{ guard: "O" }, 0]);
    expect(await count(target, "mv")).toBe(2);
  });

  test("of another's making is not touched", async () => {
    const source = await database(servers.new, rows);
    const target = await database(
      servers.new,
      `CREATE SCHEMA aid; CREATE TABLE aid.log (tag text);
       CREATE FUNCTION aid.audit() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO aid.log VALUES (tg_tag); END$$;
       CREATE EVENT TRIGGER audit ON ddl_command_end EXECUTE FUNCTION aid.audit()`,
    );
    await copied(source, target);
    expect(await states(target)).toEqual({ audit: "O" });
    expect(await count(target, "aid.log WHERE tag = 'CREATE MATERIALIZED VIEW'")).toBe(1);
  });
});
