import type { CopyOptions } from "../../contract/index.ts";
import { fullName } from "../../contract/text/full-name.ts";
import { printable } from "../../contract/text/printable.ts";
import { type Thing, thingKey } from "../../postgres/catalogue/inventory.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import type { Plan, PlannedObject, PlanWarning } from "../types.ts";
import { largeObjectNames, largeObjectsLeft } from "./schema/large-object-names.ts";
import type { settleLost } from "./schema/lost-tables.ts";
import { readSkippedObjects } from "./schema/not-copied.ts";
import { outcomeOf } from "./schema/outcome.ts";
import type { SkippedEntries } from "./schema/selected-entries.ts";

/** What a copy between PostgreSQL servers would make of the source's objects. */

interface PostgresPlan extends Plan {
  /** What is made in the target, or, with content `data`, would be there. */
  wanted: readonly Thing[];
}

/** Each table is an object like any other: none is planned by itself. */
const noTables: Plan["tables"] = [];

/** `objects`: the source's, without what the options leave out. `lost`: tables that go with that. */
export async function planCopy(
  session: Session,
  objects: Pick<SkippedEntries, "kept" | "notes" | "reduced">,
  lost: ReturnType<typeof settleLost>,
  { content = "all" }: CopyOptions,
): Promise<PostgresPlan> {
  const rowsAlone = content === "data";
  const { notes } = objects;
  const reduced = rowsAlone ? [] : objects.reduced;
  const left = new Set(notes.map(thingKey));
  const wanted = [...objects.kept];
  const beside = rowsAlone ? [] : (await leftBehind(session)).filter((one) => !left.has(thingKey(one)));
  const large = await largeObjectNames(session);
  const filled = rowsAlone ? await filledViews(session) : new Set<string>();
  const told = new Set([...beside, ...reduced, ...notes].map(thingKey));
  const rest = [...wanted, ...large].map(
    ({ kind, name }): PlannedObject =>
      kind === "materialized view" && filled.has(name)
        ? { kind, name, outcome: "copied", note: "filled by its query in the target, if it has no rows there" }
        : { kind, name, ...outcomeOf(kind, content) },
  );
  return {
    wanted,
    tables: noTables,
    objects: [
      ...rest.filter(({ kind, name }) => !told.has(thingKey({ kind, name: printable(name) }))),
      ...beside,
      ...notes,
    ],
    warnings: [
      ...reduced.map(
        ({ kind, name, note = "" }): PlanWarning => ({
          ...{ severity: "warning", code: "publication_reduced", object: `${kind} ${name}`, reason: note },
          fix: "add the tables to the publication in the target where they are wanted",
        }),
      ),
      ...lost.map(
        ({ name, reason }): PlanWarning => ({
          ...{ severity: "warning", code: "table_skipped", object: name, reason: `it is not copied: ${reason}` },
          fix: "copy what it needs too, or exclude it",
        }),
      ),
      ...beside.flatMap(({ kind, name, note = "" }): PlanWarning[] => {
        if (kind !== "index") return [];
        const fix = "build it anew (REINDEX) or drop it";
        return [{ severity: "warning", code: "index_invalid", object: `${kind} ${name}`, reason: note, fix }];
      }),
      ...(rowsAlone && large.length > 0 ? [largeObjectsWarning(largeObjectsLeft(large))] : []),
    ],
  };
}

const largeObjectsWarning = (reason: string): PlanWarning => ({
  ...{ severity: "warning", code: "large_objects_not_copied", object: "large objects", reason },
  fix: "use content: all",
});

async function filledViews(session: Session): Promise<Set<string>> {
  const views = await session.query<{ schema: string; name: string }>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'm' AND c.relispopulated`,
  );
  return new Set(views.map(({ schema, name }) => fullName(schema, name)));
}

const leftBehind = async (session: Session): Promise<PlannedObject[]> =>
  (await readSkippedObjects(session)).map(({ definition: _, ...entry }) => ({
    ...entry,
    name: printable(entry.name),
    outcome: "reported",
  }));
