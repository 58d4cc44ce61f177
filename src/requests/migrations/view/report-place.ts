import type { Migration } from "../../../resources/migration.ts";

/**
 * Name of the report to show. After a run that failed, such as a reset that could drop nothing, it is that of the last completed run,
 * whose copy may still be in the target.
 */
export function reportPlace(
  state: string | undefined,
  status: Partial<Pick<NonNullable<Migration["status"]>, "madeIn">> & {
    report?: { configMap: string } | undefined;
  } = {},
): string | undefined {
  return state === "failed" ? status.madeIn : status.report?.configMap;
}
