import { printable } from "../../../contract/text/printable.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { isRefusedObject } from "../../../mysql/target/refusal.ts";
import type { Planner } from "../tables/plan-tables.ts";
import type { ObservedTypes } from "./observed-types.ts";
import type { TableState } from "./state.ts";
import { makePlanned } from "./target.ts";

/** Makes a table; where the target refuses it, without its expressions, which the report then names, or with its indexes later. */

/** What the servers say of generated columns, defaults and checks, of functions and collations in them, and of their syntax. */
const refusals = new Set([
  1064, 1253, 1267, 1305, 1901, 1903, 1904, 1905, 1906, 3102, 3103, 3105, 3106, 3107, 3109, 3756, 3757, 3758, 3763,
  3764, 3770, 3771, 3773, 3774, 3812, 3813, 3814, 3815, 3816, 3820,
]);

/** Errors: the server's first, where the table cannot be made without its expressions or indexes either. */
export async function makeWithFallback(
  session: Session,
  fence: MysqlFence,
  state: TableState,
  replan: Planner["replan"],
): Promise<void> {
  try {
    await makePlanned(session, fence, state.plan);
  } catch (error) {
    const observed = observationOf(error);
    if (observed === undefined) throw error;
    Object.assign(state.observe(), observed);
    const plain = replan(state.plan, state.observedTypes);
    try {
      await makePlanned(session, fence, plain);
    } catch {
      throw error;
    }
    state.plan = plain;
  }
}

function observationOf(error: unknown): Pick<ObservedTypes, "refused" | "indexesLater"> | undefined {
  if (!isRefusedObject(error)) return undefined;
  return refusals.has(errorNumber(error) ?? 0) ? { refused: printable(error.message) } : { indexesLater: true };
}
