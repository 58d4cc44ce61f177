import type { Mutant } from "../mutant.ts";
import { backups } from "./backups.ts";
import { billing } from "./billing.ts";
import { copying } from "./copying.ts";
import { guard } from "./guard.ts";
import { operator } from "./operator.ts";
import { requests } from "./requests.ts";
import { target } from "./target.ts";
import { values } from "./values.ts";

/** All mutants, by what they harm. */
export const mutants: readonly Mutant[] = [
  ...copying,
  ...values,
  ...target,
  ...guard,
  ...requests,
  ...operator,
  ...billing,
  ...backups,
];
