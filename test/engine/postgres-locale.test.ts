import { afterAll, beforeAll, expect, test } from "vitest";
import { assess } from "../../src/engine/assess.ts";
import { verify } from "../../src/engine/verify.ts";
import { copied, endpoint, type Servers, sql, startServers } from "./postgres-support.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

test("a target whose locale is of another provider is named before, in and after the copy, though LC_COLLATE is the same", async () => {
  const name = `locale_${process.pid}`;
  const [source, target] = [
    { server: servers.new, database: name },
    { server: servers.new, database: `${name}_icu` },
  ];
  const admin = { server: servers.new, database: "postgres" };
  await sql(admin, `CREATE DATABASE ${source.database} LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`);
  await sql(
    admin,
    `CREATE DATABASE ${target.database} LOCALE_PROVIDER icu ICU_LOCALE 'und' LOCALE 'C' TEMPLATE template0`,
  );
  await sql(source, "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a'), (2, 'B')");
  const both = { source: endpoint(source), target: endpoint(target), options: { jobs: 2 } };
  const words =
    "its locale is icu und, LC_CTYPE C, and the source's is C: texts without a collation of their own are sorted otherwise";
  const hooks = { signal: new AbortController().signal, log: () => undefined, progress: () => undefined };
  const { findings } = await assess(both, hooks);
  expect(findings).toContainEqual(expect.objectContaining({ severity: "note", code: "locale_differs", reason: words }));
  const { report } = await copied(source, target);
  expect(report.warnings).toContain(`the target database: ${words}`);
  const { objects } = await verify(both, hooks);
  expect(objects?.notes).toContain(`the target database: ${words}`);
  expect(await sql(source, "SELECT array_agg(v ORDER BY v) AS v FROM t")).toEqual([{ v: ["B", "a"] }]);
  expect(await sql(target, "SELECT array_agg(v ORDER BY v) AS v FROM t")).toEqual([{ v: ["a", "B"] }]);
});
