import { type CopyOptions, EngineError } from "../../../contract/index.ts";
import { fullName, namesOf, readName } from "../../../contract/text/full-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import { readInventory, type Thing } from "../../../postgres/catalogue/inventory.ts";
import type { DataTable } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { partKinds } from "../../../run/fence/claims.ts";
import { isNamed, type NamedTable, refuseAmbiguousDrops, refuseUnknownDrops } from "../../../run/fence/drop-option.ts";
import type { Fence } from "../../../run/fence/fence.ts";
import { filter, map } from "../../../run/memory/iterators.ts";
import { refuseCollisions } from "../schema/compare-inventories.ts";

/** The target before a schema is made in it: nothing may stand in the way but tables that were named to be dropped. */

/** What a run says it will make, so that another into the same database is refused. What goes with a relation is not claimed beside it. */
export const claimed = (things: Iterable<Thing>) =>
  [...filter(things, ({ kind }) => !partKinds.has(kind))].map(({ kind, name }) => ({ kind, name }));

/** The same of rows into tables that are there. */
export const filled = (tables: readonly DataTable[]) =>
  tables.map(({ schema, name }) => ({ kind: "table", name: fullName(schema, name) }));

interface RoomRun {
  fence: Fence<Session>;
  drop: CopyOptions["drop"];
  /** The fence's own table and what belongs to it. */
  own: ReadonlySet<string>;
  log(message: string): void;
}

/**
 * Drops the named tables that stand in the way of `things`, all or none, never with CASCADE. Errors: `target_not_empty`
 * and `option_unmatched` (nothing was written), `dependents_exist`.
 */
export async function makeRoom(target: Session, things: Iterable<Thing>, run: RoomRun): Promise<void> {
  const there = await readInventory(target, run.own);
  if (run.drop === undefined) return refuseCollisions(things, there);
  const wanted = new Set(
    map(
      filter(things, ({ kind }) => kind === "table"),
      ({ name }) => name,
    ),
  );
  const named = await knownTables(target, run.drop, [...wanted]);
  const dropped = named.filter(({ schema, name }) => wanted.has(fullName(schema, name)));
  if (dropped.length === 0) return refuseCollisions(things, there);
  const words = dropped.map(({ schema, name }) => printable(fullName(schema, name))).join(", ");
  await fenced(target, run.fence, async () => {
    await target
      .run(`DROP TABLE ${dropped.map(({ schema, name }) => qualified(schema, name)).join(", ")}`)
      .catch((error: unknown) => {
        if (sqlState(error) !== "2BP01") throw error;
        throw new EngineError(
          "dependents_exist",
          `${words} cannot be dropped from the target, because something else depends on it (${serverMessage(error)}): drop that first, or name it too where it is a table`,
          { cause: error },
        );
      });
    refuseCollisions(things, await readInventory(target, run.own));
  });
  run.log(`Dropped from the target, as named in options.drop: ${words}`);
}

/**
 * Those of the target. Errors: `option_unmatched` for what is neither there nor `copied`, which are full names;
 * `option_invalid` for what means two of them.
 */
export async function knownTables(target: Session, drop: readonly string[], copied: readonly string[]) {
  const named = await namedTables(target, drop);
  const tables = copied.map(namesOf);
  const isCopied = (one: string) => tables.some(([schema = "", name = ""]) => isNamed([one], schema, name));
  refuseUnknownDrops(
    drop.filter((one) => !isCopied(one)),
    named,
  );
  refuseAmbiguousDrops(
    drop,
    named.filter(({ schema, name }) => copied.includes(fullName(schema, name))),
  );
  return named;
}

/** Tables of the target that are called exactly so. */
export async function namedTables(target: Session, names: readonly string[]): Promise<NamedTable[]> {
  const tables = await target.query<NamedTable>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        AND c.relname = ANY ($1::pg_catalog.text[])`,
    [names.map((one) => readName(one)?.at(-1) ?? one)],
  );
  return tables.filter(({ schema, name }) => isNamed(names, schema, name));
}
