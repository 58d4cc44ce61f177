import { EngineError, type MadeObject } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { shortList } from "../../../contract/text/short-list.ts";
import { addressOf, resolve } from "../../../postgres/catalogue/address.ts";
import type { DataTable } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { sqlState } from "../../../postgres/driver/errors.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { keyOf } from "../schema/loaded-tables.ts";

/**
 * That what stands in the target under the names of the objects that this run made is what it made: the same objects
 * by their ids, and on its tables nothing that others put there. Rows are removed and let in only after such a look,
 * under a lock that keeps the answer true.
 */

type Named = Pick<DataTable, "schema" | "name">;

/** The ids of the tables that the run made, `1259:oid`, by `["schema","name"]`. */
export type TableIds = ReadonlyMap<string, string>;

export function tableIds(made: readonly MadeObject[]): TableIds {
  return new Map(
    made.flatMap(({ kind, name, id }) =>
      kind === "table" && id !== undefined ? [[JSON.stringify(name.slice(0, 2)), id]] : [],
    ),
  );
}

/** False: some of it is gone. Errors: `target_not_empty`, where another object stands under a name of the run's. */
export async function areThere(session: Session, made: readonly MadeObject[]): Promise<boolean> {
  const asked = made.flatMap((object) => {
    const address = addressOf(object);
    return address === undefined || object.id === undefined ? [] : [{ object, address }];
  });
  const found = await resolve(
    session,
    asked.map(({ address }) => address),
  ).catch(async (error: unknown) => {
    if (sqlState(error) === undefined) throw error;
    const some = [];
    for (const [at, { address }] of asked.entries()) {
      const [one] = await resolve(session, [address]).catch((why: unknown) => {
        if (sqlState(why) === undefined) throw why;
        return [];
      });
      if (one !== undefined) some.push({ ...one, at });
    }
    return some;
  });
  const others = found.flatMap(({ at, id }) => {
    const object = asked[at]?.object;
    return object === undefined || object.id === id ? [] : [object];
  });
  refuseOthers(others.map(({ kind, name }) => `${kind} ${qualified(...name)}`));
  return found.length === asked.length;
}

function refuseOthers(names: readonly string[]): void {
  if (names.length === 0) return;
  throw new EngineError(
    "target_not_empty",
    `the target has ${listed(names)}, which took the name of what this run had made there: rename or drop it (it was left as it is), then run again`,
  );
}

const listed = (names: readonly string[]) => shortList(names.map(printable), 5);

interface Found {
  at: number;
  id: string | null;
  /** Of its columns, checks, triggers and rules, as the target writes them. */
  hash: string;
  /** Triggers and rules. */
  extras: string[];
}

/** What stands under the tables' names, as far as it decides on what becomes of rows. */
function look(session: Session, tables: readonly Named[]): Promise<Found[]> {
  const clones = session.version >= 130_000 ? "AND t.tgparentid = 0" : "";
  return session.query<Found>(
    `SELECT r.at::int8 AS at, '1259:' || c.oid::int8 AS id,
            pg_catalog.to_json(ARRAY(SELECT x.name FROM (
              SELECT 'trigger ' || t.tgname AS name FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal ${clones}
              UNION ALL SELECT 'rule ' || w.rulename FROM pg_catalog.pg_rewrite w WHERE w.ev_class = c.oid) x ORDER BY 1)) AS extras,
            pg_catalog.md5(pg_catalog.concat_ws('/', c.relkind, c.relpersistence,
              (SELECT pg_catalog.string_agg(pg_catalog.concat_ws(' ', a.attnum, pg_catalog.quote_ident(a.attname), pg_catalog.format_type(a.atttypid, a.atttypmod),
                        a.attnotnull, a.attidentity, a.attgenerated, a.attcollation, (SELECT pg_catalog.pg_get_expr(f.adbin, f.adrelid) FROM pg_catalog.pg_attrdef f
                          WHERE f.adrelid = a.attrelid AND f.adnum = a.attnum)), ',' ORDER BY a.attnum)
                 FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
              (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(o.conname) || ' ' || pg_catalog.pg_get_constraintdef(o.oid), ',' ORDER BY o.conname)
                 FROM pg_catalog.pg_constraint o WHERE o.conrelid = c.oid AND o.contype = 'c'))) AS hash
       FROM pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(at int4, schema text, name text)
       LEFT JOIN (pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace) ON c.relname = r.name AND n.nspname = r.schema`,
    [JSON.stringify(tables.map(({ schema, name }, at) => ({ at, schema, name })))],
  );
}

/**
 * Locks tables, in the open transaction, and looks whether they are the run's own and bare of triggers and rules: those
 * are made when all rows are in. Those that it did not make (an extension's) are passed over.
 * Errors: `target_not_empty`, `target_changed`.
 */
export async function lockOwn(
  session: Session,
  tables: readonly DataTable[],
  ids: TableIds,
  { mode, marks }: { mode: "ROW EXCLUSIVE" | "ACCESS EXCLUSIVE"; marks?: ReadonlySet<string> },
): Promise<void> {
  const own = tables.filter((table) => ids.has(keyOf(table)));
  if (own.length === 0) return;
  const names = own.map(({ schema, name }) => `ONLY ${qualified(schema, name)}`);
  await session.run(`LOCK TABLE ${names.join(", ")} IN ${mode} MODE`);
  await refuseTouched(session, own, ids, marks);
}

/** As lockOwn, without the lock. `marks` are the fence's: with them the columns must be what they were made as, too. */
export async function refuseTouched(
  session: Session,
  tables: readonly DataTable[],
  ids: TableIds,
  marks?: ReadonlySet<string>,
): Promise<void> {
  const own = tables.filter((table) => ids.has(keyOf(table)));
  const found = (await look(session, own)).flatMap((one) => {
    const table = own[one.at];
    return table === undefined ? [] : [{ ...one, table, words: `${table.schema}.${table.name}` }];
  });
  refuseOthers(found.filter(({ id, table }) => id !== ids.get(keyOf(table))).map(({ words }) => `table ${words}`));
  const changed = found.flatMap(({ hash, extras, table, words }) => {
    if (extras.length > 0) return [`${words} (${extras.slice(0, 3).join(", ")})`];
    return marks === undefined || marks.has(shapeMark(table, hash)) ? [] : [`${words} (its columns or checks)`];
  });
  if (changed.length === 0) return;
  throw new EngineError(
    "target_changed",
    `tables that this run made in the target were changed there by others: ${listed(changed)}; rows could come out otherwise than in the source: undo that and run again, or reset the run, which makes its tables anew`,
  );
}

const shapePrefix = "shape:";
const shapeMark = (table: Named, hash: string) => `${shapePrefix}${hash}:${keyOf(table)}`;
export const isShapeMark = (part: string) => part.startsWith(shapePrefix);

/** Marks, in the open transaction, what the tables were made as. */
export async function markShapes(session: Session, fence: Fence<Session>, tables: readonly DataTable[]): Promise<void> {
  for (const { at, hash } of await look(session, tables)) {
    const table = tables[at];
    if (table !== undefined) await fence.partDone(session, shapeMark(table, hash), 0);
  }
}
