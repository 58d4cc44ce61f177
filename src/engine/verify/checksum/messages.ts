import type { Verification } from "../../contract/index.ts";
import { fullName } from "../../contract/text/full-name.ts";
import { printable } from "../../contract/text/printable.ts";

/** Messages about a comparison of values. */

/** A table as a comparison calls it, its schema (MySQL: database) first; no two tables are called so. */
export const formatTable = (name: readonly string[]): string => printable(fullName(...name));

/** Words for each difference and each column that was not compared. */
export function verificationMessages({ differences, uncompared }: Verification): string[] {
  return [
    ...differences.map(({ source, target, keys, differing }) => {
      const which = keys.map(({ key, what }) => `${key} (${what})`).join(", ");
      return `table ${source}: its values differ from those of ${target}${differing === undefined ? "" : ` in ${differing} rows`}${which === "" ? "" : `, as in ${which}`}`;
    }),
    ...uncompared.map((words) => `not compared: ${words}`),
  ];
}
