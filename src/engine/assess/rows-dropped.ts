import { numberText } from "../../guard/text.ts";
import { fullName } from "../contract/text/full-name.ts";
import { identifier, literal } from "../mysql/driver/names.ts";
import type { Session as MysqlSession } from "../mysql/driver/session.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import { fullNameSql, qualified } from "../postgres/driver/names.ts";
import { isNamed } from "../run/fence/drop-option.ts";
import type { ReportFinding } from "./finding.ts";

/** What the target loses by options.drop: nobody may hear of it only afterwards. */

/** `rows`: of all of them, where more than `mostCounted` by statistics. */
export interface Dropped {
  tables: number;
  rows: number;
}

interface Going {
  name: string;
  /** A view, for example, has no rows of its own. */
  kind: "table" | "other";
  /** By statistics, which may be old. */
  rows: number;
  count(): Promise<number>;
}

export const noneDropped: Dropped = { tables: 0, rows: 0 };

/** Rows that are counted one by one; a look stays short however large a table is. */
const mostCounted = 1000;
/** Tables whose rows are counted at all. */
const mostLookedAt = 100;

/** `names`: full names of relations that are dropped or, with the content `data`, emptied. */
export async function reportPostgresDropped(
  session: PostgresSession,
  names: readonly string[],
  content: string | undefined,
  report: ReportFinding,
): Promise<Dropped> {
  if (names.length === 0) return noneDropped;
  const found = await session.query<{ schema: string; name: string; kind: string; rows: number }>(
    `SELECT n.nspname AS schema, c.relname AS name, c.relkind::pg_catalog.text AS kind,
            GREATEST(c.reltuples::pg_catalog.int8, pg_catalog.pg_stat_get_live_tuples(c.oid), 0::pg_catalog.int8) AS rows
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND ${fullNameSql("n.nspname", "c.relname")} = ANY ($1::pg_catalog.text[])`,
    [names],
  );
  const going = found.map(
    ({ schema, name, kind, rows }): Going => ({
      name: fullName(schema, name),
      kind: kind === "r" || kind === "p" ? "table" : "other",
      rows,
      count: async () => {
        const [row] = await session.query<{ rows: number }>(
          `SELECT pg_catalog.count(*)::pg_catalog.int8 AS rows FROM (SELECT FROM ${qualified(schema, name)} LIMIT ${mostCounted + 1}) AS counted`,
        );
        return row?.rows ?? 0;
      },
    }),
  );
  return reportGoing(going, content, report);
}

/** `names`: as the target's database has them. */
export async function reportMysqlDropped(
  session: MysqlSession,
  { database, names }: { database: string; names: readonly string[] },
  content: string | undefined,
  report: ReportFinding,
): Promise<Dropped> {
  if (names.length === 0) return noneDropped;
  const wanted = new Set(names);
  const found = await session.query(
    `SELECT TABLE_NAME, TABLE_TYPE, COALESCE(TABLE_ROWS, 0) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${literal(database)}`,
  );
  const going = found.flatMap(([name = "", type, rows]): Going[] => {
    if (name === null || !wanted.has(name)) return [];
    const table = `${identifier(database)}.${identifier(name)}`;
    return [
      {
        name,
        kind: type === "BASE TABLE" || type === "SYSTEM VERSIONED" ? "table" : "other",
        rows: Number(rows ?? 0),
        count: async () => {
          const [row] = await session.query(
            `SELECT COUNT(*) FROM (SELECT 1 FROM ${table} LIMIT ${mostCounted + 1}) AS counted`,
          );
          return Number(row?.[0] ?? 0);
        },
      },
    ];
  });
  return reportGoing(going, content, report);
}

/** Those of a schema, or a MySQL database, that the option names. */
export const namedIn = (schema: string, names: readonly string[], drop: readonly string[] = []): string[] =>
  names.filter((name) => isNamed(drop, schema, name));

async function reportGoing(
  going: readonly Going[],
  content: string | undefined,
  report: ReportFinding,
): Promise<Dropped> {
  const what = content === "data" ? "emptied" : "dropped";
  let all = 0;
  for (const [at, one] of going.entries()) {
    // Who may drop a table may not always read it: then the statistics have to do.
    const counted = one.kind === "table" && at < mostLookedAt ? await one.count().catch(() => undefined) : undefined;
    const isExact = counted !== undefined && counted <= mostCounted;
    const rows = isExact ? counted : Math.max(one.rows, counted ?? 0);
    all += one.kind === "table" ? rows : 0;
    const words = `${isExact ? "" : "about "}${numberText(rows)} ${rows === 1 ? "row" : "rows"}`;
    report(
      "warning",
      "target_rows_dropped",
      one.name,
      one.kind === "table"
        ? `the copy would ${what === "emptied" ? "empty" : "drop"} this table of the target with its ${words}, since options.drop names it; this cannot be undone`
        : "the copy would drop it from the target, since options.drop names it; this cannot be undone",
      `save it first, or remove it from options.drop to keep it`,
    );
  }
  return { tables: going.length, rows: all };
}
