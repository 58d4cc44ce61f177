import type { KnownEntry } from "../contract/known.ts";

/**
 * What a copy would make of a source, as data. Each pair's `planCopy` gives one by the planners that its copy runs; an
 * assessment shows it, and a verification compares the target with it. A copy plans again under its own snapshot.
 */
export interface Plan {
  /** Read one by one: each table is planned anew at each look, and plans of ten thousand are never in memory together. */
  tables: Iterable<PlannedTable>;
  /** What belongs to no single table: foreign keys, views, sequences, code, rights. */
  objects: readonly PlannedObject[];
  warnings: readonly PlanWarning[];
}

export interface PlannedTable {
  /** Schema or database, and name, in the source. */
  source: readonly [schema: string, table: string];
  /** The source's column that counts up in the target too. */
  counter?: string | undefined;
  /** Of the table itself, its columns, indexes and checks. */
  outcomes: readonly PlannedObject[];
}

/** What the report will say of an object, without its text, and what is known beside it. */
export type PlannedObject = Omit<KnownEntry, "definition">;

/** What a copy loses (`warning`) or changes (`note`). */
export interface PlanWarning {
  severity: "warning" | "note";
  /** Stable, in snake_case. */
  code: string;
  /** As the source calls it. */
  object: string;
  reason: string;
  /** What to do about it; absent where nothing needs to be done. */
  fix?: string;
}

/** Every object's outcome, those of tables first. */
export function* outcomesOf({ tables, objects }: Plan): Generator<PlannedObject> {
  for (const { outcomes } of tables) yield* outcomes;
  yield* objects;
}

export const withoutText = ({ definition: _, ...entry }: KnownEntry): PlannedObject => entry;
