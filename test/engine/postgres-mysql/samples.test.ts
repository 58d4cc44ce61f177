import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mysqlStatements, postgresScript } from "../../samples/index.ts";
import { expectEdition } from "../../support/engine/editions-mysql.ts";
import type { AnyFlavour } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Reported objects of the film rental. Views: translate/views-mysql.test.ts. */
const reported = [
  'aggregate public.joined("text")',
  "comment function public.debt_of(integer)",
  "comment schema archive",
  "constraint archive.notice notice_once",
  "constraint public.branch branch_chief_fk",
  "constraint public.member member_born_first",
  "default public.employee.skills",
  "function public.debt_of(integer)",
  "function public.discs_in(integer, integer)",
  "function public.is_in(integer)",
  'function public.joined_by("text", "text")',
  "function public.seen()",
  "function public.touched()",
  "grant public.genre to PUBLIC",
  "index archive.notice_once",
  "index public.film_cheap",
  "index public.film_extras",
  "index public.film_words",
  "index public.loan_out",
  "index public.member_shouted",
  "index public.member_wishes",
  "index public.payment_paid",
  "policy archive.fine small_fines",
  "procedure public.forget_visits(double precision)",
  "row-level security archive.fine",
  "rule archive.notice notices_stay",
  "sequence archive.never_used",
  "sequence public.ticket",
  "statistics public.loan_together",
  "trigger public.film film_touched",
  "trigger public.film film_words_kept",
  "trigger public.loan loan_seen",
  "trigger public.person person_touched",
];
/** MySQL has no DEFAULT partition of a list; MariaDB has no index on an expression. */
const reportedOf = {
  mysql: ["partitions public.stock_move"],
  mariadb: ["index public.place_name"],
  "mariadb-11": ["index public.place_name"],
};

describe.each<AnyFlavour>(["mysql", "mariadb", "mariadb-11"])("sample databases from PostgreSQL to %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("a converted record shop equals its MySQL edition", async () => {
    const both = await pair(servers, postgresScript("shop"));
    const { report } = await run(both);
    const edition = `${both.name}_own`;
    await servers.admin.query(`CREATE DATABASE ${edition} CHARACTER SET utf8mb4; USE ${edition}`);
    for (const statement of mysqlStatements("shop")) await servers.admin.query(statement);
    expect(report.tables).toHaveLength(12);
    expect(report.tables.reduce((sum, { rows: counts }) => sum + counts.target, 0)).toBe(10_732);
    expect(report.warnings).toEqual([]);
    expect(report.inventory.filter(({ outcome }) => outcome === "reported")).toEqual([]);
    await expectEdition(servers.admin, both.name, edition, report);
  });

  test("all rows of the film rental are copied, and the report names every object", async () => {
    const both = await pair(servers, postgresScript("rental"));
    const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    expect(report.verification).toMatchObject({ level: "checksum", differences: [], uncompared: [] });
    const counted = new Map(report.tables.map((table) => [table.source, table.rows]));
    expect(counted.get("public.film")).toEqual({ source: 600, target: 600 });
    expect(counted.get("public.payment")).toEqual({ source: 2400, target: 2400 });
    // Rows of all partitions, also of those in another schema.
    expect(counted.get("public.till_entry")).toEqual({ source: 730, target: 730 });
    expect(counted.get("public.page_visit")).toEqual({ source: 500, target: 500 });
    expect([...counted.values()].reduce((sum, { target }) => sum + target, 0)).toBe(11_935);
    for (const entry of report.inventory) {
      expect(entry.name).not.toBe("");
      if (entry.outcome === "reported") expect(entry.note ?? "").not.toBe("");
    }
    const found = report.inventory.filter(({ kind, outcome }) => outcome === "reported" && kind !== "view");
    expect(found.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual(
      [...reported, ...reportedOf[flavour]].sort(),
    );
    const converted = report.inventory.filter(({ outcome }) => outcome === "converted");
    expect(
      converted
        .filter(({ kind }) => /^(domain|type|schema|materialized view)$/.test(kind))
        .map(({ kind, name }) => `${kind} ${name}`)
        .sort(),
    ).toEqual([
      "domain public.made",
      "domain public.postcode",
      "domain public.price",
      "materialized view archive.not_yet",
      "materialized view public.income_by_genre",
      "schema archive",
      "schema public",
      "type public.format",
      "type public.from_age",
      "type public.job",
      "type public.level",
      "type public.span",
    ]);
    const next = async (table: string, counter: string, into: string) => {
      await servers.admin.query(`INSERT INTO ${both.name}.${table} ${into}`);
      return rows(servers.admin, `SELECT MAX(${counter}) FROM ${both.name}.${table}`);
    };
    expect(await next("person", "person_no", "(name) VALUES ('a')")).toEqual([["241"]]);
    expect(await next('`we"ird ``table`', "`select`", "(`two words`) VALUES ('new')")).toEqual([["8"]]);
  });

  // In MySQL zoo.test.ts has it.
  if (flavour === "mariadb")
    test("the zoo's rows are all there, under names that hurt as well", async () => {
      const both = await pair(
        servers,
        await readFile(new URL("../postgres-postgres/zoo.sql", import.meta.url), "utf8"),
      );
      // 1,200 columns are more than a table of MySQL has.
      const { report, copied } = await run(both, {
        options: { jobs: 2, verify: "checksum", exclude: ["more.wide"] },
      });
      expect(report.verification?.differences ?? []).toEqual([]);
      for (const { rows: counted } of report.tables) expect(counted.target).toBe(counted.source);
      expect(report.tables.find(({ source }) => source === "app.log")?.rows.target).toBe(1000);
      expect(await rows(servers.admin, `SELECT LENGTH(t), LENGTH(y) FROM ${both.name}.app_large WHERE id = 1`)).toEqual(
        [["20000000", "4000000"]],
      );
      expect(
        report.inventory.find(({ kind, name }) => kind === "view" && name === "more.v_recursive")?.definition,
      ).toContain("RECURSIVE");
      await copied.finish();
      expect(
        await rows(
          servers.admin,
          `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_NAME = '_rowferry'`,
        ),
      ).toEqual([]);
    });
});
