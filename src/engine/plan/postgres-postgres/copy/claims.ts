import { fullName } from "../../../contract/text/full-name.ts";
import type { Thing } from "../../../postgres/catalogue/inventory.ts";
import type { Table } from "../../../postgres/catalogue/tables.ts";
import { partKinds } from "../../../run/fence/claims.ts";
import { filter } from "../../../run/memory/lazy.ts";

/** What a run says it will write, so that another into the same database is refused where it would write that too. */

/** What goes with a relation is not claimed beside it. */
export const claimed = (things: Iterable<Thing>) =>
  [...filter(things, ({ kind }) => !partKinds.has(kind))].map(({ kind, name }) => ({ kind, name }));

/** Into tables that are there. */
export const filled = (tables: readonly Table[]) =>
  tables.map(({ schema, name }) => ({ kind: "table", name: fullName(schema, name) }));
