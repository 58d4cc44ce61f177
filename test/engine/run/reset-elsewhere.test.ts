import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { pgTools } from "../../../dev/databases/pg-tools.ts";
import type { CopyReport, Endpoint } from "../../../src/engine/contract/index.ts";
import { reset } from "../../../src/engine/run/reset.ts";
import { connect, type Session } from "../../databases/connect.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** A list of made objects drops nothing but in the database where they were made: servers that were filled alike have objects alike. */

type Kind = "postgres" | "mysql" | "mariadb";
const kinds: readonly Kind[] = ["postgres", "mysql", "mariadb"];
const engineOf = (kind: Kind) => (kind === "postgres" ? "postgres" : "mysql");

interface Where {
  target: Endpoint;
  session: Session;
}

const twins = {} as Record<Kind, [Database, Database]>;
const open: Session[] = [];
let source: Where;

async function session(kind: Kind, url: string): Promise<Session> {
  const made = await connect(kind === "postgres" ? "postgres" : "mysql", url);
  open.push(made);
  return made;
}

async function database(kind: Kind, server: Database, name: string, template = ""): Promise<Where> {
  const admin = await session(kind, server.adminUrl);
  await admin.query(`CREATE DATABASE ${name}${template}`);
  const url = server.urlOf(name, "admin");
  return { target: endpoint(url, engineOf(kind)), session: await session(kind, url) };
}

beforeAll(async () => {
  process.env.ROWFERRY_PG_BIN = await pgTools();
  for (const kind of kinds) twins[kind] = [await borrowDatabase(kind), await borrowDatabase(kind)];
  source = await database("postgres", twins.postgres[0], "src");
  await source.session.query("CREATE TABLE t (a int PRIMARY KEY)");
  await source.session.query("INSERT INTO t VALUES (1), (2)");
}, 300_000);

afterAll(async () => {
  await Promise.all(open.map((one) => one.end().catch(() => undefined)));
  await Promise.all(kinds.flatMap((kind) => (twins[kind] ?? []).map((server) => server.stop())));
});

const copied = async (target: Endpoint, more: Parameters<typeof run>[1] = {}): Promise<CopyReport> => {
  const { report, copied } = await run({ source: source.target, target }, more);
  await copied.finish();
  return report;
};

const resetBy = (target: Endpoint, report: Partial<Pick<CopyReport, "made" | "target">>) =>
  reset(
    { owner: "owner-1", ownerName: "the test", target, made: report.made ?? [], madeIn: report.target ?? {} },
    { signal: new AbortController().signal, log: () => undefined },
  );

const tableOf = (kind: Kind) => (kind === "postgres" ? "public.t" : "t");
const count = async ({ session }: Where, kind: Kind) =>
  Number((await session.query(`SELECT count(*) FROM ${tableOf(kind)}`))[0]?.[0]);
/** The servers' code for a table that is not there. */
const noTable: Record<Kind, string> = { postgres: "42P01", mysql: "ER_NO_SUCH_TABLE", mariadb: "ER_NO_SUCH_TABLE" };
const fences = async ({ session, target }: Where) =>
  Number(
    (
      await session.query(
        `SELECT count(*) FROM information_schema.tables WHERE table_name = '_rowferry' AND table_${target.engine === "mysql" ? "schema" : "catalog"} = '${target.database}'`,
      )
    )[0]?.[0],
  );

describe.each(kinds)("a report of a copy into %s", (kind) => {
  it("drops nothing on another server that was filled alike, by reset or by a copy that begins with one", async () => {
    const [here, there] = [await database(kind, twins[kind][0], "twin"), await database(kind, twins[kind][1], "twin")];
    const report = await copied(here.target);
    const other = await copied(there.target, { owner: "owner-2" });
    await there.session.query(`INSERT INTO ${tableOf(kind)} VALUES (3)`);
    // As on servers whose objects have the same ids.
    const alike = { ...report, made: other.made };

    await expect(resetBy(there.target, alike)).rejects.toMatchObject({
      code: "other_database",
      message: expect.stringMatching(/a copy into 127\.0\.0\.1:\d+, and .*nothing was dropped$/),
    });
    await expect(copied(there.target, { reset: true, made: alike.made, madeIn: alike.target })).rejects.toMatchObject({
      code: "other_database",
      message: expect.stringContaining("the target database already has"),
    });
    expect(await count(there, kind)).toBe(3);
    expect(await fences(there)).toBe(0);

    expect(await resetBy(here.target, report)).toMatchObject({ left: [] });
    await expect(count(here, kind)).rejects.toMatchObject({ code: noTable[kind] });
  });

  it("of an earlier version, which does not say where it was made, drops nothing", async () => {
    const here = await database(kind, twins[kind][0], "old");
    const { made, target } = await copied(here.target);
    const { identity: _, ...old } = target;
    await expect(resetBy(here.target, { made, target: old })).rejects.toMatchObject({
      code: "other_database",
      message: expect.stringContaining("drop by hand"),
    });
    expect(await count(here, kind)).toBe(2);
  });

  it("lets a copy that begins with a reset go into an empty database, and drops what is its own there the next time", async () => {
    const [here, there] = [
      await database(kind, twins[kind][0], "moved"),
      await database(kind, twins[kind][1], "moved"),
    ];
    const first = await copied(here.target);
    const second = await copied(there.target, { reset: true, made: first.made, madeIn: first.target });
    expect(await count(here, kind)).toBe(2);
    await copied(there.target, { reset: true, made: second.made, madeIn: second.target });
    expect(await count(there, kind)).toBe(2);
  });
});

describe("a PostgreSQL database that was made from the target as its template", () => {
  it("loses nothing to a reset by the target's report, nor to a copy that begins with one", async () => {
    const here = await database("postgres", twins.postgres[0], "s2");
    const report = await copied(here.target);
    await here.session.end();
    const clone = await database("postgres", twins.postgres[0], "s2clone", " TEMPLATE s2");
    await clone.session.query("INSERT INTO public.t VALUES (3)");
    await expect(resetBy(clone.target, report)).rejects.toMatchObject({ code: "other_database" });
    await expect(copied(clone.target, { reset: true, made: report.made, madeIn: report.target })).rejects.toMatchObject(
      { code: "other_database" },
    );
    expect(await count(clone, "postgres")).toBe(3);
  });

  it("loses nothing by the table of an unfinished run that came with it", async () => {
    const here = await database("postgres", twins.postgres[0], "s3");
    const unfinished = await run({ source: source.target, target: here.target });
    await here.session.end();
    const admin = await session("postgres", twins.postgres[0].adminUrl);
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 's3'");
    const clone = await database("postgres", twins.postgres[0], "s3clone", " TEMPLATE s3");
    await clone.session.query("INSERT INTO public.t VALUES (3)");
    await expect(resetBy(clone.target, {})).rejects.toMatchObject({ code: "other_database" });
    await expect(copied(clone.target)).rejects.toMatchObject({ code: "other_database" });
    expect(await count(clone, "postgres")).toBe(3);

    await unfinished.copied.finish();
    await expect(resetBy(here.target, unfinished.report)).resolves.toMatchObject({ left: [] });
  });
});
