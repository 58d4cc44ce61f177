import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../../src/engine/postgres/driver/connection.ts";
import { applicationName, fenced, openFence } from "../../../src/engine/postgres/fence/fence.ts";
import {
  database,
  endpoint,
  fingerprint,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
  transfer,
  until,
} from "../../support/engine/postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = '${applicationName("me", 0)}'
  AND wait_event_type = 'Lock' AND query ~ '^UPDATE'`;
const mine = { owner: "me", ownerName: "Migration shop/me" };

describe("the fence in a PostgreSQL target", () => {
  test("a cut-off worker that comes back beside its successor cannot write a row", async () => {
    const where = await database(servers.new, "CREATE TABLE t (i int)");
    const target = endpoint(where);
    const first = await openFence(target, mine);
    const held = await connect(target, { role: "target", applicationName: applicationName("me", first.epoch) });
    await held.run("BEGIN");
    await first.guard(held);
    await held.run("INSERT INTO public.t VALUES (1)");
    // Its successor cannot pass while that transaction is open, and so ends it.
    const second = await openFence(target, mine);
    expect(second.epoch).toBe(first.epoch + 1);
    await expect(held.run("COMMIT")).rejects.toMatchObject({ code: "connection_lost" });
    const back = await connect(target, { role: "target", applicationName: applicationName("me", first.epoch) });
    await expect(fenced(back, first, () => back.run("INSERT INTO public.t VALUES (2)"))).rejects.toMatchObject({
      code: "superseded",
      retryable: false,
    });
    await fenced(back, second, () => back.run("INSERT INTO public.t VALUES (3)"));
    expect(await sql(where, "SELECT i FROM t")).toEqual([{ i: 3 }]);
    await Promise.all([first.close(), second.close(), held.end(), back.end()]);
  });

  test("a worker that was cut off before the table was dropped and made anew passes no epoch of the new one", async () => {
    const where = await database(servers.new, "CREATE TABLE t (i int)");
    const target = endpoint(where);
    const cutOff = await openFence(target, mine);
    const second = await openFence(target, mine);
    await second.drop();
    const third = await openFence(target, mine);
    expect(third.epoch).toBe(cutOff.epoch);
    const back = await connect(target, { role: "target", applicationName: applicationName("me", cutOff.epoch) });
    await expect(fenced(back, cutOff, () => back.run("INSERT INTO public.t VALUES (2)"))).rejects.toMatchObject({
      code: "superseded",
      retryable: false,
    });
    await fenced(back, third, () => back.run("INSERT INTO public.t VALUES (3)"));
    expect(await sql(where, "SELECT i FROM t")).toEqual([{ i: 3 }]);
    await Promise.all([cutOff.close(), second.close(), third.close(), back.end()]);
  });

  test("every session of the worker before is ended, also one that has no transaction open", async () => {
    const where = await database(servers.new, "CREATE TABLE t (i int)");
    const target = endpoint(where);
    const first = await openFence(target, mine);
    const idle = await connect(target, { role: "target", applicationName: applicationName("me", first.epoch) });
    await idle.run("SELECT 1");
    const second = await openFence(target, mine);
    const ended = await idle.run("INSERT INTO public.t VALUES (1)").catch((error: unknown) => error);
    expect(ended).toMatchObject({ code: "connection_lost" });
    expect(await sql(where, "SELECT i FROM t")).toEqual([]);
    await Promise.all([first.close(), second.close(), idle.end()]);
  });

  test("of two whole runs side by side one copies, and every row is there once", async () => {
    const source = await database(
      servers.new,
      "CREATE TABLE t (id int PRIMARY KEY, w text); INSERT INTO t SELECT i, repeat(md5(i::text), 10) FROM generate_series(1, 200000) i",
    );
    const where = await database(servers.new);
    let second: Promise<unknown> | undefined;
    const first = transfer(
      // So slow that it does not end while the other one begins.
      request(source, where, { options: { jobs: 2, bandwidth: 20_000_000 } }),
      hooks({
        progress: ({ phase, rows }) => {
          if (phase === "copying" && rows.done > 10_000)
            second ??= transfer(request(source, where), hooks()).then(({ finish }) => finish());
        },
      }),
    );
    await expect(first).rejects.toMatchObject({
      code: "superseded",
      retryable: false,
    });
    await second;
    expect(await fingerprint(where)).toEqual(await fingerprint(source));
  });

  test("a worker that another one ends while it opens the fence is told so, and one that was merely cut is not", async () => {
    const where = await database(servers.new);
    const before = await openFence(endpoint(where), mine);
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = '${applicationName("me", 0)}'`;
    const other = await connect(endpoint(where), { role: "target", applicationName: "another" });
    for (const [raised, code] of [
      ["epoch", "connection_lost|server_shutdown"],
      ["epoch + 1", "superseded"],
    ]) {
      await other.run(`BEGIN; UPDATE public._rowferry SET epoch = ${raised} WHERE kind = 'fence'`);
      const opened = openFence(endpoint(where), mine).then(
        () => "it opened",
        (error: unknown) => error,
      );
      // It has read the row, and waits for it.
      await until(async () => (await sql(where, waiting)).length > 0, "its wait");
      await other.run(end);
      await other.run("COMMIT");
      expect(await opened).toMatchObject({ code: expect.stringMatching(`${code}`), retryable: code !== "superseded" });
    }
    await Promise.all([before.close(), other.end()]);
  });

  test("of many workers that open it at one moment one has it, and all others are told so", async () => {
    const where = await database(servers.new);
    const opened = await Promise.allSettled(Array.from({ length: 6 }, () => openFence(endpoint(where), mine)));
    const refusals = opened.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: "superseded", retryable: false });
    const fences = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const [row] = await sql<{ epoch: string }>(where, "SELECT epoch::text FROM _rowferry WHERE kind = 'fence'");
    expect(Math.max(...fences.map(({ epoch }) => epoch))).toBe(Number(row?.epoch));
    await Promise.all(fences.map((fence) => fence.close()));
  });

  test("another owner's claim is met with whose it is and what takes it away, and nothing is changed", async () => {
    const where = await database(servers.new);
    const yours = { owner: "you", ownerName: "Migration b/you" };
    const claims = [{ kind: "table", name: "public.t" }];
    const first = await openFence(endpoint(where), mine);
    await first.claim(claims);
    const second = await openFence(endpoint(where), yours);
    await expect(second.claim([...claims, { kind: "table", name: "public.u" }])).rejects.toMatchObject({
      code: "target_in_use",
      message: expect.stringMatching(
        /in use by Migration shop\/me, which makes table public\.t too; .*rowferry reset URL --run me\)/,
      ),
    });
    await second.claim([{ kind: "table", name: "public.v" }]);
    await first.claim([{ kind: "table", name: "public.u" }]);
    await first.drop();
    await second.claim(claims);
    await second.drop();
    await Promise.all([first.close(), second.close()]);
    expect(await sql(where, "SELECT relname FROM pg_class WHERE relname ~ '_rowferry'")).toEqual([]);
  });

  test("a worker that was cut off passes by no other owner's epoch", async () => {
    const where = await database(servers.new, "CREATE TABLE t (i int)");
    const target = endpoint(where);
    const others = [];
    for (const owner of ["a", "b", "c"]) others.push(await openFence(target, { owner, ownerName: owner }));
    const first = await openFence(target, mine);
    const second = await openFence(target, mine);
    const back = await connect(target, { role: "target", applicationName: "back" });
    await expect(fenced(back, first, () => back.run("INSERT INTO public.t VALUES (1)"))).rejects.toMatchObject({
      code: "superseded",
    });
    for (const fence of [...others, second])
      await expect(fenced(back, fence, () => back.run("INSERT INTO public.t VALUES (2)"))).resolves.toBeUndefined();
    const epochs = [...others, first, second].map(({ epoch }) => epoch);
    expect(new Set(epochs).size).toBe(epochs.length);
    await second.drop();
    for (const fence of others) await fenced(back, fence, () => back.run("INSERT INTO public.t VALUES (3)"));
    await expect(fenced(back, second, async () => undefined)).rejects.toMatchObject({ code: "superseded" });
    for (const fence of others) await fence.drop();
    expect(await sql(where, "SELECT i, count(*)::int AS n FROM t GROUP BY 1 ORDER BY 1")).toEqual([
      { i: 2, n: 4 },
      { i: 3, n: 3 },
    ]);
    await Promise.all([...others, first, second, back].map((one) => ("close" in one ? one.close() : one.end())));
  });

  test("a table of that name that is not Rowferry's is left alone", async () => {
    const where = await database(servers.new, "CREATE TABLE _rowferry (i int)");
    await expect(openFence(endpoint(where), mine)).rejects.toMatchObject({ code: "target_in_use" });
    expect(await sql(where, "SELECT count(*)::int AS n FROM _rowferry")).toEqual([{ n: 0 }]);
  });

  test("stands in a schema of its own where the user may create in none", async () => {
    const where = await database(
      servers.new,
      `REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT CREATE ON DATABASE ${"app"} TO app`,
    ).catch(() => undefined);
    const target = where ?? (await database(servers.new));
    await sql(
      target,
      `REVOKE ALL ON SCHEMA public FROM PUBLIC; GRANT CREATE, CONNECT ON DATABASE ${target.database} TO app`,
    );
    const fence = await openFence(endpoint(target, { name: "app", password: servers.new.password }), mine);
    expect(
      await sql(target, "SELECT relnamespace::regnamespace::text AS schema FROM pg_class WHERE relname = '_rowferry'"),
    ).toEqual([{ schema: "_rowferry" }]);
    await fence.drop();
    await fence.close();
    expect(await sql(target, "SELECT nspname FROM pg_namespace WHERE nspname = '_rowferry'")).toEqual([]);
  });

  test("its own session may be lost: the result is stored all the same", async () => {
    const where = await database(servers.new);
    const fence = await openFence(endpoint(where), mine);
    await sql(
      where,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ~ '^rowferry me' AND datname = current_database()",
    );
    await until(
      async () =>
        (
          await sql(
            where,
            "SELECT FROM pg_stat_activity WHERE application_name ~ '^rowferry me' AND datname = current_database()",
          )
        ).length === 0,
      "the end of the session",
    );
    const at = new Date(0).toISOString();
    const report = {
      type: "transfer" as const,
      source: { engine: "postgres" as const, version: "1" },
      target: { engine: "postgres" as const, version: "1" },
      started_at: at,
      finished_at: at,
      size: 1,
      tables: [],
      inventory: [],
      warnings: [],
      made: [],
    };
    await fence.saveResult(report);
    expect(await fence.savedResult()).toEqual(report);
    await fence.drop();
    await fence.close();
  });

  test("drops in reverse, and objects that need each other in the order that works", async () => {
    const where = await database(servers.new);
    const fence = await openFence(endpoint(where), mine);
    const session = await connect(endpoint(where), { role: "target", applicationName: "t" });
    await fenced(session, fence, async () => {
      await fence.record(session, [
        { kind: "schema", name: ["s"] },
        { kind: "table", name: ["s", "t"] },
        { kind: "sequence", name: ["s", "q"] },
        { kind: "function", name: ["s", "f", "integer"] },
        { kind: "trigger", name: ["s", "t", "tr"] },
        { kind: "table", name: ["s", "never made"] },
      ]);
      await session.run(`CREATE SCHEMA s; CREATE TABLE s.t (i int); CREATE SEQUENCE s.q; ALTER TABLE s.t ALTER i SET DEFAULT nextval('s.q');
        CREATE FUNCTION s.f(int) RETURNS int LANGUAGE sql AS 'SELECT 1'`);
    });
    await fence.clean(await fence.made());
    expect(await fence.made()).toEqual([]);
    expect(await sql(where, "SELECT nspname FROM pg_namespace WHERE nspname = 's'")).toEqual([]);
    await fence.drop();
    await Promise.all([fence.close(), session.end()]);
  });

  test("a table that took the name of one that was made is left alone, and named", async () => {
    const where = await database(servers.new);
    const left: string[] = [];
    const fence = await openFence(endpoint(where), { ...mine, warn: (words) => left.push(words) });
    const session = await connect(endpoint(where), { role: "target", applicationName: "t" });
    const made = [
      { kind: "table", name: ["public", "ours"] },
      { kind: "table", name: ["public", "theirs"] },
    ];
    await fenced(session, fence, async () => {
      await fence.record(session, made);
      await session.run("CREATE TABLE public.ours (i int); CREATE TABLE public.theirs (i int)");
    });
    await sql(where, "DROP TABLE theirs; CREATE TABLE theirs (i int); INSERT INTO theirs VALUES (7)");
    expect(await fence.clean(await fence.made())).toMatchObject({ dropped: 1, left: 1 });
    expect(left.join()).toContain('"theirs"');
    const tables =
      "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname IN ('ours', 'theirs')";
    expect(await sql(where, tables)).toEqual([{ relname: "theirs" }]);
    expect(await sql(where, "SELECT i FROM theirs")).toEqual([{ i: 7 }]);
    await fence.drop();
    await Promise.all([fence.close(), session.end()]);
  });
});
