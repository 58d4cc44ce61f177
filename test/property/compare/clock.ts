import { sql } from "../../chaos/contents.ts";
import { begin, quote } from "../kinds/index.ts";
import type { Column, Table } from "../table.ts";
import { differs, isNamed, repeated } from "./said.ts";
import type { Found, Stop } from "./stop.ts";

/** The present time as a default, and after each change of a row: never in the future, and with no more digits than in the source. */

/** No row of a case has these numbers, and every check lets them pass. */
const [fresh, changed] = [39, 34];

/** Microseconds that have gone by since a column's time, and those of its second that its digits leave over. */
const age = (stop: Stop, column: string, digits: number): string =>
  stop.engine === "mysql"
    ? `CAST(TIMESTAMPDIFF(MICROSECOND, ${column}, NOW(6)) AS char), CAST(MICROSECOND(${column}) % ${10 ** (6 - digits)} AS char)`
    : `(round(extract(epoch FROM clock_timestamp() - (${column})::timestamptz) * 1000000))::bigint::text,
       (extract(microseconds FROM ${column})::bigint % 1000000 % ${10 ** (6 - digits)})::text`;

export async function compareClock(stop: Stop, table: Table, found: Found): Promise<void> {
  if (table.rows.length === 0) return;
  for (const [at, column] of table.columns.entries()) {
    const { clock } = column.kind;
    if (clock === undefined) continue;
    // Without its default it needs a value.
    if (!column.required || !isLost(stop, table, column, "default")) {
      const made = await timeOf(stop, table, found, { at, digits: clock.digits, after: "insert" });
      judge(stop, table, column, made, "default");
    }
    if (!clock.updates) continue;
    const later = await timeOf(stop, table, found, { at, digits: clock.digits, after: "update" });
    judge(stop, table, column, later, "ON UPDATE");
  }
}

type Age = readonly [micros: string | null | undefined, over: string | null | undefined];

async function timeOf(
  stop: Stop,
  table: Table,
  { from, columns }: Found,
  { at, digits, after }: { at: number; digits: number; after: "insert" | "update" },
): Promise<Age> {
  const q = (n: number) => quote(columns[n] ?? "", stop.engine);
  const given = table.columns.flatMap(({ generated }, n) =>
    generated !== undefined || (n === at && after === "insert") ? [] : [n],
  );
  const values = given.map((n) => {
    if (n === 0) return String(fresh);
    if (n === at) return "'2001-02-03 04:05:06'";
    return repeated(table, n, q(n));
  });
  const id = after === "insert" ? fresh : changed;
  const update = after === "insert" ? "" : `UPDATE ${from} SET ${q(0)} = ${changed} WHERE ${q(0)} = ${fresh};`;
  const [row] = await sql(
    stop.place,
    `${begin(stop.engine)}; START TRANSACTION;
     INSERT INTO ${from} (${given.map(q).join(", ")}) SELECT ${values.join(", ")} FROM ${from} LIMIT 1; ${update}
     SELECT ${age(stop, q(at), digits)} FROM ${from} WHERE ${q(0)} = ${id}`,
  );
  return [row?.[0], row?.[1]];
}

const minute = 60_000_000;

type What = "default" | "ON UPDATE";

/** Whether this report, or that of an earlier stop, says that the target has it not. */
function isLost(stop: Stop, table: Table, column: Column, what: What): boolean {
  const key = `${what} of ${table.name}.${column.name}`;
  const words = what === "default" ? /default/ : /trigger|ON UPDATE|column/i;
  // A long name is cut before its suffix, and a trigger bears its table's.
  const own = [column.name, stop.called.get(column) ?? column.name];
  const names = [...own, ...(what === "default" ? [] : [table.name])].map((one) => [...one].slice(0, 12).join(""));
  const said = stop.report.inventory.some(
    ({ kind, name, outcome, note = "", definition = "" }) =>
      outcome === "reported" &&
      words.test(`${kind} ${note}`) &&
      names.some((one) => isNamed(name, one) || isNamed(definition, one)),
  );
  if (said) stop.givenUp.add(key);
  return stop.givenUp.has(key);
}

function judge(stop: Stop, table: Table, column: Column, [micros, over]: Age, what: What): void {
  // PostgreSQL rounds its own present time.
  const ahead = stop.origin === "postgres" ? -1_000_000 : 0;
  const past = Number(micros);
  const isNone = micros === null || micros === undefined;
  if (!isNone && past >= ahead && past < minute && Number(over) === 0) return;
  if ((isNone || past > minute) && isLost(stop, table, column, what)) return;
  throw differs(
    stop,
    table,
    column.name,
    `the present time (${what}) of column ${JSON.stringify(column.name)} is ${micros} µs old, ${over} beyond its digits`,
  );
}
