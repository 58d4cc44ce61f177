import { isPostgres, sql } from "../../chaos/contents.ts";
import { hasPast } from "../periods.ts";
import type { Table } from "../table.ts";
import { differs, isLost, literal } from "./said.ts";
import type { Found, Stop } from "./stop.ts";

/** Of PostgreSQL. Errors: the table has none, though the database has the extension for it. */
async function isExclusive(stop: Stop, from: string): Promise<boolean> {
  if (!isPostgres(stop.place)) return false;
  const [row] = await sql(
    stop.place,
    `SELECT (SELECT count(*) FROM pg_constraint WHERE contype = 'x' AND conrelid = E${literal(from)}::regclass)::text,
            (SELECT count(*) FROM pg_extension WHERE extname = 'btree_gist')::text`,
  );
  const [exclusions, extension] = (row ?? []).map(Number);
  if (extension === 1 && exclusions !== 1)
    throw new Error(`${exclusions} exclusion constraints of ${from}, where the extension allows one`);
  return exclusions === 1;
}

/** Periods, keys without overlaps and histories of rows: they are there, or a report names what is not. */
export async function comparePeriods(stop: Stop, table: Table, { from }: Found): Promise<void> {
  const { period, versioned } = table;
  if (period === undefined && versioned !== true) return;
  const shown = isPostgres(stop.place) ? "" : ((await sql(stop.place, `SHOW CREATE TABLE ${from}`))[0]?.[1] ?? "");
  const lost = (what: string, name: string, words: RegExp) =>
    isLost(
      stop,
      `${what} ${table.name}`,
      name,
      /./,
      ({ outcome, kind, note, definition }) => outcome !== "copied" && words.test(`${kind} ${note} ${definition}`),
    );
  if (period !== undefined && !/\n\s+PERIOD FOR `/.test(shown) && !lost("period", period.name, /period/i))
    throw differs(stop, table, period.name, `no period ${JSON.stringify(period.name)}`);
  if (
    period?.key !== undefined &&
    !/ WITHOUT OVERLAPS\)/.test(shown) &&
    !(await isExclusive(stop, from)) &&
    // The constraint's name is the key's with a suffix, for which a long one is cut.
    !lost("overlaps", [...period.key].slice(0, 12).join(""), /period|overlap|exclusion/i)
  )
    throw differs(stop, table, period.key, "a key that no longer keeps periods apart");
  if (versioned !== true) return;
  if (!/WITH SYSTEM VERSIONING/.test(shown)) {
    if (lost("history", stop.before.get(table.name)?.replace(/^[^.]*\./, "") ?? table.name, /version|history/i)) return;
    throw differs(stop, table, table.name, "no system versioning");
  }
  const [row] = await sql(stop.place, `SELECT COUNT(*) FROM ${from} FOR SYSTEM_TIME ALL`);
  const wanted = table.rows.length + (hasPast(table) ? 1 : 0);
  if (Number(row?.[0]) !== wanted && !lost("past", table.name, /history|past/i))
    throw differs(stop, table, table.name, `${row?.[0]} rows of now and then instead of ${wanted}`);
}
