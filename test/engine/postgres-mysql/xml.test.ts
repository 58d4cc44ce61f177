import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

const silent = { signal: new AbortController().signal, progress: () => undefined, log: () => undefined };

/** PostgreSQL's output of xml lacks parts of its declaration, also within arrays and composite types. */

describe.each<Flavour>(["mysql", "mariadb"])("into %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const plain = '<?xml version="1.0"?><a/>';
  const latin = '<?xml version="1.0" encoding="ISO-8859-1"?><é/>';
  const alone = '<?xml version="1.0" standalone="yes"?><b/>';
  const schema = `CREATE DOMAIN page AS xml; CREATE TYPE leaf AS (n int, x xml); CREATE TYPE tree AS (l leaf, many leaf[], p page, c char(3));
    CREATE DOMAIN leaves AS leaf[];
    CREATE TABLE t (id int PRIMARY KEY, x xml, p page, list xml[], pages page[], one leaf, deep tree, several leaves);
    INSERT INTO t VALUES
      (1, '${plain}', '${latin}', ARRAY['${alone}', NULL, '${plain}']::xml[], ARRAY['${plain}']::page[],
       ROW(1, '${plain}'), ROW(ROW(2, '${latin}'), ARRAY[ROW(3, '${plain}')::leaf, NULL, ROW(NULL, NULL)::leaf], '${alone}', 'c'),
       ARRAY[[ROW(4, '${plain}')::leaf], [ROW(5, 'text "quoted" \\ here')::leaf]]),
      (2, NULL, '', '{}', NULL, NULL, ROW(NULL, NULL, NULL, NULL), '{}'),
      (3, 'words', NULL, ARRAY[ARRAY['${plain}'], ARRAY['a,b']]::xml[], NULL, ROW(NULL, NULL), NULL, NULL)`;

  test("xml keeps its declaration, also in arrays and composite types, with the schema and into tables that were there", async () => {
    const both = await pair(servers, schema);
    const there = async () => {
      const texts = await rows(servers.admin, `SELECT x, p FROM ${both.name}.t ORDER BY id`);
      const documents = await rows(
        servers.admin,
        `SELECT list, pages, one, deep, several FROM ${both.name}.t ORDER BY id`,
      );
      return { texts, documents: documents.map((row) => row.map((text) => (text === null ? null : JSON.parse(text)))) };
    };
    const expected = {
      texts: [
        [plain, latin],
        [null, ""],
        ["words", null],
      ],
      documents: [
        [
          [alone, null, plain],
          [plain],
          { n: 1, x: plain },
          { l: { n: 2, x: latin }, many: [{ n: 3, x: plain }, null, { n: null, x: null }], p: alone, c: "c  " },
          [[{ n: 4, x: plain }], [{ n: 5, x: 'text "quoted" \\ here' }]],
        ],
        [[], null, null, { l: null, many: null, p: null, c: null }, []],
        [[[plain], ["a,b"]], null, { n: null, x: null }, null, null],
      ],
    };
    const { copied } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    expect(await there()).toEqual(expected);
    await copied.finish();
    await servers.admin.query(`DELETE FROM ${both.name}.t`);
    const again = await run(both, { owner: "owner-2", options: { jobs: 1, content: "data", verify: "checksum" } });
    expect(await there()).toEqual(expected);
    await again.copied.finish();
  });

  test("also where options.types makes texts of them, of which a changed declaration is found", async () => {
    const both = await pair(servers, schema);
    const types = { "t.x": "MEDIUMTEXT", "t.list": "LONGTEXT", "t.one": "LONGTEXT", "t.deep": "LONGTEXT" };
    const { copied } = await run(both, { options: { jobs: 1, types, verify: "checksum" } });
    expect(await rows(servers.admin, `SELECT x, list, one FROM ${both.name}.t WHERE id = 1`)).toEqual([
      [plain, JSON.stringify([alone, null, plain]), JSON.stringify({ n: 1, x: plain })],
    ]);
    await copied.finish();
    await servers.admin.query(
      `UPDATE ${both.name}.t SET one = REPLACE(one, '<?xml version=\\\\"1.0\\\\"?>', '') WHERE id = 1`,
    );
    const { verification } = await verify({ ...both, options: { jobs: 1 } }, silent);
    expect(verification.differences.map(({ keys }) => keys.length)).toEqual([1]);
  });
});
