import { afterAll, beforeAll, expect, test } from "vitest";
import { reportSchema } from "../../../src/engine/report/schema.ts";
import { run } from "../../support/engine/run.ts";
import { endPlaces, type Kind, place, startPlaces } from "../../support/engine/verify-places.ts";

/** What a report says of its two servers, and that no log line of any direction has a control character. */

beforeAll(startPlaces);
afterAll(endPlaces);

const control = "\u001b[31m";
const name = `p\n${control}`;

const kinds: readonly Kind[] = ["mysql", "mariadb", "postgres"];
const schema = {
  mysql: `CREATE TABLE \`${name}\` (id int PRIMARY KEY, v varchar(20)); INSERT INTO \`${name}\` VALUES (1, 'x')`,
  postgres: `CREATE TABLE "${name}" (id int PRIMARY KEY, v varchar(20)); INSERT INTO "${name}" VALUES (1, 'x')`,
};

test.each(kinds.flatMap((from) => kinds.map((to) => [from, to] as const)))(
  "%s → %s: the report's engines are as its schema says, and the log shows control characters as escapes",
  async (from, to) => {
    const [source, target] = [await place(from), await place(to)];
    await source.run(schema[from === "postgres" ? "postgres" : "mysql"]);
    const { report, logs, copied } = await run(
      { source: source.endpoint, target: target.endpoint },
      { options: { jobs: 2, verify: "checksum" } },
    );
    await copied.finish();
    expect(reportSchema.parse(report)).toMatchObject({ source: { engine: from }, target: { engine: to } });
    expect(report.tables).toHaveLength(1);
    expect(logs.filter((line) => /\p{Cc}/u.test(line))).toEqual([]);
  },
);
