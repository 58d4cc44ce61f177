import { afterAll, beforeAll, expect, test } from "vitest";
import { copy } from "../../../src/engine/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import {
  database,
  endpoint,
  fingerprint,
  hooks,
  request,
  type Servers,
  sql,
  startServers,
  type Where,
} from "../../support/engine/postgres-support.ts";
import { type Pooler, type PoolMode, startPooler } from "./pgbouncer.ts";

/** Sources and targets behind a real PgBouncer with its own defaults, which refuses connections with `options`. */

let servers: Servers;
const poolers = new Map<PoolMode, Pooler>();
beforeAll(async () => {
  servers = await startServers();
  const server = endpoint({ server: servers.new, database: "postgres" });
  for (const mode of ["session", "transaction", "statement"] as const)
    poolers.set(mode, await startPooler(server, mode));
});
afterAll(async () => {
  for (const pooler of poolers.values()) await pooler.stop();
  await servers?.stop();
});

const shop = `CREATE TABLE item (id int PRIMARY KEY, name text DEFAULT 'a\\b', price float8, made timestamptz DEFAULT '2026-01-02 03:04:05+00');
  CREATE TABLE line (id int PRIMARY KEY, item int REFERENCES item);
  CREATE VIEW names AS SELECT name FROM item WHERE name <> 'c\\d';
  INSERT INTO item SELECT i, 'n' || i, i / 3.0 FROM generate_series(1, 5000) i; INSERT INTO line SELECT i, i FROM generate_series(1, 5000) i`;
const odd = (where: Where, settings: Record<string, string>) =>
  sql(
    where,
    Object.entries(settings)
      .map(([name, value]) => `ALTER DATABASE ${where.database} SET ${name} = '${value}'`)
      .join("; "),
  );
const through = (where: Where, mode: PoolMode) => ({ ...endpoint(where), port: poolers.get(mode)?.port ?? 0 });

test.each(["source", "target"] as const)(
  "a %s behind a pooler in session mode is copied and verified",
  async (role) => {
    const [source, target] = [await database(servers.new, shop), await database(servers.new)];
    await odd(source, { TimeZone: "Etc/UTC", DateStyle: "ISO, MDY", extra_float_digits: "1" });
    const more = role === "source" ? { source: through(source, "session") } : { target: through(target, "session") };
    const { finish } = await copy({ ...request(source, target), ...more, options: { jobs: 4 } }, hooks());
    await finish();
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    const { equal } = await verify(
      { source: endpoint(source), target: endpoint(target), options: { jobs: 2 } },
      hooks(),
    );
    expect(equal).toBe(true);
  },
);

test("where pg_dump's session needs other settings, the error names the pooler's setting", async () => {
  const [source, target] = [await database(servers.new, shop), await database(servers.new)];
  await odd(source, { array_nulls: "off" });
  const failing = copy({ ...request(source, target), source: through(source, "session") }, hooks());
  await expect(failing).rejects.toMatchObject({
    code: "setting_not_kept",
    retryable: false,
    message: expect.stringMatching(/ignore_startup_parameters|the server itself/),
  });
});

test.each([
  ["source", "transaction"],
  ["target", "transaction"],
  ["source", "statement"],
  ["target", "statement"],
] as const)("a %s behind a pooler in %s mode is refused before a table is made", async (role, mode) => {
  const [source, target] = [await database(servers.new, shop), await database(servers.new)];
  const more = role === "source" ? { source: through(source, mode) } : { target: through(target, mode) };
  await expect(copy({ ...request(source, target), ...more }, hooks())).rejects.toMatchObject({
    code: "setting_not_kept",
    retryable: false,
    message: expect.stringContaining("session mode"),
  });
  expect(
    await sql(
      target,
      "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE '%\\_rowferry%'",
    ),
  ).toEqual([]);
});
