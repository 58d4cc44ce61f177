import type mysql from "mysql2/promise";
import type pg from "pg";
import { expect } from "vitest";
import type { CopyReport } from "../../../src/engine/contract/index.ts";
import { rows, sourceRows, withoutLastZeros } from "./mysql-support.ts";

/** Compares every row of a copy from MySQL or MariaDB with the source, apart from text form. `source`: a session in the database, in UTC. */
export async function expectRows(report: CopyReport, source: mysql.Connection, target: pg.Client): Promise<void> {
  for (const { source: from, target: to, rows: counts } of report.tables) {
    const table = from.slice(from.indexOf(".") + 1);
    const copy = to.slice(to.indexOf(".") + 1);
    const types = (
      await rows(
        target,
        `SELECT data_type FROM information_schema.columns WHERE table_schema = 'public' AND table_name = '${copy.replaceAll("'", "''")}' ORDER BY ordinal_position`,
      )
    ).map(([type]) => type ?? "");
    const plain = await sourceRows(source, `SELECT * FROM \`${table.replaceAll("`", "``")}\``, (column) =>
      /^(bytea|bit)$/.test(types[column] ?? ""),
    );
    const copied = await rows(target, `SELECT * FROM public."${copy.replaceAll('"', '""')}"`);
    const canonical = (all: (string | null)[][]) =>
      all.map((row) => JSON.stringify(row.map((value, column) => value && same(value, types[column] ?? "")))).sort();
    const [there, here] = [canonical(copied), canonical(plain)];
    const at = there.findIndex((row, index) => row !== here[index]);
    expect([table, there[at]]).toEqual([table, here[at]]);
    expect([table, counts]).toEqual([table, { source: plain.length, target: plain.length }]);
  }
}

/** One text form for a value of either side, by its PostgreSQL type. */
function same(value: string, type: string): string | null {
  switch (type) {
    case "boolean":
      // BIT(1) is a byte of 0 or 1.
      return /^[t1\x01]$/.test(value) ? "1" : "0";
    case "date":
      return value === "0000-00-00" ? null : value;
    case "timestamp with time zone":
      return withoutLastZeros(value.replace(/\+00$/, ""));
    case "timestamp without time zone":
    case "time without time zone":
      return withoutLastZeros(value);
    case "real":
    case "double precision":
      return String(Number(value));
    case "bytea":
      // A geometry's first four bytes are its SRID.
      return value.replace(/^\\x/, "").replace(/^00000000(?=01)/, "");
    case "bit":
      return /^[01]{12}$/.test(value) ? value : Number.parseInt(value, 16).toString(2).padStart(12, "0");
    case "ARRAY":
      return value.replace(/[{}"]/g, "");
    default:
      // PostgreSQL text cannot hold NUL.
      return value.replaceAll("\0", "");
  }
}
