import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDatabase } from "../../../dev/databases/index.ts";
import { endpoint, error, type Flavour } from "../../support/engine/mysql-support.ts";
import { inSource, pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

describe.each<Flavour>(["mysql", "mariadb"])("limits of a %s that is copied to from PostgreSQL", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("where the server takes no files from clients, rows go by INSERT, to the byte", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, v text, b bytea, j jsonb, f boolean); INSERT INTO t VALUES (1, E'a\\tb\\nc\\\\d''e"\\v\\f', '\\x00090a0d5c2722', '{"k": "a\\\\\\\\b''"}', true), (2, '', '', NULL, NULL), (3, '\\N', NULL, '[]', false);
       INSERT INTO t SELECT i, repeat(chr(i), 3000), decode(repeat('5c00', 2000), 'hex'), '1', true FROM generate_series(100, 400) i`,
    );
    await servers.admin.query("SET GLOBAL local_infile = 0");
    try {
      const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
      expect(report.verification).toMatchObject({ rows: 304, differences: [], uncompared: [] });
      expect(
        await rows(servers.admin, `SELECT HEX(v), HEX(b), f FROM ${both.name}.t WHERE id IN (1, 3) ORDER BY id`),
      ).toEqual([
        [Buffer.from("a\tb\nc\\d'e\"\v\f").toString("hex").toUpperCase(), "00090A0D5C2722", "1"],
        ["5C4E", null, "0"],
      ]);
    } finally {
      await servers.admin.query("SET GLOBAL local_infile = 1");
    }
  });

  test("a row that is larger than max_allowed_packet fails the run with the setting to raise, or arrives whole", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE t (id int PRIMARY KEY, v text, j jsonb); INSERT INTO t VALUES (1, repeat('xyz', 6000000), '1'), (2, 'short', '{}')",
    );
    await servers.admin.query("SET GLOBAL max_allowed_packet = 1048576");
    try {
      const failed = await error(run(both));
      if (failed.code === "none")
        expect(
          await rows(
            servers.admin,
            `SELECT LENGTH(v), SHA2(v, 256) = SHA2(REPEAT('xyz', 6000000), 256) FROM ${both.name}.t WHERE id = 1`,
          ),
        ).toEqual([["18000000", "1"]]);
      else
        expect(failed).toMatchObject({
          code: "row_too_large",
          retryable: false,
          message: expect.stringContaining("max_allowed_packet"),
        });
      await servers.admin.query("SET GLOBAL local_infile = 0");
      const refused = await error(run(both, { owner: "owner-1", reset: true, made: [] }));
      expect(refused).toMatchObject({
        code: "row_too_large",
        retryable: false,
        message: expect.stringContaining("max_allowed_packet"),
      });
    } finally {
      await servers.admin.query("SET GLOBAL max_allowed_packet = 268435456, GLOBAL local_infile = 1");
    }
    const { report } = await run(both, { reset: true });
    expect(report.tables[0]?.rows).toEqual({ source: 2, target: 2 });
  });

  test("a document that is larger than max_allowed_packet fails the run with the setting to raise, or arrives whole", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE t (id int PRIMARY KEY, j jsonb); INSERT INTO t VALUES (1, to_jsonb(repeat('x', 3000000)))",
    );
    await servers.admin.query("SET GLOBAL max_allowed_packet = 1048576");
    try {
      const failed = await error(run(both));
      if (failed.code !== "none")
        expect(failed).toMatchObject({
          code: "row_too_large",
          retryable: false,
          message: expect.stringContaining("max_allowed_packet"),
        });
    } finally {
      await servers.admin.query("SET GLOBAL max_allowed_packet = 268435456");
    }
    await run(both, { reset: true });
    expect(await rows(servers.admin, `SELECT LENGTH(j) FROM ${both.name}.t`)).toEqual([["3000002"]]);
  });
});

test("a target without room says so, and has every row once there is room", async () => {
  const [source, target] = await Promise.all([
    startDatabase("postgres"),
    startDatabase("mysql", {
      diskMegabytes: 200,
      args: ["--local-infile=1", "--skip-log-bin", "--innodb-redo-log-capacity=8388608"],
    }),
  ]);
  try {
    await inSource(
      source.urlOf("app", "admin"),
      "CREATE TABLE long (id int PRIMARY KEY, t text); INSERT INTO long SELECT i, repeat(md5(i::text), 10) FROM generate_series(1, 300000) i",
    );
    const where = {
      source: endpoint(source.urlOf("app", "admin"), "postgres"),
      target: endpoint(target.urlOf("app", "admin"), "mysql"),
    };
    const failed = await error(run(where, { options: { jobs: 2, stall_timeout: 30 } }));
    expect(failed).toMatchObject({
      code: "disk_full",
      message: "the target database's disk is full: free space and retry (The table 'long' is full)",
      retryable: false,
    });
    await inSource(source.urlOf("app", "admin"), "DELETE FROM long WHERE id > 20000");
    const { report } = await run(where);
    expect(report.tables[0]?.rows).toEqual({ source: 20000, target: 20000 });
  } finally {
    await Promise.all([source.stop(), target.stop()]);
  }
});
