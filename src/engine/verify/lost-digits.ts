import { printable } from "../contract/text/printable.ts";
import { identifier } from "../postgres/driver/names.ts";
import { createNumberScan } from "../rows/copy-to-load/json-numbers.ts";
import { createDialect } from "./checksum/dialect.ts";
import { formatTable } from "./checksum/messages.ts";
import { readersOf } from "./checksum/side.ts";
import { tableKey } from "./checksum/types.ts";
import type { Comparing } from "./comparing.ts";

/** Numbers that may be more than a double, or -0: their text in JSON is looked at. */
const doubtful = "[0-9.eE+-]{16}|[0-9][eE]|-0";

/**
 * MySQL keeps JSON's numbers as doubles, and they are compared as such: values that have lost digits there are counted by
 * their column. Reads what PostgreSQL itself finds doubtful. `schema.table.column: reason`, as Verification's `uncompared`.
 */
export async function lostDigits({ source, target, paired }: Comparing, signal: AbortSignal): Promise<string[]> {
  if (source.side.engine !== "postgres" || target.side.engine !== "mysql") return [];
  const [reader] = readersOf(source.side, undefined);
  const dialect = createDialect("postgres", "md5");
  const typesOf = ({ tables }: typeof source) => new Map(tables.map(({ name, type }) => [tableKey(...name), type]));
  const [ours, theirs] = [typesOf(source), typesOf(target)];
  const found: string[] = [];
  for (const pair of paired.pairs)
    for (const column of pair.columns) {
      const type = theirs.get(tableKey(...pair.target))?.columns.get(column.target);
      if (reader === undefined || type?.engine !== "mysql" || type.name !== "json") continue;
      signal.throwIfAborted();
      const [schema, table] = pair.source;
      const from = dialect.from(schema, table, ours.get(tableKey(schema, table))?.partitioned === true);
      const text = `pg_catalog.to_json(${identifier(column.source)})::pg_catalog.text`;
      // The scan reads two bytes for a backslash.
      const sql = `SELECT pg_catalog.replace(x.t, '\\', '\\\\') FROM (SELECT ${text} AS t ${from}) x WHERE x.t ~ '${doubtful}'`;
      const scan = createNumberScan();
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
