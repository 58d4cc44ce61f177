import { hasOutgrown } from "../../requests/migrations/retry.ts";
import type { One } from "../../requests/migrations/view/shapes.ts";
import { newLink } from "../shapes.ts";
import type { ReportList } from "./report-lines.ts";

/** What a model does next with a migration, and when. */

/** Seconds. The AI tier has room for 200 calls a day: at the most, a run of a day takes 144. */
const patience = { least: 10, most: 600 };

/**
 * Where nobody knows how long it takes, a quarter of the time since it began to wait or to run; a human pays when they come to it. `since` is null
 * where that is not known.
 */
export function pollAfter(
  { status, progress, since }: Pick<One, "status" | "progress"> & { since: string | null },
  now: Date,
): number | null {
  if (status === "completed" || status === "failed") return null;
  const taken = since === null ? 0 : (now.getTime() - Date.parse(since)) / 1000;
  const ahead = Math.round((progress?.eta_seconds ?? taken) / 4);
  return Math.min(patience.most, Math.max(status === "awaiting_payment" ? 60 : patience.least, ahead));
}

type Dated = Pick<One, "run_started_at" | "created_at" | "attempt" | "reset">;

/** When the present run started or, of the first one, began to wait. */
export const sinceOf = ({ run_started_at, created_at, attempt, reset }: Dated): string | null =>
  run_started_at ?? (attempt + reset === 1 ? created_at : null);

/** A page of a list that a call of get-migration-tool returned, or its first lines. */
export interface Page {
  list: "log" | ReportList;
  next_cursor: string | null;
  isEmpty?: boolean;
}

const nextPage = (list: Page["list"], id: string, cursor: string): string =>
  `call get-migration-tool with id ${id}, list=${list} and cursor=${cursor}`;

/** A verified copy may lack what the target cannot have: a caller must hear of it. */
function lost(objects: number, id: string, cursor: string | null): string {
  if (objects === 0) return "";
  const what = objects === 1 ? "1 source object was" : `${objects} source objects were`;
  const rest = cursor === null ? "" : ` For the rest ${nextPage("not_copied", id, cursor)}.`;
  return ` ${what} not copied or changed: tell the user which, from \`untrusted\`.${rest}`;
}

/** They name the values that were changed to fit the target, which no count of objects shows. */
const warned = (warnings: number, id: string): string =>
  warnings === 0
    ? ""
    : ` The report has ${warnings} ${warnings === 1 ? "warning" : "warnings"}: call get-migration-tool with id ${id} and list=warnings, and tell the user.`;

/** After a page of a list that the caller asked for. */
export function nextOfPage(
  { id, status }: Pick<One, "id" | "status">,
  { list, next_cursor, isEmpty = false }: Page,
): string {
  if (next_cursor !== null) return `For the next page ${nextPage(list, id, next_cursor)}.`;
  const end = !isEmpty
    ? "This is the last page."
    : list === "log" || status === "completed"
      ? "The list is empty."
      : "There is no report: only a completed migration has one.";
  return `${end} For the state call get-migration-tool with id ${id} alone.`;
}

/** A retry is advised only where the same run may succeed. */
function afterFailure(error: One["error"]): string {
  if (error !== null && hasOutgrown(error.code))
    return "Tell the user the cause. A retry keeps the price and fails again: preview once more, and after their consent prepare another migration.";
  if (error?.retryable) return "Tell the user the cause, which was perhaps temporary: call retry-migration-tool.";
  return "Tell the user the cause. The same run would fail again: only when they have fixed the cause, call retry-migration-tool. If a connection URL is wrong, ask for both and pass source_url and target_url.";
}

interface Known {
  /** Whether anybody can pay at this installation. */
  takesPayments: boolean;
  /** Of the objects that were not copied and are not shown yet. */
  cursor?: string | null;
  /** Number of the report's warnings. */
  warnings?: number;
}

/** What a model does next. */
export function nextOf(
  one: Dated & Pick<One, "id" | "status" | "report" | "progress" | "cost" | "error">,
  now: Date,
  { takesPayments, cursor = null, warnings = 0 }: Known,
): string {
  const wait = pollAfter({ ...one, since: sinceOf(one) }, now);
  switch (one.status) {
    case "completed":
      return `It is completed and verified.${lost(one.report?.reported ?? 0, one.id, cursor)}${warned(warnings, one.id)}`;
    case "failed":
      return `${afterFailure(one.error)} To clean the target and copy anew, call reset-migration-tool. ${one.cost > 0 ? "This run is not charged; cost is the amount of an earlier charge." : "It is not charged."}`;
    case "awaiting_payment":
      return takesPayments
        ? `The user must authorize the payment at the checkout link; you cannot. ${newLink} Look again in ${wait} seconds.`
        : "This installation takes no payments any more, so it does not start. Tell the user; after their consent, delete it and prepare it again, which is not charged.";
    default:
      return `Wait ${wait} seconds, then call get-migration-tool again.`;
  }
}
