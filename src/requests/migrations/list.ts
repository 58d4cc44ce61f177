import type { Migration, MigrationState } from "../../resources/migration.ts";
import { packCursor, readCursor } from "../cursor.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { findMigration, namespaceFor } from "./find.ts";
import { listPosition } from "./view/order.ts";
import type { MigrationListItem, One } from "./view/shapes.ts";
import { listed, one, shownState } from "./view/shown.ts";

interface ListInput {
  /** 1 to 100. */
  limit: number;
  cursor?: string;
  status?: MigrationState;
}

/** The acting team's Migrations, those that `kubectl` made too, newest first. Throws Problem `invalid` for a cursor of another list. */
export async function listMigrations(
  world: World,
  caller: Caller,
  { limit, cursor, status }: ListInput,
): Promise<{ data: MigrationListItem[]; next_cursor: string | null }> {
  const namespace = (await namespaceFor(world, caller)) ?? "";
  const of = ["migrations", namespace, status ?? ""];
  const after = cursor === undefined ? undefined : readCursor(world.secret, of, cursor);
  if (cursor !== undefined && after === undefined) throw badCursor();
  const [at = "", uid = ""] = after ?? [];
  const page: Migration[] = [];
  for (const migration of world.caches.order.newestFirst(namespace, after && { at, uid })) {
    const state = shownState(migration);
    if (state === undefined || (status !== undefined && state !== status)) continue;
    page.push(migration);
    if (page.length > limit) break;
  }
  const shown = page.slice(0, limit);
  const last = page.length > limit ? shown.at(-1) : undefined;
  return {
    data: shown.map((migration) => listed(migration, world.settings.currency)),
    next_cursor: last === undefined ? null : packCursor(world.secret, of, placeText(last)),
  };
}

/** One of them. Throws Problem `not_found`, `other_team`. */
export const getOne = async (world: World, caller: Caller, id: string): Promise<One> =>
  one(await findMigration(world, caller, id), world.settings.currency);

const placeText = (migration: Migration): [at: string, uid: string] => {
  const { at, uid } = listPosition(migration);
  return [at, uid];
};

export const badCursor = () =>
  new Problem("invalid", "The cursor does not belong to this list: start without a cursor.", {
    errors: [{ field: "cursor", message: "is not a next_cursor of this list with the same filter: remove it" }],
  });
