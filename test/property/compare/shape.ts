import { isPostgres, type Place, sql } from "../../chaos/contents.ts";
import { quote } from "../kinds/index.ts";
import { partitionOf } from "../partitions.ts";
import type { Index, Table } from "../table.ts";
import { compareLoose, isKeyLost } from "./loose.ts";
import { comparePeriods } from "./periods.ts";
import { checkViolations, differs, entriesOf, insertion, isLost, literal, notCopied, says } from "./said.ts";
import type { Found, Stop } from "./stop.ts";

/**
 * What a table must be beside its rows: nullability, indexes, checks and partitions, by the case alone and the servers' own
 * catalogues. What a copy could not make counts as lost only if its report names it, and then for the next stops too.
 */
export async function compareShape(stop: Stop, table: Table, found: Found): Promise<void> {
  await compareNullability(stop, table, found);
  await compareIndexes(stop, table, found);
  await compareChecks(stop, table, found);
  await compareLoose(stop, table, found);
  await comparePartitions(stop, table, found);
  await comparePeriods(stop, table, found);
}

async function compareNullability(stop: Stop, table: Table, { columns, nullable }: Found): Promise<void> {
  for (const [n, column] of table.columns.entries()) {
    if (nullable[n] === !column.required) continue;
    if (
      nullable[n] &&
      isLost(stop, `NOT NULL of ${table.name}.${column.name}`, column.name, /column/, says(/NOT NULL dropped/))
    )
      continue;
    const is = nullable[n] ? "takes NULL" : "is NOT NULL";
    throw differs(stop, table, column.name, `column ${JSON.stringify(columns[n])} ${is}`);
  }
}

const keyOf = (columns: readonly (number | string)[], unique: boolean): string =>
  `${unique ? "unique " : ""}(${columns.join(", ")})`;

/** Every index but the primary key's: the positions of its columns, and whether it is unique. */
async function compareIndexes(stop: Stop, table: Table, found: Found): Promise<void> {
  const there = await indexesOf(stop.place, found);
  const position = (name: string) => table.columns.findIndex((column) => column.name === name);
  const keys = ({ column, form }: Index) =>
    keyOf(
      form === "plain" || form === "alone" ? [position(column)] : [position(column), 0],
      form === "unique" || form === "alone",
    );
  for (const index of table.indexes) {
    const at = there.indexOf(keys(index));
    if (at >= 0) there.splice(at, 1);
    else if (!isLost(stop, index, index.name, /index|constraint/, notCopied))
      throw differs(
        stop,
        table,
        index.name,
        `no index ${JSON.stringify(index.name)} ${keys(index)} but ${there.join(" ")}`,
      );
  }
  // MySQL gives each foreign key an index of its own; a copy takes that along.
  const indexed = stop.origin === "mysql" || stop.passed.includes("mysql");
  for (const [n, { name, references }] of table.columns.entries()) {
    if (references === undefined || !indexed) continue;
    const at = there.indexOf(keyOf([n], false));
    // A key that is not made may leave its index, or none.
    if (at < 0 && isKeyLost(stop, references)) continue;
    if (at < 0)
      throw differs(stop, table, name, `no index of the foreign key ${JSON.stringify(references.constraint)}`);
    there.splice(at, 1);
  }
  takePeriodKey(table, position, there);
  for (const [n, { name }] of table.columns.entries()) takeCounter(stop, name, n, there);
  for (const index of table.indexes) takeFolded(stop, index, position(index.column), there);
  takeFoldedKey(stop, table, position, there);
  if (there.length > 0) throw differs(stop, table, table.name, `indexes that the source lacks: ${there.join(" ")}`);
}

/** Whether it still keeps periods apart, periods.ts looks. */
function takePeriodKey({ period }: Table, position: (name: string) => number, there: string[]): void {
  if (period?.key === undefined) return;
  const [start, end] = [position(period.start), position(period.end)];
  const at = [keyOf([0, end, start], true), keyOf([0, start, end], true)]
    .map((key) => there.indexOf(key))
    .find((n) => n >= 0);
  if (at !== undefined) there.splice(at, 1);
  // PostgreSQL's exclusion constraint, of a range over both.
  const exclusion = there.indexOf(keyOf([0, "an expression"], false));
  if (exclusion >= 0) there.splice(exclusion, 1);
}

/** MySQL counts up in columns with an index alone, and the report names what counts. */
function takeCounter(stop: Stop, name: string, column: number, there: string[]): void {
  if (!isLost(stop, `counter ${name} ${column}`, name, /column/, says(/AUTO_INCREMENT/))) return;
  const at = there.indexOf(keyOf([column], false));
  if (at >= 0) there.splice(at, 1);
}

