import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import {
  copied,
  cutAfter,
  database,
  endpoint,
  fingerprint,
  hooks,
  type Servers,
  schemaText,
  sql,
  startServers,
  type Where,
} from "../../support/engine/postgres-support.ts";
import { sqlFile } from "../../support/sql-file.ts";

/** Names with dots, spaces, quotes and brackets, which joined as they are would be one text for two objects. */

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers?.stop());

const alike = sqlFile(import.meta, "names.sql");

const names = async (where: Where, schema: string) =>
  (await sql<{ name: string }>(where, `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`)).map(
    ({ name }) => name,
  );
const compared = (source: Where, target: Where) =>
  verify({ source: endpoint(source), target: endpoint(target), options: { jobs: 2 } }, hooks());

describe("names that joined would be alike", () => {
  test("are copied each as what it is, and told apart", async () => {
    const source = await database(servers.new, alike);
    const target = await database(servers.old);
    const { report } = await copied(source, target, { options: { jobs: 2, verify: "checksum" } });
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
    const again = await database(servers.new);
    const second = await copied(source, again, { options: { jobs: 2, verify: "checksum" } });
    expect(await schemaText(again, servers.tools)).toBe(await schemaText(source, servers.tools));
    expect(second.report.inventory.filter(({ outcome }) => outcome === "reported")).toEqual([]);
    const texts = report.inventory.map(({ kind, name }) => `${kind} ${name}`);
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
    expect(report.tables.find(({ source: name }) => name === 'a."b.c"')?.rows).toEqual({ source: 2, target: 2 });
    expect(report.tables.find(({ source: name }) => name === '"a.b".c')?.rows).toEqual({ source: 1, target: 1 });

    const same = await compared(source, again);
    expect([same.equal, same.missing, same.extra]).toEqual([true, [], []]);
    expect(same.tables.find(({ source: name }) => name === 'a."b.c"')?.rows).toEqual({ source: 2, target: 2 });
    await sql(again, 'ALTER TABLE t DROP CONSTRAINT "x y"; ALTER TABLE "a.b".c ALTER n TYPE int');
    const other = await compared(source, again);
    expect(other.inventory.filter(({ outcome }) => outcome === "reported").map(({ name }) => name)).toEqual(
      expect.arrayContaining(['"a.b".c.n', 'public.t "x y"']),
    );
    expect(other.inventory.find(({ name }) => name === 'public."t x" y')?.outcome).toBe("copied");
  });

  test("are left out one without the other", async () => {
    const source = await database(servers.new, alike);
    const target = await database(servers.new);
    const { report } = await copied(source, target, { options: { jobs: 2, include: ["one", "t"] } });
    expect(await names(target, "public")).toEqual(expect.arrayContaining(["one", "t"]));
    expect((await names(target, "public")).length).toBe(2);
    expect(report.inventory.find(({ name }) => name === 'public."t x"')?.outcome).toBe("not_applicable");
    expect(report.inventory.find(({ name }) => name === "public.t")?.outcome).toBe("copied");
  });

  test("are kept and copied again each by its own rows", async () => {
    const source = await database(servers.new, alike);
    const target = await database(servers.new);
    await cutAfter(source, target, 3);
    await sql(source, `UPDATE a."b.c" SET v = 'changed'`);
    await copied(source, target, { options: { jobs: 1, verify: "checksum" } });
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });

  test("may be named to be dropped as they are written", async () => {
    const source = await database(servers.new, alike);
    const target = await database(servers.new, `CREATE TABLE "t x" (old int); CREATE TABLE "one.b" (old int)`);
    const drop = ["public.t x", '"one.b"', "public.one"];
    await copied(source, target, { options: { jobs: 2, drop } });
    expect(await fingerprint(target)).toEqual(await fingerprint(source));
  });
});
