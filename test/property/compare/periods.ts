import { isPostgres, sql } from "../../chaos/contents.ts";
import type { Table } from "../cases.ts";
import type { Found, Stop } from "./index.ts";
import { differs, isLost } from "./said.ts";

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
    !lost("overlaps", period.key, /period|overlap/i)
  )
    throw differs(stop, table, period.key, "a key that no longer keeps periods apart");
  if (versioned !== true) return;
  if (!/WITH SYSTEM VERSIONING/.test(shown)) {
    if (lost("history", stop.before.get(table.name)?.replace(/^[^.]*\./, "") ?? table.name, /version|history/i)) return;
    throw differs(stop, table, table.name, "no system versioning");
  }
  const [row] = await sql(stop.place, `SELECT COUNT(*) FROM ${from} FOR SYSTEM_TIME ALL`);
  const wanted = table.rows.length === 0 ? 0 : table.rows.length + 1;
  if (Number(row?.[0]) !== wanted && !lost("past", table.name, /history|past/i))
    throw differs(stop, table, table.name, `${row?.[0]} rows of now and then instead of ${wanted}`);
}
