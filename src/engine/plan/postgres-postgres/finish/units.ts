import type { CopyOptions } from "../../../contract/index.ts";
import type { SchemaPlan } from "../schema/plan.ts";
import { keyUnits } from "./foreign-keys.ts";
import type { AfterPlan } from "./indexes.ts";

/** What follows the rows, for the progress: an object is one, and so is a key with each MiB of its table. */
export const unitsAfter = (
  after: Pick<AfterPlan, "rest" | "foreignKeys">,
  { steps }: Pick<SchemaPlan, "steps">,
  content: NonNullable<CopyOptions["content"]>,
): number =>
  after.rest.length +
  after.foreignKeys.reduce((sum, { bytes }) => sum + keyUnits(bytes), 0) +
  steps.rights.length +
  (content === "all" ? steps.filling.length : 0) +
  steps.watching.length;
