import type { TableDefinition } from "../../../postgres/catalogue/catalogue.ts";
import type { CopyToLoadEncoder } from "../../../rows/copy-to-load/rows.ts";
import type { FinishedMark } from "../../../run/fence/finished-marks.ts";
import type { ObservedType } from "../columns/target-type.ts";
import type { Rows } from "../tables/table-parts.ts";
import type { Plans, TablePlan } from "../tables/table-plan.ts";
import type { PartResult } from "./copy-part.ts";
import { createObservedTypes, type ObservedTypes, type ReadonlyObservedTypes } from "./observed-types.ts";

/** Where the copy of a table is. */

/**
 * What an earlier attempt of the same owner has finished. A table is marked when its rows and indexes are there and
 * counted; it is kept only if its plan is still the same, it stands in the target as planned, and its values are equal to
 * those of the new snapshot.
 */
export interface FinishedTable extends FinishedMark {
  /** `schema.name` in the source. */
  table: string;
  /** What its data had taught. */
  columns: [string, ObservedType][];
  brokenChecks: string[];
  /** What its values had to give up. */
  warnings: string[];
}

/** Copies tables part by part, makes one anew whose data broke a guess, builds its indexes, and counts both sides. */
export interface TableState {
  source: TableDefinition;
  /** Made anew at each look, until it is set: plans of ten thousand tables are never in memory together. */
  plan: TablePlan;
  rows: Rows;
  readonly observedTypes: ReadonlyObservedTypes;
  /** The same, to learn more. */
  observe(): ObservedTypes;
  round: number;
  left: number;
  broken: boolean;
  results: PartResult[];
  running: Set<CopyToLoadEncoder>;
  counts: { source: number; target: number };
  /** Finished by an earlier attempt and equal to the source: only counted. */
  readonly kept: FinishedTable | undefined;
  keep(finished: FinishedTable, observed: ObservedTypes, replan: Replan): void;
  /** Changes the plan at each look. */
  adapt(change: (plan: TablePlan) => TablePlan): void;
}

/** The same table by what its data had taught. */
export type Replan = (plan: TablePlan, observed: ObservedTypes) => TablePlan;

export const createTableState = (source: TableDefinition, rows: Rows, planned: () => TablePlan): TableState =>
  new State(source, rows, planned);

/** Most tables teach nothing. */
const nothingObserved: ReadonlyObservedTypes = createObservedTypes();

/** A class, since accessors of a plain object cost 1 KB each, and there may be ten thousand. */
class State implements TableState {
  readonly source: TableDefinition;
  rows: Rows;
  observedTypes = nothingObserved;
  round = 0;
  left = 0;
  broken = false;
  results: PartResult[] = [];
  running = new Set<CopyToLoadEncoder>();
  counts = { source: 0, target: 0 };
  kept: FinishedTable | undefined;
  #planned: () => TablePlan;
  #plan: TablePlan | undefined;

  constructor(source: TableDefinition, rows: Rows, planned: () => TablePlan) {
    this.source = source;
    this.rows = rows;
    this.#planned = planned;
  }

  get plan() {
    return this.#plan ?? this.#planned();
  }

  set plan(plan) {
    this.#plan = plan;
  }

  keep(finished: FinishedTable, observed: ObservedTypes, replan: Replan): void {
    const [plan, planned] = [this.#plan, this.#planned];
    this.kept = finished;
    this.observedTypes = observed;
    this.#planned = () => replan(plan ?? planned(), observed);
    this.#plan = undefined;
  }

  adapt(change: (plan: TablePlan) => TablePlan): void {
    const planned = this.#planned;
    this.#planned = () => change(planned());
  }

  observe(): ObservedTypes {
    const { columns, brokenChecks, ...rest } = this.observedTypes;
    const own = { ...rest, columns: new Map(columns), brokenChecks: new Set(brokenChecks) };
    this.observedTypes = own;
    return own;
  }
}

/** The plans of all tables, by their oids in the source. */
export function plansOf(states: readonly TableState[]): Plans {
  const byOid = new Map(states.map((state) => [state.source.oid, state]));
  return {
    *values() {
      for (const { plan } of states) yield plan;
    },
    get: (oid) => byOid.get(oid)?.plan,
  };
}
