import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "./run.ts";
import { endPlaces, type Kind, place, startPlaces } from "./verify-places.ts";

beforeAll(startPlaces);
afterAll(endPlaces);

const escape = "\u001b[31m";
/** With a line end and a terminal's escape in every kind of name, in a value, and in texts that are reported. */
const schemas: Record<"mysql" | "postgres", string> = {
  mysql: `
    CREATE TABLE \`p\n${escape}\` (\`id\n${escape}\` int PRIMARY KEY, \`v\n${escape}\` varchar(20), \`e\n${escape}\` enum('a\n${escape}', 'b'),
      \`d\n${escape}\` date, KEY \`k\n${escape}\` (\`v\n${escape}\`(3)), FULLTEXT KEY \`f\n${escape}\` (\`v\n${escape}\`),
      CONSTRAINT \`c\n${escape}\` CHECK (soundex(\`v\n${escape}\`) <> 'T000\n${escape}'));
    CREATE VIEW \`w\n${escape}\` AS SELECT soundex(\`v\n${escape}\`) AS \`s\n${escape}\` FROM \`p\n${escape}\`;
    CREATE FUNCTION \`r\n${escape}\`() RETURNS int DETERMINISTIC RETURN 1;
    SET SESSION sql_mode = ''; INSERT INTO \`p\n${escape}\` VALUES (1, 'x', 'b', '0000-00-00'); SET SESSION sql_mode = DEFAULT`,
  postgres: `
    CREATE TYPE "t\n${escape}" AS ENUM ('a\n${escape}');
    CREATE TABLE "p\n${escape}" ("id\n${escape}" int PRIMARY KEY, "v\n${escape}" varchar(20), "e\n${escape}" "t\n${escape}",
      CONSTRAINT "c\n${escape}" CHECK ("v\n${escape}" !~ '\n'));
    CREATE INDEX "k\n${escape}" ON "p\n${escape}" ("v\n${escape}") WHERE "id\n${escape}" > 1;
    CREATE VIEW "w\n${escape}" AS SELECT md5("v\n${escape}") AS "s\n${escape}", pg_backend_pid() FROM "p\n${escape}";
    CREATE FUNCTION "r\n${escape}"() RETURNS int LANGUAGE sql AS 'SELECT 1';
    INSERT INTO "p\n${escape}" VALUES (1, 'x', 'a\n${escape}')`,
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
