import { mysqlShapes } from "../../verify/checksum/expressions.ts";
import { fitOf } from "./rules.ts";
import type { Fit, ValueType } from "./types.ts";

/** The rules for a column of MySQL that is there: its server writes bits, bytes and FLOAT as another text, and knows shapes by name. Pure. */
export function fitIntoMysql(from: ValueType, to: ValueType): Fit {
  if (to.is === "text" && (from.is === "bits" || from.is === "bytes" || (from.is === "float" && from.bits === 24)))
    return "never";
  if (from.is === "other" && mysqlShapes.has(from.name)) {
    const same = to.is === "other" && (to.name === from.name || to.name === "geometry");
    return same ? "always" : fitOf(from, to);
  }
  return fitOf(from, to);
}
