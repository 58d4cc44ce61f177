import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { type Pair, pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { type Ran, run } from "../../support/engine/run.ts";

/** Names, comments, defaults, labels and checks of the source are data: nothing of them becomes a statement of the target. */

const attack = `a\`b'c"d\\e; DROP TABLE victim; -- %s\nnl😀`;
const text = `x'); DROP TABLE victim; -- \\ ' OR '1'='1`;
/** As PostgreSQL's identifier and literal. */
const id = (name: string) => `"${name.replaceAll('"', '""')}"`;
const lit = (value: string) => `'${value.replaceAll("'", "''")}'`;

const columns = [
  "c`; DROP TABLE victim; --",
  "q'uote",
  "b\\slash",
  "%d",
  "select",
  "/*!50000 x */",
  "#",
  " lead",
  "a.b",
  "$",
  "@@x",
  "1",
  "`",
  "tab\t",
  "\u0001",
];

const schema = `
  CREATE TABLE victim (id int PRIMARY KEY); INSERT INTO victim VALUES (1);
  CREATE TYPE ${id(`t${attack.slice(0, 20)}`)} AS ENUM (${[text, "b\\", "%s", "nl\nx", "tab\t", "\u0001", ""].map(lit).join(", ")});
  CREATE TYPE far AS ENUM ('😀', '😁');
  CREATE TABLE ${id(attack)} (${columns.map((name) => `${id(name)} int`).join(", ")}, PRIMARY KEY (${id(columns[0] ?? "")}),
    t text DEFAULT ${lit(text)}, v varchar(80) DEFAULT ${lit(text)}, far far DEFAULT '😁', emoji varchar(9) DEFAULT '😀%s', b text DEFAULT '\\',
    e ${id(`t${attack.slice(0, 20)}`)} DEFAULT ${lit(text)}, g text GENERATED ALWAYS AS (v || ${lit(text)} || '😁é') STORED,
    CONSTRAINT ${id(`ck${attack}`)} CHECK (v <> ${lit(`x' OR '1'='1`)}), CONSTRAINT ${id("ck2`'\"\\;--")} CHECK (v <> '😁'));
  INSERT INTO ${id(attack)} (${id(columns[0] ?? "")}) VALUES (1);
  INSERT INTO ${id(attack)} (${id(columns[0] ?? "")}, t, v, b) VALUES (2, ${lit(text)}, 'b\\', E'\\v\\f\\b\\r\\n\\t\\\\N');
  CREATE INDEX ${id(`i${attack}`)} ON ${id(attack)} (${columns.slice(1, 4).map(id).join(", ")});
  ALTER TABLE ${id(attack)} ADD CONSTRAINT ${id(`fk${attack}`)} FOREIGN KEY (${id("1")}) REFERENCES ${id(attack)};
  COMMENT ON TABLE ${id(attack)} IS ${lit(text)};
  COMMENT ON COLUMN ${id(attack)}.${id("b\\slash")} IS ${lit(`${text}😀`)};
  COMMENT ON INDEX ${id(`i${attack}`)} IS ${lit(text)};
  CREATE TABLE ${id(`p${attack}`)} (${id("k`'")} varchar(80)) PARTITION BY LIST (${id("k`'")});
  CREATE TABLE ${id(`p1${attack}`)} PARTITION OF ${id(`p${attack}`)} FOR VALUES IN (${[text, "b\\", "n\nl"].map(lit).join(", ")});
  INSERT INTO ${id(`p${attack}`)} VALUES ('b\\'), (E'n\\nl');
  CREATE SCHEMA ${id("s`'\"\\;--")}; CREATE TABLE ${id("s`'\"\\;--")}.t (a int DEFAULT 5); INSERT INTO ${id("s`'\"\\;--")}.t VALUES (1);
  CREATE VIEW ${id("v`'\"\\;--")} AS SELECT ${id("select")} AS ${id("x`y")}, v FROM ${id(attack)} WHERE v <> ${lit(text)};`;

describe.each<Flavour | "mariadb-11">(["mysql", "mariadb", "mariadb-11"])(
  "hostile names and texts in %s",
  (flavour) => {
    let servers: Servers;
    let both: Pair;
    let ran: Ran;
    let copy: string;
    beforeAll(async () => {
      servers = await startServers(flavour);
      both = await pair(servers, schema);
      ran = await run(both, { options: { jobs: 2, verify: "checksum" } });
      copy =
        ran.report.tables
          .find(({ source }) => source.startsWith('public."a`b'))
          ?.target.split(".")
          .slice(1)
          .join(".") ?? "";
    });
    afterAll(() => servers?.close());

    const table = () => `\`${both.name}\`.\`${copy.replaceAll("`", "``")}\``;

    test("every table is there with its rows, and the victim too", async () => {
      expect(ran.report.verification).toMatchObject({ differences: [], uncompared: [] });
      expect(await rows(servers.admin, `SELECT id FROM ${both.name}.victim`)).toEqual([["1"]]);
      expect(ran.report.tables).toHaveLength(4);
      const [[tables] = []] = await rows(
        servers.admin,
        `SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME <> '_rowferry'`,
      );
      expect(tables).toBe("4");
    });

    test("columns have their names, which MySQL can keep", async () => {
      const names = await rows(
        servers.admin,
        `SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_NAME = '${copy.replaceAll("\\", "\\\\").replaceAll("'", "''")}' ORDER BY ORDINAL_POSITION`,
      );
      const kept = columns.filter((name) => !/\s$/.test(name));
      expect(names.map(([name]) => name)).toEqual(expect.arrayContaining(kept));
    });

    test("defaults, labels and generated values are the source's to the byte", async () => {
      await servers.admin.query(`INSERT INTO ${table()} (\`c\`\`; DROP TABLE victim; --\`) VALUES (3)`);
      const [row] = await rows(
        servers.admin,
        `SELECT t, v, far, emoji, b, e, g FROM ${table()} ORDER BY 1 DESC, v DESC LIMIT 1`,
      );
      expect(row).toEqual([text, text, "😁", "😀%s", "\\", text, `${text}${text}😁é`]);
    });

    test("checks refuse what they refused, and nothing else", async () => {
      const insert = (value: string) =>
        servers.admin.query(`INSERT INTO ${table()} (\`c\`\`; DROP TABLE victim; --\`, v) VALUES (?, ?)`, [
          Date.now() % 1e6,
          value,
        ]);
      await expect(insert("x' OR '1'='1")).rejects.toMatchObject({ errno: flavour === "mysql" ? 3819 : 4025 });
      await expect(insert("😁")).rejects.toMatchObject({ errno: flavour === "mysql" ? 3819 : 4025 });
      await insert("x");
    });

    test("comments are kept but for what the server shows as question marks, and that is said", async () => {
      const [[comment] = []] = await rows(
        servers.admin,
        `SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_NAME = '${copy.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`,
      );
      expect(comment).toBe(text);
      const entry = ran.report.inventory.find(({ kind, name }) => kind === "column" && name.endsWith("b\\slash"));
      expect(entry?.note).toContain("its comment is shortened");
    });

    test("the report's words hold no control characters", () => {
      const control = /[\u0000-\u0008\u000b-\u001f]/;
      for (const words of [
        ...ran.logs,
        ...ran.report.warnings,
        ...ran.report.inventory.flatMap(({ name, note }) => [name, note ?? ""]),
      ])
        expect(words).not.toMatch(control);
    });
  },
);
