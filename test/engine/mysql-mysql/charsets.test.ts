import { expect, test } from "vitest";
import { copied, pair, pairs, useServers } from "../../support/engine/mysql-mysql-support.ts";

/** Rows into tables that exist with other character sets. */

const servers = useServers();

const sets = ["latin1", "utf8mb3", "utf8mb4", "ucs2", "utf16", "utf32"];

test.each(pairs)("%s → %s: rows alone, from each character set into each other", async (from, to) => {
  const others = sets.flatMap((one) => sets.map((other) => [one, other] as const));
  const table = (one: string, other: string, set: string) =>
    `CREATE TABLE ${one}_${other} (id int PRIMARY KEY, v varchar(10) CHARACTER SET ${set}, w text CHARACTER SET ${set})`;
  const rows = others.map(
    ([one, other]) => `${table(one, other, one)}; INSERT INTO ${one}_${other} VALUES (1, 'abc', 'é'), (2, NULL, '')`,
  );
  const where = await pair(servers, from, to, rows.join("; "));
  await where.to.query(others.map(([one, other]) => table(one, other, other)).join("; "));
  const { report } = await copied(where, { options: { jobs: 2, content: "data" } });
  // Nothing but rows was made or changed.
  expect(new Set(report.inventory.map(({ kind, outcome }) => `${kind} ${outcome}`))).toEqual(new Set(["table copied"]));
  for (const [one, other] of others)
    expect((await where.to.query(`SELECT * FROM ${one}_${other} ORDER BY id`))[0], `${one} ${other}`).toEqual([
      { id: 1, v: "abc", w: "é" },
      { id: 2, v: null, w: "" },
    ]);
});
