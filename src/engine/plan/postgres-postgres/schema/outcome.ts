import type { CopyOptions, InventoryEntry } from "../../../contract/index.ts";

/** Of each large object in the report, where rows alone are copied. */
const largeObjectLeft = "not copied: content: data copies only the rows of tables";

/** What becomes of an object of the source that nothing else is said of. */
export function outcomeOf(
  kind: string,
  content: NonNullable<CopyOptions["content"]>,
): Pick<InventoryEntry, "outcome" | "note"> {
  if (content === "data") {
    if (kind === "table") return { outcome: "copied", note: "its rows, into the table that was there" };
    if (kind === "large object") return { outcome: "reported", note: largeObjectLeft };
    return { outcome: "not_applicable", note: "only rows were requested (content: data)" };
  }
  if (content === "schema" && kind === "large object")
    return { outcome: "not_applicable", note: "only the schema was requested (content: schema)" };
  if (kind !== "foreign table") return { outcome: "copied" };
  return { outcome: "copied", note: "its rows live on another server and are not copied" };
}
