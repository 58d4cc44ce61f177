import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../support/engine/run.ts";
import { endPlaces, type Kind, place, startPlaces } from "../../support/engine/verify-places.ts";

beforeAll(startPlaces);
afterAll(endPlaces);

const control = "\u001b[31m";
/** With a line end and a terminal's escape in every kind of name, in a value, and in texts that are reported. */
const schemas: Record<"mysql" | "postgres", string> = {
  mysql: `
    CREATE TABLE \`p\n${control}\` (\`id\n${control}\` int PRIMARY KEY, \`v\n${control}\` varchar(20), \`e\n${control}\` enum('a\n${control}', 'b'),
      \`d\n${control}\` date, KEY \`k\n${control}\` (\`v\n${control}\`(3)), FULLTEXT KEY \`f\n${control}\` (\`v\n${control}\`),
      CONSTRAINT \`c\n${control}\` CHECK (soundex(\`v\n${control}\`) <> 'T000\n${control}'));
    CREATE VIEW \`w\n${control}\` AS SELECT soundex(\`v\n${control}\`) AS \`s\n${control}\` FROM \`p\n${control}\`;
    CREATE FUNCTION \`r\n${control}\`() RETURNS int DETERMINISTIC RETURN 1;
    SET SESSION sql_mode = ''; INSERT INTO \`p\n${control}\` VALUES (1, 'x', 'b', '0000-00-00'); SET SESSION sql_mode = DEFAULT`,
  postgres: `
    CREATE TYPE "t\n${control}" AS ENUM ('a\n${control}');
    CREATE TABLE "p\n${control}" ("id\n${control}" int PRIMARY KEY, "v\n${control}" varchar(20), "e\n${control}" "t\n${control}",
      CONSTRAINT "c\n${control}" CHECK ("v\n${control}" !~ '\n'));
    CREATE INDEX "k\n${control}" ON "p\n${control}" ("v\n${control}") WHERE "id\n${control}" > 1;
    CREATE VIEW "w\n${control}" AS SELECT md5("v\n${control}") AS "s\n${control}", pg_backend_pid() FROM "p\n${control}";
    CREATE FUNCTION "r\n${control}"() RETURNS int LANGUAGE sql AS 'SELECT 1';
    INSERT INTO "p\n${control}" VALUES (1, 'x', 'a\n${control}')`,
};

const kinds: readonly Kind[] = ["mysql", "mariadb", "postgres"];

test.each(kinds.flatMap((from) => kinds.map((to) => [from, to] as const)))(
  "%s → %s: the report's names and sentences show control characters as escapes",
  async (from, to) => {
    const [source, target] = [await place(from), await place(to)];
    await source.run(schemas[from === "postgres" ? "postgres" : "mysql"]);
    const { report, copied } = await run({ source: source.endpoint, target: target.endpoint });
    await copied.finish();
    const texts = report.inventory.flatMap(({ name, note = "" }) => [name, note]).concat(report.warnings);
    expect(texts.filter((text) => /\p{Cc}/u.test(text))).toEqual([]);
    for (const name of ["p", "v", "c", "w", "r"])
      expect(report.inventory.some((entry) => entry.name.includes(`${name}\\n\\u001b[31m`))).toBe(true);
  },
);
