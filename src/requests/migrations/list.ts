import type { Migration, MigrationState } from "../../resources/migration.ts";
import { packCursor, readCursor } from "../cursor.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { namespaceFor } from "./find.ts";
import type { Listed } from "./shapes.ts";
import { createdAt, listed, shownState } from "./shown.ts";

interface ListInput {
  /** 1 to 100. */
  limit: number;
  cursor?: string;
  status?: MigrationState;
}

/** A place in the order of lists: newest first, by uid where two were created in the same millisecond. */
interface Placed {
  migration: Migration;
  at: string;
  uid: string;
}
const isBefore = (a: Pick<Placed, "at" | "uid">, b: Pick<Placed, "at" | "uid">): boolean =>
  a.at === b.at ? a.uid > b.uid : a.at > b.at;

/** The acting team's Migrations, those that `kubectl` made too, newest first. Throws Problem `invalid` for a cursor of another list. */
export async function list(
  world: World,
  caller: Caller,
  { limit, cursor, status }: ListInput,
): Promise<{ data: Listed[]; next_cursor: string | null }> {
  const namespace = namespaceFor(caller);
  const of = ["migrations", namespace, status ?? ""];
  const after = cursor === undefined ? undefined : readCursor(world.secret, of, cursor);
  if (cursor !== undefined && after === undefined) throw badCursor();
  const [at = "", uid = ""] = after ?? [];
  const page: Placed[] = [];
  for (const migration of world.caches.migrations.all()) {
    if (migration.metadata.namespace !== namespace) continue;
    const state = shownState(migration);
    if (state === undefined || (status !== undefined && state !== status)) continue;
    const placed = { migration, at: createdAt(migration), uid: migration.metadata.uid };
    if (after !== undefined && !isBefore({ at, uid }, placed)) continue;
    insert(page, placed, limit + 1);
  }
  const shown = page.slice(0, limit);
  const last = page.length > limit ? shown.at(-1) : undefined;
  return {
    data: shown.map(({ migration }) => listed(migration, world.settings.currency)),
    next_cursor: last === undefined ? null : packCursor(world.secret, of, [last.at, last.uid]),
  };
}

/** Keeps the first `most` in order: a team may have thousands, of which a page is wanted. */
function insert(page: Placed[], placed: Placed, most: number): void {
  const last = page.at(-1);
  if (page.length >= most && last !== undefined && isBefore(last, placed)) return;
  let [low, high] = [0, page.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = page[middle];
    if (other !== undefined && isBefore(other, placed)) low = middle + 1;
    else high = middle;
  }
  page.splice(low, 0, placed);
  if (page.length > most) page.pop();
}

export const badCursor = () =>
  new Problem("invalid", "The cursor is not one of this list: begin without a cursor.", {
    errors: [{ field: "cursor", message: "is not a next_cursor of this list with the same filter: leave it out" }],
  });
