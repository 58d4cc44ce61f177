import type { Caller, World } from "../world.ts";
import { findMigration } from "./find.ts";
import type { One } from "./view/shapes.ts";
import { one } from "./view/shown.ts";

/** One Migration. Throws Problem `not_found`, `other_team`. */
export const getOne = async (world: World, caller: Caller, id: string): Promise<One> =>
  one(await findMigration(world, caller, id), world.settings.currency);
