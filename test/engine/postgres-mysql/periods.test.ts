import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { assessed, run } from "../../support/engine/run.ts";

/** PostgreSQL 18's keys WITHOUT OVERLAPS, and foreign keys to them. */

const schema = `CREATE EXTENSION btree_gist;
  CREATE TABLE rooms (id int, at daterange, CONSTRAINT rooms_key PRIMARY KEY (id, at WITHOUT OVERLAPS), UNIQUE (id, at));
  CREATE TABLE flats (id int PRIMARY KEY, n int, at daterange NOT NULL, CONSTRAINT flats_key UNIQUE (n, at WITHOUT OVERLAPS));
  CREATE TABLE stays (id int PRIMARY KEY, room int, at daterange, CONSTRAINT stays_room FOREIGN KEY (room, PERIOD at) REFERENCES rooms (id, PERIOD at));
  INSERT INTO rooms VALUES (1, '[2020-01-01,2020-02-01)'), (1, '[2020-02-01,2020-03-01)');
  INSERT INTO flats VALUES (1, 1, '[2020-01-01,2020-02-01)'), (2, 1, '[2020-02-01,2020-03-01)');
  INSERT INTO stays VALUES (1, 1, '[2020-01-15,2020-02-15)')`;

describe.each(["mysql", "mariadb"] as const)("keys over periods of PostgreSQL in %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("are reported, and a warning says that periods may overlap", async () => {
    const both = await pair(servers, schema);
    const overlap = "MySQL has no keys WITHOUT OVERLAPS, so the target does not refuse periods that overlap";
    const { findings } = await assessed(both);
    const lost = [
      ...["flats", "rooms"].map((name) => [`index public.${name}_key`, overlap]),
      ["constraint public.stays stays_room", "MySQL has no foreign keys over periods"],
    ].map(([object, why]) => ["key_lost", object, `${object} is not copied: ${why}`]);
    expect(findings.map(({ code, object, reason }) => [code, object, reason])).toEqual(lost);
    const { report, copied } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    await copied.finish();
    expect(report.verification?.differences).toEqual([]);
    const reported = report.inventory.filter(({ outcome, kind }) => outcome === "reported" && kind !== "extension");
    expect(reported.map(({ kind, name, note, definition }) => [kind, name, note, definition])).toEqual([
      ...["flats", "rooms"].flatMap((name) => [
        ["index", `public.${name}_key`, overlap, expect.stringContaining("WITHOUT OVERLAPS")],
        ["constraint", `public.${name} ${name}_key`, overlap, expect.stringContaining("WITHOUT OVERLAPS")],
      ]),
      [
        "constraint",
        "public.stays stays_room",
        "MySQL has no foreign keys over periods",
        expect.stringContaining("PERIOD"),
      ],
    ]);
    for (const [, , words] of lost) expect(report.warnings).toContain(words);
    await servers.admin.query(`INSERT INTO ${both.name}.rooms VALUES (1, '[2020-01-05,2020-01-06)')`);
    expect(await rows(servers.admin, `SELECT COUNT(*) FROM ${both.name}.rooms`)).toEqual([["3"]]);
  });
});
