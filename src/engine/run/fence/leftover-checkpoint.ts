import type { InventoryEntry } from "../../contract/index.ts";

/** What a report says of the table of another copy, into the source, that was found there. */
export const leftCheckpoint = (name: string): InventoryEntry => ({
  kind: "table",
  name,
  outcome: "not_applicable",
  note: "Rowferry's own checkpoint of a copy into the source, which may still be running; it is not copied",
});
