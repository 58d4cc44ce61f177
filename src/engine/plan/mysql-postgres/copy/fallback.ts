import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** How a table is made that the target may refuse in part. */

/** In a transaction; `make` runs the plan's statements. */
export type CreateTable = (session: Writer, plan: TablePlan, make: (plan: TablePlan) => Promise<void>) => Promise<void>;
