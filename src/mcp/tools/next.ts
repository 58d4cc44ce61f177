import { hasOutgrown } from "../../requests/migrations/retry.ts";
import type { One } from "../../requests/migrations/view/shapes.ts";
import { newLink } from "../shapes.ts";
import type { ReportList } from "./report-lines.ts";

/** What a model does next with a migration, and when. */

/**
 * Seconds. The AI tier has room for 10 calls a minute and 200 a day: a run of a day takes at most 144, and a client that lists the tools
 * in each new session calls twice.
 */
const patience = { least: 15, most: 600 };

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
interface Page {
  list: "log" | ReportList;
  next_cursor: string | null;
  isEmpty?: boolean;
}

const nextPage = (list: Page["list"], id: string, cursor: string): string =>
  `call get-migration-tool with id ${id}, list=${list} and cursor=${cursor}`;

/** A verified copy may lack what the target cannot have: a caller must hear of it. */
function lost(objects: number, id: string, cursor: string | null): string {
  if (objects === 0) return "";
  const what =
    objects === 1
      ? "1 source object was not copied or was changed"
      : `${objects} source objects were not copied or were changed`;
  const rest = cursor === null ? "" : ` For the rest ${nextPage("not_copied", id, cursor)}.`;
  return ` ${what}: tell the user which, from \`untrusted\`.${rest}`;
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
      ? `The list is empty.${list === "verification" ? " Only the option verify: checksum fills it." : ""}`
      : "There is no report: no run of this migration has completed.";
  return `${end} For the state call get-migration-tool with id ${id} alone.`;
}

/** Another host, user, password or database helps, and nothing was written. */
const ofUrl = new Set([
  ...["url_unreadable", "address_refused", "host_not_found", "connection_refused", "connection_timeout", "tls_failed"],
  ...["tls_required", "access_denied", "database_not_found", "same_database"],
]);
/** An option of another migration helps, though the cause can often be removed as well. */
const ofOption = new Set([
  ...["option_invalid", "option_unmatched", "unsupported_option", "locks_refused", "memory_too_small", "names_alike"],
  ...["table_refused", "schema_refused", "too_many_columns", "reserved_name", "data_refused", "zero_date"],
  ...["zero_date_in_key", "value_in_key", "row_too_large", "statement_timeout"],
]);

const anotherByOption = (id: string): string =>
  `If the user prefers the option that the error names: retry and reset keep the options, so it needs another migration. After their consent, delete ${id}, which makes a free migration available again, and prepare one with that option into a new, empty database. The tables of this copy stay in the present target. To use that database again, the user must first drop these tables and, if no other migration uses it, the table _rowferry there.`;

/** A retry is advised only where the same run may succeed. */
function afterFailure({ id, error }: Pick<One, "id" | "error">): string {
  if (error !== null && hasOutgrown(error.code))
    return "Tell the user the cause. A retry keeps the price and fails again: preview once more, and after their consent prepare another migration.";
  if (error?.retryable) return "Tell the user the cause, which was perhaps temporary: call retry-migration-tool.";
  const same = "Tell the user the cause. The same run would fail again";
  if (error !== null && ofUrl.has(error.code))
    return `${same}. If a connection URL is wrong, ask for both and pass source_url and target_url to retry-migration-tool. A reset cannot help: it uses the same URLs.`;
  if (error?.code === "target_in_use")
    return `${same} while the other run is in the target. The error says how it ends; then call retry-migration-tool. Or prepare a migration into another database.`;
  const fixed = `${same}: only when they have fixed the cause, call retry-migration-tool.`;
  if (error !== null && ofOption.has(error.code)) return `${fixed} ${anotherByOption(id)}`;
  if (error?.code === "dependents_exist") return `${fixed} It drops the remaining objects first.`;
  return `${fixed} To drop what the copy made in the target and copy again, call reset-migration-tool.`;
}

const keptReport =
  "If a run completed before, list=report and the other lists of get-migration-tool still show the report of that run.";

interface Known {
  /** Whether anybody can pay at this installation. */
  takesPayments: boolean;
  /** Of the objects that were not copied and are not shown yet. */
  cursor?: string | null;
  /** Number of the report's warnings. */
  warnings?: number;
  /** Price that awaits a payment, in words. */
  amount?: string | undefined;
}

/** A copy can be complete by its counts and have changed values: which check was made is part of the answer. */
const methodOf = ({ options }: Pick<One, "options">): string =>
  options?.verify === "checksum"
    ? "by row counts and by checksums of the values"
    : "by row counts; values were not compared";

const dropped = ({ options }: Pick<One, "options">): string =>
  (options?.drop ?? []).length === 0
    ? ""
    : ` Existing tables of the target that options.drop names were ${options?.content === "data" ? "emptied" : "dropped with all their rows"}: tell the user.`;

/** What a model does next. */
export function nextOf(
  one: Dated & Pick<One, "id" | "status" | "report" | "progress" | "cost" | "error" | "options">,
  now: Date,
  { takesPayments, cursor = null, warnings = 0, amount }: Known,
): string {
  const wait = pollAfter({ ...one, since: sinceOf(one) }, now);
  switch (one.status) {
    case "completed":
      return `It is completed and verified ${methodOf(one)}.${dropped(one)}${lost(one.report?.reported ?? 0, one.id, cursor)}${warned(warnings, one.id)}`;
    case "failed":
      return `${afterFailure(one)}${one.reset > 0 ? ` ${keptReport}` : ""} ${one.cost > 0 ? "The failed run is not charged; cost is the amount of an earlier charge." : "The failed run is not charged."}`;
    case "awaiting_payment":
      return takesPayments
        ? `The user must authorize the payment${amount === undefined ? "" : ` of ${amount}`} at the checkout link; you cannot. ${newLink} Look again in ${wait} seconds.`
        : "This installation takes no payments any more, so it does not start. Tell the user; after their consent, delete it and prepare it again, which is not charged.";
    default:
      return `Wait ${wait} seconds, then call get-migration-tool again.`;
  }
}
