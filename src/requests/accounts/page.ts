import type { KubeObject } from "../../cluster/index.ts";
import { packCursor, readCursor } from "../cursor.ts";
import { Problem } from "../errors.ts";

/** Pages of a list that is short enough to be held whole: tokens, teams, members. */

export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
}

export interface PageOf<T> {
  data: T[];
  next_cursor: string | null;
}

/** Where an element stands: as text that compares as the list is sorted, and never changes. */
type SortKey<T> = (element: T) => string;

/** Times as text sort the wrong way round for the newest first; their complement does not. `id` decides between equal ones. */
export const newestFirstBy = (time: string, id: string): string =>
  `${String(9e15 - Date.parse(time)).padStart(16, "0")} ${id}`;

export const newestFirst: SortKey<KubeObject> = ({ metadata }) =>
  newestFirstBy(metadata.creationTimestamp ?? "1970-01-01T00:00:00Z", metadata.name);

/** `list` names the list and whose it is: a cursor holds for no other. Throws Problem `invalid`. */
export function pageOf<T>(
  secret: Uint8Array,
  list: readonly string[],
  all: readonly T[],
  place: SortKey<T>,
  { limit, cursor }: PageRequest,
): PageOf<T> {
  const placed = all.map((element) => ({ element, at: place(element) }));
  placed.sort((a, b) => (a.at < b.at ? -1 : 1));
  const [after] = cursor === undefined ? [""] : (readCursor(secret, list, cursor) ?? []);
  if (after === undefined) {
    const message = "is not a cursor of this list: start without a cursor, then use next_cursor";
    throw new Problem("invalid", `cursor: ${message}`, { errors: [{ field: "cursor", message }] });
  }
  const rest = placed.filter(({ at }) => at > after);
  const last = rest.length > limit ? rest[limit - 1] : undefined;
  return {
    data: rest.slice(0, limit).map(({ element }) => element),
    next_cursor: last === undefined ? null : packCursor(secret, list, [last.at]),
  };
}
