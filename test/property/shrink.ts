import type { Period, Table } from "./table.ts";

/** Makes a failing case smaller as long as it fails, so that a person sees what counts. */

const without = <T>(list: readonly T[], at: number): T[] => list.filter((_, n) => n !== at);

function* smaller(tables: readonly Table[]): Generator<Table[]> {
  for (const [n, gone] of tables.entries()) {
    if (tables.length > 1) yield without(tables, n).map((table) => withoutReferences(table, gone.name));
  }
  const put = (n: number, table: Table) => tables.map((other, at) => (at === n ? table : other));
  for (const [n, table] of tables.entries()) {
    const { rows } = table;
    const referred = tables.some(({ columns }) => columns.some(({ references }) => references?.table === table.name));
    if (!referred && rows.length > 0) {
      if (rows.length > 2) {
        yield put(n, { ...table, rows: rows.slice(0, rows.length >> 1) });
        yield put(n, { ...table, rows: rows.slice(rows.length >> 1) });
      }
      for (const at of rows.keys()) yield put(n, { ...table, rows: without(rows, at) });
    }
    for (let at = table.columns.length - 1; at > 0; at--)
      if (table.columns[at]?.name !== table.partition?.label) yield put(n, withoutColumn(table, at));
    for (const at of table.indexes.keys()) yield put(n, { ...table, indexes: without(table.indexes, at) });
    for (const at of table.views.keys()) yield put(n, { ...table, views: without(table.views, at) });
    for (const at of table.checks.keys()) yield put(n, { ...table, checks: without(table.checks, at) });
    if (table.period !== undefined) yield put(n, withoutPeriod(table, table.period));
    if (table.versioned === true) yield put(n, { ...table, versioned: false });
    if (table.partition !== undefined) {
      const { partition: _, ...plain } = table;
      yield put(n, plain);
    }
  }
}

function withoutColumn(table: Table, at: number): Table {
  return {
    ...table,
    columns: without(table.columns, at),
    indexes: table.indexes.filter(({ column }) => column !== table.columns[at]?.name),
    views: table.views.filter(({ column }) => column !== table.columns[at]?.name),
    rows: table.rows.map((row) => without(row, at)),
  };
}

function withoutPeriod(table: Table, { start, end }: Period): Table {
  const { period: _, ...plain } = table;
  const at = (some: Table, name: string) => some.columns.findIndex((column) => column.name === name);
  const once = withoutColumn(plain, at(plain, end));
  return withoutColumn(once, at(once, start));
}

function withoutReferences(table: Table, parent: string): Table {
  const at = table.columns.findIndex(({ references }) => references?.table === parent);
  return at < 0 ? table : withoutColumn(table, at);
}

/** `fails`: resolves with the error of these tables, in the same way as at first, or undefined. At most `tries` are played. */
export async function shrink(
  tables: readonly Table[],
  first: Error,
  fails: (tables: readonly Table[]) => Promise<Error | undefined>,
  tries = 60,
): Promise<Error> {
  let smallest = tables;
  let error = first;
  let left = tries;
  let found = true;
  while (found && left > 0) {
    found = false;
    for (const next of smaller(smallest)) {
      if (left-- <= 0) break;
      const failed = await fails(next);
      if (failed === undefined) continue;
      smallest = next;
      error = failed;
      found = true;
      break;
    }
  }
  return error;
}
