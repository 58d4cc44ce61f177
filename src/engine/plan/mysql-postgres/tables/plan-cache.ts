import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { createRecent } from "../../../run/memory/recent.ts";
import type { TablePlan } from "./table-plan.ts";

/** A plan that is made again at each look, but for those looked at lately: plans of ten thousand tables are never in memory together. */

type Make = () => TablePlan;

/** Plans at hand: up to that many tables none is made twice. */
const mostAtHand = 1_000;

/** `make` gives equal plans at each call. */
export function createRemade(): (make: Make) => TablePlan {
  const planOf = createRecent((plan: RemadePlan) => plan.make(), mostAtHand);
  return (make) => new RemadePlan(make, planOf);
}

/** A class, since accessors of a plain object cost 1 KB each. */
class RemadePlan implements TablePlan {
  readonly source: SourceTable;
  readonly name: string;
  readonly make: Make;
  readonly #planOf: (plan: RemadePlan) => TablePlan;

  constructor(make: Make, planOf: (plan: RemadePlan) => TablePlan) {
    this.make = make;
    this.#planOf = planOf;
    const { source, name } = this.#plan;
    this.source = source;
    this.name = name;
  }

  get #plan() {
    return this.#planOf(this);
  }
  get partitioned() {
    return this.#plan.partitioned;
  }
  get columns() {
    return this.#plan.columns;
  }
  get copied() {
    return this.#plan.copied;
  }
  get fields() {
    return this.#plan.fields;
  }
  get checks() {
    return this.#plan.checks;
  }
  get made() {
    return this.#plan.made;
  }
  get create() {
    return this.#plan.create;
  }
  get drop() {
    return this.#plan.drop;
  }
  get select() {
    return this.#plan.select;
  }
  get copy() {
    return this.#plan.copy;
  }
  get indexes() {
    return this.#plan.indexes;
  }
  get after() {
    return this.#plan.after;
  }
  get madeAfter() {
    return this.#plan.madeAfter;
  }
  get inventory() {
    return this.#plan.inventory;
  }
}
