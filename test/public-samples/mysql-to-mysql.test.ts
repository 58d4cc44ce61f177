import { test } from "vitest";
import { copied, pair, pairs, useServers } from "../support/engine/mysql-mysql-support.ts";
import { expectWhole } from "../support/engine/whole-mysql.ts";
import { sakilaIn } from "./scripts.ts";

const servers = useServers();

test.each(pairs)("%s → %s: Sakila is copied completely", async (from, to) => {
  const where = await pair(servers, from, to);
  await where.from.query("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
  for (const statement of sakilaIn(where.database)) await where.from.query(statement);
  const { report } = await copied(where);
  await expectWhole(where, report, { tables: 16, rows: 47_273, views: 7, reported: [] });
});
