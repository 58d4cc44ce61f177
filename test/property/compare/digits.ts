import { sql } from "../../chaos/contents.ts";
import { plainNumber } from "../families.ts";
import { begin, quote } from "../kinds/index.ts";
import type { Table } from "../table.ts";
import { differs, isNamed, isNamedLast } from "./said.ts";
import type { Found, Stop } from "./stop.ts";

/** Numbers in JSON and in arrays: the report counts the values of a column that are not as exact as in the source, and no others. */

/** Each number with all its digits; a minus zero is not zero. */
const numbersIn = (text: string): string =>
  [...text.matchAll(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)]
    .map(([number]) => (/^-0(?:\.0+)?(?:[eE].*)?$/.test(number) ? "-0" : plainNumber(number)))
    .join(" ");

/** PostgreSQL's jsonb has no minus zero. */
const inSource = (text: string, type: string): string =>
  type === "jsonb" ? numbersIn(text).replaceAll(/(?<=^| )-0(?= |$)/g, "0") : numbersIn(text);

const message = /: (\d+) values? ha(?:s|ve) numbers that MySQL's JSON does not keep/;

export async function compareDigits(stop: Stop, table: Table, { from, columns }: Found): Promise<void> {
  if (stop.origin === stop.engine) return;
  for (const [at, { name, kind }] of table.columns.entries()) {
    if (kind.exact !== true) continue;
    const q = quote(columns[at] ?? "", stop.engine);
    const rows = await sql(
      stop.place,
      `${begin(stop.engine)}; SELECT CAST(${quote(columns[0] ?? "", stop.engine)} AS char), CAST(${q} AS char) FROM ${from} WHERE ${q} IS NOT NULL`,
    );
    const changed = rows.filter(([id, text]) => {
      const before = table.rows[Number(id)]?.[at]?.expect.postgres ?? "";
      return numbersIn(text ?? "") !== inSource(before, kind.type);
    }).length;
    const said = stop.report.warnings.flatMap((line) => {
      const found = message.exec(line);
      const label = line.slice(0, found?.index ?? 0);
      return found !== null && isNamedLast(label, name) && isNamed(label, table.name) ? Number(found[1]) : [];
    });
    const counted = said.reduce((sum, one) => sum + one, 0);
    if (counted !== changed)
      throw differs(
        stop,
        table,
        name,
        `${changed} values of column ${JSON.stringify(name)} have other numbers, and the report says ${counted} (${JSON.stringify(stop.report.warnings)})`,
      );
  }
}
