import { EngineError } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { shortList } from "../../../contract/text/short-list.ts";
import type { SourceColumn, SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { identifier, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";

/** Errors: `table_refused` for MERGE tables, whose rows would come twice: they are those of other tables. */
export function refuseMerged(tables: readonly SourceTable[]): void {
  const names = tables.flatMap(({ name, engine }) => (/^(?:MRG_MyISAM|MERGE)$/i.test(engine) ? [printable(name)] : []));
  if (names.length === 0) return;
  throw new EngineError(
    "table_refused",
    `MERGE tables have no rows of their own and are not copied: ${shortList(names, 20)}; exclude them, and make them in the target by their SHOW CREATE TABLE after the copy. Nothing was written`,
  );
}

/** Of max_allowed_packet: the statement around a row. */
const spareBytes = 1024;
const withoutLength = new Set(["json", "geometry", "point", "linestring", "polygon", "geomcollection"]);

const mayBeLong = ({ characters, dataType, generation }: SourceColumn, most: number): boolean =>
  generation === "" && ((characters ?? 0) * 4 >= most / 8 || withoutLength.has(dataType) || /^multi/.test(dataType));

/**
 * Rows that the target could not take, found before anything is written: by LOAD DATA they may be of any length, by INSERT
 * (local_infile off) a statement is limited. Errors: `row_too_large` names each table.
 */
export async function refuseLongRows(
  reader: Session,
  writer: Session,
  database: string,
  tables: readonly SourceTable[],
): Promise<void> {
  const [[loads, limit] = []] = await writer.query("SELECT @@global.local_infile, @@max_allowed_packet");
  if (loads === "1") return;
  const most = Number(limit) - spareBytes;
  const found: string[] = [];
  for (const { name, columns } of tables) {
    const long = columns.filter((column) => mayBeLong(column, most));
    if (long.length === 0) continue;
    const bytes = long.map((column) => `COALESCE(LENGTH(${identifier(column.name)}), 0)`).join(" + ");
    const [[longest] = []] = await reader.query(`SELECT MAX(${bytes}) FROM ${qualified(database, name)}`);
    if (Number(longest ?? 0) > most) found.push(`${printable(name)} (${longest} bytes)`);
  }
  if (found.length === 0) return;
  throw new EngineError(
    "row_too_large",
    `rows are longer than the target's max_allowed_packet of ${limit} bytes in ${found.slice(0, 20).join(", ")}. Nothing was copied. Raise max_allowed_packet on the target, or set local_infile=ON there, and retry`,
  );
}
