import { EngineError } from "../../contract/index.ts";
import { fullName } from "../../contract/text/full-name.ts";
import { printable } from "../../contract/text/printable.ts";
import { leftCheckpoint } from "../../run/fence/leftover-checkpoint.ts";
import { thingKey } from "../catalogue/inventory.ts";
import type { Session } from "../driver/connection.ts";
import { fenceTableName, findAlike, partsOf } from "../fence/table.ts";

/** A fence left in the source by a copy into it, which may still be running. Errors: `reserved_name` when the table is a user's. */
export async function leftInSource(source: Session) {
  const alike = await findAlike(source);
  const other = alike.find((table) => !table.alike) ?? alike[1];
  if (other !== undefined)
    throw new EngineError(
      "reserved_name",
      `the source database has a table ${other.table} of its own: Rowferry keeps its checkpoint in the target under that name; rename the source's table and run again`,
    );
  const [found] = alike;
  if (found === undefined) return undefined;
  const entry = leftCheckpoint(printable(`${found.schema}.${fenceTableName}`));
  return { ...found, parts: await partsOf(source, found), entry };
}

/** Whether a sequence belongs to that fence. */
export const isSequenceOf =
  (left: { parts: ReadonlySet<string> } | undefined) =>
  ({ schema, name }: { schema: string; name: string }): boolean =>
    left?.parts.has(thingKey({ kind: "sequence", name: fullName(schema, name) })) === true;
