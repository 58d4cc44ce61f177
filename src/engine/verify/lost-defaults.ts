import type { InventoryEntry } from "../contract/index.ts";
import { printable } from "../contract/text/printable.ts";
import type { Session as MysqlSession } from "../mysql/driver/session.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import type { Comparing } from "./comparing.ts";
import type { ExpectedObjects } from "./expected.ts";

/**
 * Columns that have a default in the source and none in the target of another engine, where a copy would have made one, or one
 * of another value: numbers and plain texts are compared, other defaults are not.
 */
export async function lostDefaults(
  { source, target, paired }: Comparing,
  expected: ExpectedObjects,
): Promise<LostDefaults> {
  const [ours, theirs] = [await defaultsOf(source.side), await defaultsOf(target.side)];
  const counting = new Set(expected.counters.map(({ schema, table, column }) => key([schema, table], column)));
  const entries: InventoryEntry[] = [];
  const notes: string[] = [];
  for (const pair of paired.pairs)
    for (const column of pair.columns) {
      const one = key(pair.source, column.source);
      const [here, there] = [ours.get(one), theirs.get(key(pair.target, column.target))];
      if (here === undefined || counting.has(one)) continue;
      const name = printable([...pair.source, column.source].join("."));
      if (there !== undefined) {
        if (!isOther(here, there)) continue;
        const note = `its default is ${here.value} in the source and ${there.value} in the target`;
        entries.push({ kind: "column", name, outcome: "reported", note });
        continue;
      }
      const planned = expected.ofColumn("default", ...pair.source, column.source);
      // The copy reported it.
      if (planned?.outcome === "reported") notes.push(`default ${name}: ${planned.note ?? "not copied"}`);
      else
        entries.push({
          kind: "column",
          name,
          outcome: "reported",
          note: "it has a default in the source, none in the target",
        });
    }
  return { entries, notes };
}

interface LostDefaults {
  entries: InventoryEntry[];
  notes: string[];
}

const key = (table: readonly string[], column: string): string => [...table, column].join("\0");

/** As far as both engines write it alike; undefined for all else. */
interface Default {
  is?: "number" | "text";
  value?: string;
}

const isOther = (one: Default, other: Default): boolean =>
  one.is !== undefined && one.is === other.is && one.value !== other.value;

const numbers = /^(?:tinyint|smallint|mediumint|int|integer|bigint|decimal|numeric)$/;
const texts = /^(?:char|varchar|character|character varying|text)$/;

/** `type` without a length; `words` in SQL, or the literal itself. */
export function plainDefault(type: string, words: string): Default {
  const literal = words.replace(/::[\w ]+$/, "").replace(/^\((.*)\)$/, "$1");
  const text = /^'(.*)'$/.exec(literal)?.[1] ?? literal;
  if (numbers.test(type)) {
    const [, sign, whole = "", fraction = ""] = /^(-?)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
    if (sign === undefined || !/\d/.test(text)) return {};
    let digits = fraction.length;
    while (fraction[digits - 1] === "0") digits--;
    const number = `${whole.replace(/^0+/, "") || "0"}${digits === 0 ? "" : `.${fraction.slice(0, digits)}`}`;
    return { is: "number", value: number === "0" ? "0" : sign + number };
  }
  return texts.test(type) && /^[\w.-]*$/.test(text) ? { is: "text", value: text } : {};
}

/** Columns with a default that is not NULL; of PostgreSQL's also those whose domain has one. */
async function defaultsOf(side: Comparing["source"]["side"]): Promise<Map<string, Default>> {
  if (side.engine === "mysql") {
    const [session] = side.sessions as readonly MysqlSession[];
    const found =
      (await session?.query(
        `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_DEFAULT, EXTRA LIKE '%DEFAULT_GENERATED%', COLUMN_TYPE FROM information_schema.COLUMNS
          WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_DEFAULT IS NOT NULL${session.server.maria ? " AND COLUMN_DEFAULT <> 'NULL'" : ""}
            AND COALESCE(GENERATION_EXPRESSION, '') = ''`,
      )) ?? [];
    return new Map(
      found.map(([schema, table, column, type, words, computed, complete]) => [
        key([schema ?? "", table ?? ""], column ?? ""),
        // A boolean's is written as a number; MariaDB writes what is no literal as SQL too.
        computed === "1" ||
        complete === "tinyint(1)" ||
        (session?.server.maria && !/^(?:'.*'|-?[\d.]+)$/.test(words ?? ""))
          ? {}
          : plainDefault(type ?? "", words ?? ""),
      ]),
    );
  }
  const [session] = side.sessions as readonly PostgresSession[];
  const found =
    (await session?.query<{ schema: string; name: string; column: string; type: string; words: string | null }>(
      `SELECT n.nspname AS schema, c.relname AS name, a.attname AS column, pg_catalog.format_type(a.atttypid, NULL) AS type,
              CASE WHEN t.typtype <> 'd' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END AS words FROM pg_catalog.pg_attribute a
         JOIN pg_catalog.pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p') JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         JOIN pg_catalog.pg_type t ON t.oid = a.atttypid LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = ''
          AND COALESCE(pg_catalog.pg_get_expr(d.adbin, d.adrelid), t.typdefault, 'NULL') !~ '^NULL(::|$)'`,
    )) ?? [];
  return new Map(
    found.map(({ schema, name, column, type, words }) => [
      key([schema, name], column),
      // A text without quotes is an expression.
      words === null || (texts.test(type) && !words.startsWith("'")) ? {} : plainDefault(type, words),
    ]),
  );
}
