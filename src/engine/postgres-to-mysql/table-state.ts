import type { Doubt } from "../fits/values.ts";
import type { Recent } from "../shelf.ts";
import type { PartResult } from "./copying.ts";
import { createLessons, type Lessons } from "./lessons.ts";
import type { TablePlan } from "./plan.ts";
import type { Rows } from "./relations.ts";
import type { Finished } from "./resume.ts";
import type { RowEncoder } from "./rows.ts";

/** What the run keeps of each table. Ten thousand plans do not fit into a worker's memory, so that a plan is made again when it is needed. */
export class TableState {
  /** Of its description on the planner's shelf. */
  readonly place: number;
  readonly oid: number;
  /** `schema.name` in the source. */
  readonly label: string;
  /** In the target. */
  readonly name: string;
  /** Foreign keys stand on it. */
  readonly refers: boolean;
  readonly rows: Rows;
  round = 0;
  left = 0;
  broken = false;
  results: PartResult[] = [];
  counts = noCounts;
  /** Finished by an earlier attempt and equal to the source: only counted. */
  kept: Finished | undefined;
  /** Of the plan as it was last looked at. */
  doubts: readonly Doubt[] = [];
  #running: Set<RowEncoder> | undefined;
  #lessons: Lessons | undefined;
  #refused: ReadonlyMap<string, string> | undefined;
  readonly #plans: Plans;

  constructor(plans: Plans, { place, oid, label, name, refers, rows }: Pick<TableState, Known>) {
    this.#plans = plans;
    this.place = place;
    this.oid = oid;
    this.label = label;
    this.name = name;
    this.refers = refers;
    this.rows = rows;
  }

  /** By what is known of the table now: the same at each call, until it learns. Not to be kept. */
  get plan(): TablePlan {
    return this.#plans.of(this);
  }

  /** To be read, and to be written before `replan`. */
  get lessons(): Lessons {
    this.#lessons ??= createLessons();
    return this.#lessons;
  }

  set lessons(lessons: Lessons) {
    this.#lessons = lessons;
    this.replan();
  }

  /** Undefined while there are none. */
  get learnt(): Lessons | undefined {
    return this.#lessons;
  }

  /** Indexes that the target refuses, by their names in it: with its reason. */
  get refused(): ReadonlyMap<string, string> | undefined {
    return this.#refused;
  }

  /** Encoders that turn rows of the table now. */
  get running(): Set<RowEncoder> {
    this.#running ??= new Set();
    return this.#running;
  }

  /** The lessons have changed. */
  replan(): void {
    this.#plans.forget(this);
  }

  refuse(indexes: ReadonlyMap<string, string>): void {
    if (indexes.size === 0) return;
    this.#refused = indexes;
    this.replan();
  }

  /** Its rows are copied: keeps what the report has to say of them. */
  settle(): void {
    this.#running = undefined;
    this.results = this.results.filter(({ findings }) => findings.some(isLoss));
  }
}

type Known = "place" | "oid" | "label" | "name" | "refers" | "rows";
export type Plans = Pick<Recent<TableState, TablePlan>, "of" | "forget">;

const noCounts = { source: 0, target: 0 };

const isLoss = ({ lost, zeros, rounded }: PartResult["findings"][number]): boolean => lost + zeros + rounded > 0;

/** The tables' plans one after the other, as often as they are asked for. */
export const plansOf = (states: Iterable<TableState>): Iterable<TablePlan> => ({
  *[Symbol.iterator]() {
    for (const state of states) yield state.plan;
  },
});
