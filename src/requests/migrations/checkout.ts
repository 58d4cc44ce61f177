import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { find } from "./find.ts";

/** Payment of a Migration that awaits it; none does while nothing is charged. Throws Problem `not_found`, `other_team`, `nothing_to_pay`. */
export async function checkout(world: World, caller: Caller, id: string): Promise<never> {
  await find(world, caller, id);
  throw new Problem(
    "nothing_to_pay",
    "This migration is covered by the plan: it starts by itself, without a checkout.",
  );
}