/**
 * What a collation of MySQL's takes for equal is a second index in PostgreSQL, by an expression or by another collation than the
 * column's, which the report names. Back in MySQL that one takes equal bytes for equal, as the report says.
 */
function takeFolded(stop: Stop, { name, form }: Index, column: number, there: string[]): void {
  if (
    (form !== "unique" && form !== "alone") ||
    !isLost(stop, `folded ${name}`, name, /index/, says(/with another unique index/))
  )
    return;
  // A long name is cut before its suffix.
  const weaker = entriesOf(stop.report, [...name].slice(0, 12).join(""), /index/).some(
    says(/collation \S+ of .* is lost/),
  );
  const keys = ["an expression", ...(stop.engine === "postgres" ? [`folded ${column}`] : weaker ? [column] : [])];
  const at = keys
    .map((key) => there.indexOf(keyOf(form === "alone" ? [key] : [key, 0], true)))
    .find((found) => found >= 0);
  if (at !== undefined) there.splice(at, 1);
}

/** Of a primary key with a text, likewise; what one stop told holds for the next ones, where the second index has nothing to lose. */
function takeFoldedKey(
  stop: Stop,
  { name: table, partition }: Table,
  position: (name: string) => number,
  there: string[],
): void {
  if (partition?.label === undefined) return;
  const told = isLost(
    stop,
    `folded key ${table}`,
    table,
    /index/,
    ({ name, note = "" }) =>
      /PRIMARY|pkey/.test(name) && /with another unique index|collation \S+ of .* is lost/.test(note),
  );
  if (!told) return;
  const label = position(partition.label);
  for (const key of ["an expression", `folded ${label}`, label]) {
    const at = there.indexOf(keyOf([0, key], true));
    if (at >= 0) there.splice(at, 1);
  }
}

async function indexesOf(place: Place, { from, name, columns }: Found): Promise<string[]> {
  const rows = await sql(
    place,
    isPostgres(place)
      ? `SELECT i.indexrelid::text, i.indisunique::int::text, COALESCE(a.attname, 'an expression'),
                (a.attcollation <> i.indcollation[k.n - 1])::int::text
           FROM pg_index i, unnest(i.indkey::int2[]) WITH ORDINALITY k (attnum, n)
           LEFT JOIN LATERAL (SELECT attname, attcollation FROM pg_attribute WHERE attrelid = i.indrelid AND attnum = k.attnum AND attnum > 0) a ON true
          WHERE i.indrelid = E${literal(from)}::regclass AND NOT i.indisprimary AND i.indisvalid AND k.n <= i.indnkeyatts ORDER BY 1, k.n`
      : `SELECT INDEX_NAME, 1 - NON_UNIQUE, COALESCE(IF(SUB_PART IS NULL, COLUMN_NAME, CONCAT('a prefix of ', COLUMN_NAME)), 'an expression')
           FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ${literal(name)}
            AND INDEX_NAME <> 'PRIMARY' ORDER BY INDEX_NAME, SEQ_IN_INDEX`,
  );
  const where = (column: string | null) => {
    const at = columns.indexOf(column ?? "");
    return at < 0 ? String(column) : at;
  };
  return [...Map.groupBy(rows, ([index]) => index)].map(([, parts]) =>
    keyOf(
      parts.map(([, , column, folded]) => `${folded === "1" ? "folded " : ""}${where(column ?? null)}`),
      parts[0]?.[1] === "1",
    ),
  );
}

/** No check of a case refuses this number. */
const allowed = 38;

async function compareChecks(stop: Stop, table: Table, found: Found): Promise<void> {
  const count = await sql(
    stop.place,
    isPostgres(stop.place)
      ? `SELECT count(*)::text FROM pg_constraint WHERE contype = 'c' AND convalidated AND conrelid = E${literal(found.from)}::regclass`
      : `SELECT count(*) FROM information_schema.TABLE_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() AND CONSTRAINT_TYPE = 'CHECK' AND TABLE_NAME = ${literal(found.name)}`,
  );
  const strict = table.checks.filter(({ loose }) => loose === undefined);
  const kept = strict.filter((check) => !isLost(stop, check, check.name, /check|constraint/, notCopied));
  if (Number(count[0]?.[0]) < kept.length)
    throw differs(stop, table, kept[0]?.name ?? "", `${count[0]?.[0]} checks instead of ${kept.length}`);
  if (table.rows.length === 0) return;
  await sql(stop.place, insertion(stop, table, found, allowed)).catch((error: Error) => {
    throw differs(stop, table, table.name, `a row that every check allows was refused (${error.message})`);
  });
  for (const { name, refused } of kept) {
    const error = await sql(stop.place, insertion(stop, table, found, refused)).then(
      () => undefined,
      (failure: { code?: unknown; errno?: unknown }) => failure,
    );
    if (!checkViolations.includes(error?.errno ?? error?.code))
      throw differs(stop, table, name, `check ${JSON.stringify(name)} lets ${refused} pass (${error})`);
  }
}

