import { listOf } from "../objects/lists.ts";
import { invalid, missing } from "../state/errors.ts";
import type { Thing } from "../state/types.ts";
import type { Shape } from "./params.ts";

/** Parameters that every list has. */
export const listFields = {
  created: "times",
  limit: "integer",
  starting_after: "string",
  ending_before: "string",
} as const satisfies Record<string, Shape>;

interface ListParams {
  created?: number | { gt?: number; gte?: number; lt?: number; lte?: number };
  limit?: number;
  starting_after?: string;
  ending_before?: string;
}

/** One page of things, the newest first. `oldestFirst` has already gone through the operation's own filters. */
export const page = (oldestFirst: Thing[], params: ListParams, url: string) => {
  const { limit = 10, starting_after: after, ending_before: before } = params;
  if (limit < 1 || limit > 100) {
    throw invalid("This value must be between 1 and 100.", { param: "limit", code: "parameter_invalid_integer" });
  }
  const all = oldestFirst.filter(({ created }) => within(created, params.created)).reverse();
  const place = (id: string, param: string): number => {
    const index = all.findIndex((thing) => thing.id === id);
    if (index < 0) throw missing(all[0]?.object ?? "object", id, param);
    return index;
  };
  if (before !== undefined) {
    const end = place(before, "ending_before");
    const start = Math.max(0, end - limit);
    return listOf(url, all.slice(start, end), start > 0);
  }
  const start = after === undefined ? 0 : place(after, "starting_after") + 1;
  return listOf(url, all.slice(start, start + limit), all.length > start + limit);
};

const within = (created: number, range: ListParams["created"]): boolean => {
  if (range === undefined) return true;
  if (typeof range === "number") return created === range;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range;
  return created > gt && created >= gte && created < lt && created <= lte;
};
