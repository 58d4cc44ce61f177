import { printable } from "../contract/text/printable.ts";
import { identifier } from "../postgres/driver/names.ts";
import { createNumberScan } from "../rows/json-numbers.ts";
import { createDialect } from "./checksum/dialect.ts";
import { mysql } from "./checksum/expressions.ts";
import { formatTable } from "./checksum/messages.ts";
import { readersOf } from "./checksum/side.ts";
import { tableKey } from "./checksum/types.ts";
import type { Comparing } from "./comparing.ts";

/** Numbers that may be more than a double, or -0: their text in JSON is looked at. Decimals in MySQL's JSON have no exponent. */
const doubtful = { postgres: "[0-9.eE+-]{16}|[0-9][eE]|-0", mysql: "[0-9.-]{16}" };

/**
 * MySQL keeps the numbers of a JSON text as doubles, and they are compared as such: values that have lost digits there are
 * counted by their column. Reads what the source itself finds doubtful. `schema.table.column: reason`, as Verification's `uncompared`.
 */
export async function lostDigits({ source, target, paired }: Comparing, signal: AbortSignal): Promise<string[]> {
  if (target.side.engine !== "mysql") return [];
  const { engine } = source.side;
  const [reader] = readersOf(source.side, undefined);
  const dialect = createDialect(engine, "md5");
  const typesOf = ({ tables }: typeof source) => new Map(tables.map(({ name, type }) => [tableKey(...name), type]));
  const [ours, theirs] = [typesOf(source), typesOf(target)];
  const found: string[] = [];
  for (const pair of paired.pairs)
    for (const column of pair.columns) {
      const type = theirs.get(tableKey(...pair.target))?.columns.get(column.target);
      if (reader === undefined || type?.engine !== "mysql" || type.name !== "json") continue;
      signal.throwIfAborted();
      const [schema, table] = pair.source;
      const own = ours.get(tableKey(schema, table));
      const ourType = own?.columns.get(column.source);
      if (ourType?.engine === "mysql" && ourType.name !== "json") continue;
      const from = dialect.from(schema, table, own?.partitioned === true);
      const sql =
        engine === "postgres"
          ? `SELECT x.t FROM (SELECT pg_catalog.to_json(${identifier(column.source)})::pg_catalog.text AS t ${from}) x WHERE x.t ~ '${doubtful.postgres}'`
          : `SELECT x.t FROM (SELECT ${mysql.asText(mysql.column(column.source))} AS t ${from}) x WHERE x.t REGEXP '${doubtful.mysql}'`;
      const scan = createNumberScan("plain");
      let values = 0;
      await reader.reading(pair.source, (one) =>
        one.rows(sql, 1, ([value]) => {
          if (!value) return;
          scan.feed(value, 0, value.length);
          if (scan.finish()) values++;
        }),
      );
      if (values > 0)
        found.push(
          printable(
            `${formatTable(pair.source)}.${column.source}: ${values} ${values === 1 ? "value has" : "values have"} numbers that MySQL's JSON does not keep (more digits than a double has, or -0); they are compared as doubles`,
          ),
        );
    }
  return found;
}