/** What the table was called in the place that this report is of, without its database or schema. */
const nameBefore = ({ before }: Stop, { name }: Table): string => {
  const known = before.get(name) ?? name;
  return known === name ? name : known.slice(known.indexOf(".") + 1);
};

interface Parts {
  method: string;
  count: number;
  /** The rows' numbers in each, without those that hold none. */
  ids: string[];
}

async function comparePartitions(stop: Stop, table: Table, found: Found): Promise<void> {
  const there = await partitionsOf(stop.place, found);
  const wanted = table.partition;
  if (wanted === undefined) {
    if (there !== undefined) throw differs(stop, table, table.name, `${there.count} partitions that the source lacks`);
    return;
  }
  if (there === undefined) {
    if (isLost(stop, wanted, nameBefore(stop, table), /partition/, says(/plain table/))) return;
    throw differs(stop, table, table.name, `no partitions by ${wanted.by}`);
  }
  const numbers = table.rows.map((_, id) => id);
  const ids = [...Map.groupBy(numbers, (id) => partitionOf(wanted.by, id)).values()].map(String).sort();
  const count = wanted.by === "list" ? 2 : 3;
  const before = stop.passed.at(-2) ?? stop.origin;
  // Each server has a hash of its own; MySQL calls its own for any type KEY. The report of a copy between engines says so.
  const rehashed = wanted.by === "hash" && [stop.origin, ...stop.passed].includes("postgres");
  const said = entriesOf(stop.report, nameBefore(stop, table), /partition|table/).some(({ note }) =>
    /own hash/.test(note ?? ""),
  );
  if (rehashed && before !== stop.engine && !said)
    throw differs(stop, table, table.name, "partitions by another hash, of which the report says nothing");
  // Where a text belongs is the server's own business.
  const byText = wanted.label !== undefined;
  const placed = rehashed || byText ? there.ids : ids;
  const method = (rehashed || byText) && there.method === "key" ? "hash" : there.method;
  if (method !== wanted.by || there.count !== count || String(there.ids) !== String(placed))
    throw differs(
      stop,
      table,
      table.name,
      `${there.count} partitions by ${there.method} with ${there.ids.join(" | ")} instead of ${count} by ${wanted.by} with ${ids.join(" | ")}`,
    );
}

async function partitionsOf(place: Place, { from, name, columns }: Found): Promise<Parts | undefined> {
  if (isPostgres(place)) {
    const [row] = await sql(
      place,
      `SELECT CASE partstrat WHEN 'r' THEN 'range' WHEN 'l' THEN 'list' ELSE 'hash' END,
              (SELECT count(*) FROM pg_inherits WHERE inhparent = partrelid)::text FROM pg_partitioned_table WHERE partrelid = E${literal(from)}::regclass`,
    );
    if (row === undefined) return undefined;
    const id = quote(columns[0] ?? "", "postgres");
    const held = await sql(place, `SELECT string_agg(${id}::text, ',' ORDER BY ${id}) FROM ${from} GROUP BY tableoid`);
    return { method: row[0] ?? "", count: Number(row[1]), ids: held.map(([ids]) => ids ?? "").sort() };
  }
  const rows = await sql(
    place,
    `SELECT PARTITION_METHOD, PARTITION_NAME FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ${literal(name)} AND PARTITION_NAME IS NOT NULL`,
  );
  if (rows.length === 0) return undefined;
  const id = quote(columns[0] ?? "", "mysql");
  const ids: string[] = [];
  for (const [, part] of rows) {
    const [held] = await sql(
      place,
      `SELECT GROUP_CONCAT(${id} ORDER BY ${id}) FROM ${from} PARTITION (${quote(part ?? "", "mysql")})`,
    );
    if (held?.[0]) ids.push(held[0]);
  }
  return { method: (rows[0]?.[0] ?? "").toLowerCase().replace(/ columns$/, ""), count: rows.length, ids: ids.sort() };
}
