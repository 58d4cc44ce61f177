import type { KnownEntry } from "../../../contract/known.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** A table that an earlier attempt finished. */
export interface KeptTable {
  /** In the target. */
  name: string;
  /** Made anew at each call. */
  plan(): TablePlan;
  entries: KnownEntry[];
  /** What its values had to give up. */
  warnings: string[];
}
